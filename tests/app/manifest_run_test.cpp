// SPDX-License-Identifier: Apache-2.0
// A user's own kernel: what runs, what is refused, and what fails with its thread and address.
#include <catch2/catch.hpp>
#include <string>

#include "tests/app/command.h"

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

TEST_CASE("a user's kernel runs; without expected values it is neither right nor wrong") {
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

TEST_CASE("garbled PTX is told with file and line") {
  const CommandResult r = run("  add.s32 %r5 %r5, ;;, 1", 256);
  INFO(r.error);
  CHECK(r.status == 2);
  CHECK_THAT(r.error, Catch::Contains("inc.ptx:17"));
}
