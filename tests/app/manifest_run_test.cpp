// SPDX-License-Identifier: Apache-2.0
// A user's own kernel: what runs, what is refused, and what fails with its thread and address.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/app/command.h"

namespace tessera::manifest_run_test {

using tessera::test::CommandResult;
using tessera::test::run_tessera;
using tessera::test::ScratchFolder;

namespace {

/// data[i] += 1, with `instruction` in the middle.
std::string kernel(const std::string& instruction) {
  return ".version 6.0\n.target sm_70\n.address_size 64\n"
         ".visible .entry inc(.param .u64 data)\n{\n"
         "  .reg .b32 %r<6>;\n  .reg .b64 %rd<5>;\n"
         "  ld.param.u64 %rd1, [data];\n"
         "  cvta.to.global.u64 %rd2, %rd1;\n"
         "  mov.u32 %r1, %ctaid.x;\n  mov.u32 %r2, %ntid.x;\n  mov.u32 %r3, %tid.x;\n"
         "  mad.lo.s32 %r4, %r1, %r2, %r3;\n"
         "  mul.wide.s32 %rd3, %r4, 4;\n  add.s64 %rd4, %rd2, %rd3;\n"
         "  ld.global.u32 %r5, [%rd4];\n" +
         instruction + "\n  add.s32 %r5, %r5, 1;\n  st.global.u32 [%rd4], %r5;\n  ret;\n}\n";
}

std::string manifest(int count) {
  return "{\"name\": \"inc\", \"ptx\": \"inc.ptx\","
         " \"sizes\": {\"small\": {\"n\": " +
         std::to_string(count) +
         "}},\n \"arrays\": [{\"name\": \"data\", \"type\": \"i32\", \"count\": \"n\", \"init\": "
         "\"zero\"}],\n \"launches\": [{\"kernel\": \"inc\", \"grid\": [4], \"block\": [64],"
         " \"arguments\": [\"data\"]}]}\n";
}

CommandResult run(const std::string& instruction, int count,
                  const std::string& values = "functional") {
  const ScratchFolder folder;
  folder.write("inc.ptx", kernel(instruction));
  const std::string file = folder.write("inc.json", manifest(count));
  return run_tessera({"run", "uba-mem-small", file, "--json", "--values", values}, folder.path());
}

}  // namespace

TEST_CASE("a user's kernel runs, and without expected values it is neither right nor wrong") {
  const CommandResult r = run("", 256);
  INFO(r.error);
  CHECK(r.status == 0);
  CHECK(r.document().at("verified").is_null());
  CHECK(r.document().at("kernels").at(0).at("name") == "inc");
}

TEST_CASE("a PTX file runs as a manifest says that need not name it") {
  const ScratchFolder folder;
  const std::string ptx = folder.write("mine.ptx", kernel(""));
  std::string text = manifest(256);
  const std::string named = "\"ptx\": \"inc.ptx\",";
  text.erase(text.find(named), named.size());
  const std::string file = folder.write("mine.json", text);
  const CommandResult r =
      run_tessera({"run", "uba-mem-small", ptx, "--manifest", file, "--json"}, folder.path());
  INFO(r.error);
  CHECK(r.status == 0);
  CHECK(r.document().at("kernels").at(0).at("name") == "inc");

  const CommandResult alone = run_tessera({"run", "uba-mem-small", ptx}, folder.path());
  CHECK(alone.status == 2);
  CHECK_THAT(alone.error, Catch::Contains("a PTX file needs --manifest FILE"));
  const CommandResult odd =
      run_tessera({"run", "uba-mem-small", "mm", "--manifest", file}, folder.path());
  CHECK(odd.status == 2);
  CHECK_THAT(odd.error, Catch::Contains("not 'mm'"));
}

TEST_CASE("an array that is too small ends the run with kernel, thread and address") {
  for (const char* values : {"functional", "carried"}) {
    const CommandResult r = run("", 200, values);
    INFO(r.error);
    CHECK(r.status == 1);
    CHECK_THAT(r.error, Catch::Contains("kernel 'inc', CTA (3,0,0), thread (8,0,0)") &&
                            Catch::Contains("0x100000320") &&
                            Catch::Contains("past the end of 'data' (800 bytes)"));
    CHECK_THAT(r.error, !Catch::Contains("terminate"));
  }
}

TEST_CASE("an instruction that is not supported stops the load with file, line and text") {
  const CommandResult r = run("  tex.1d.v4.f32.s32 {%r1, %r2, %r3, %r4}, [t, {%r1}];", 256);
  INFO(r.error);
  CHECK(r.status == 2);
  CHECK_THAT(r.error, Catch::Contains("inc.ptx:17") && Catch::Contains("tex.1d.v4.f32.s32") &&
                          Catch::Contains("supported"));
}

TEST_CASE("garbled PTX is reported with file and line") {
  const CommandResult r = run("  add.s32 %r5 %r5, ;;, 1", 256);
  INFO(r.error);
  CHECK(r.status == 2);
  CHECK_THAT(r.error, Catch::Contains("inc.ptx:17"));
}

namespace {

/// data[i] += 1 in stream "left", other[i] += 1 in "right", then data[i] += 1 in "right" after
/// both.
CommandResult run_streams(const std::vector<std::string>& more, const std::string& third = "left") {
  const auto launch = [](const std::string& array, const std::string& order) {
    return R"({"kernel": "inc", "grid": [1], "block": [64], "arguments": [")" + array + "\"], " +
           order + "}";
  };
  std::string twos = "2";
  for (int i = 1; i < 64; ++i) twos += ", 2";
  const ScratchFolder folder;
  folder.write("inc.ptx", kernel(""));
  const std::string file = folder.write(
      "inc.json", R"({
  "name": "inc", "ptx": "inc.ptx",
  "arrays": [{"name": "data", "type": "i32", "count": 64}, {"name": "other", "type": "i32", "count": 64}],
  "streams": ["left", "right"],
  "launches": [)" + launch("data", R"("name": "first", "stream": "left")") +
                      ", " + launch("other", R"("stream": "right")") + ", " +
                      launch("data", R"("stream": ")" + third + R"(", "after": ["first"])") +
                      R"(],
  "outputs": [{"array": "data"}], "expected": {"data": [)" +
                      twos + "]}}");
  std::vector<std::string> arguments{"run", "uba-mem-small", file, "--values", "carried"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_tessera(arguments, folder.path());
}

}  // namespace

TEST_CASE("launches of two streams overlap, and stats.json says of which stream each one is") {
  const CommandResult r = run_streams({"--json"}, "right");
  INFO(r.error);
  REQUIRE(r.status == 0);
  const auto document = r.document();
  CHECK(document.at("verified") == true);
  const auto& kernels = document.at("kernels");
  REQUIRE(kernels.size() == 3);
  CHECK(kernels[0].at("stream") == "left");
  CHECK(kernels[1].at("stream") == "right");
  CHECK(kernels[0].at("start_cycle") == 0);
  CHECK(kernels[1].at("start_cycle") == 0);
  const auto end = [&kernels](std::size_t i) {
    return kernels[i].at("start_cycle").get<int>() + kernels[i].at("cycles").get<int>();
  };
  CHECK(kernels[2].at("start_cycle") == std::max(end(0), end(1)));
  CHECK(document.at("cycles") == end(2));
  // 64 integers are two lines.
  for (const auto& k : kernels) {
    const auto& l1 = k.at("levels").at("l1");
    CHECK(l1.at("hits").get<int>() + l1.at("merged").get<int>() + l1.at("misses").get<int>() == 2);
    CHECK(l1.at("bytes") == 256);
  }

  const CommandResult text = run_streams({});
  REQUIRE(text.status == 0);
  CHECK_THAT(text.out, Catch::Contains("Kernels  stream  launches  cycles") &&
                           Catch::Contains("\n  inc      right"));
}

TEST_CASE("a launch in an unknown stream is an error with file and place") {
  const CommandResult r = run_streams({}, "lefd");
  CHECK(r.status == 2);
  CHECK_THAT(r.error,
             Catch::Contains("inc.json:") &&
                 Catch::Contains("/launches/2/stream: unknown stream \"lefd\"; did you mean "
                                 "'left'?"));
}

TEST_CASE("a window of a workload with streams needs one kernel at a time") {
  const CommandResult r = run_streams({"--detail", "100"});
  CHECK(r.status == 2);
  CHECK_THAT(r.error, Catch::Contains("dispatch.kernel_scheduler=sequential"));
  CHECK(run_streams({"--detail", "100", "--set", "dispatch.kernel_scheduler=sequential"}).status ==
        0);
}

}  // namespace tessera::manifest_run_test
