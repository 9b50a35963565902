// SPDX-License-Identifier: Apache-2.0
// The guide's example manifests, run as its readers do.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/app/command.h"

namespace tessera::examples_test {

using tessera::test::CommandResult;
using tessera::test::run_tessera;
using tessera::test::ScratchFolder;

namespace {

const std::filesystem::path kExamples = TESSERA_EXAMPLES_DIR;

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Runs an example on three platforms; `launches` are its kernels' in order.
void check(const std::string& name, const std::vector<std::string>& kernels, std::size_t launches) {
  for (const char* platform : {"uba-mem-small", "nuba-small", "dualopt-small"}) {
    const ScratchFolder folder;
    const std::string manifest = (kExamples / name / (name + ".json")).string();
    const CommandResult r =
        run_tessera({"run", platform, manifest, "--json", "--out", "out"}, folder.path());
    INFO(platform << ": " << r.error);
    REQUIRE(r.status == 0);
    const auto document = r.document();
    CHECK(document.at("verified") == true);
    const auto& run = document.at("kernels");
    REQUIRE(run.size() == launches);
    for (std::size_t i = 0; i < kernels.size(); ++i) CHECK(run.at(i).at("name") == kernels[i]);
  }
}

}  // namespace

TEST_CASE("the pathfinder example is right on three platforms") {
  check("pathfinder", {"_Z8next_rowPKiS0_Pii"}, 20);
}

TEST_CASE("the lud example is right on three platforms") {
  check("lud", {"_Z5scale6Matrixi", "_Z6update6Matrixi", "_Z5scale6Matrixi"}, 62);
}

TEST_CASE("the bfs example is right on three platforms and launches until no vertex is left") {
  // One pass for every distance, and one that finds nothing.
  std::int32_t farthest = 0;
  const std::string cost = contents(kExamples / "bfs" / "cost.bin");
  REQUIRE(cost.size() == 4096);
  for (std::size_t at = 0; at < cost.size(); at += 4) {
    farthest = std::max(farthest, static_cast<std::int32_t>(cost[at]));
  }
  check("bfs", {"_Z6expandPKiS0_PhS1_PKhPi", "_Z7advancePhS_S_Pi"},
        2 * (static_cast<std::size_t>(farthest) + 1));
}

TEST_CASE("outputs with a file name come to the run's folder") {
  const ScratchFolder folder;
  const std::string manifest = (kExamples / "pathfinder" / "pathfinder.json").string();
  const CommandResult r =
      run_tessera({"run", "uba-mem-small", manifest, "--out", "mine"}, folder.path());
  INFO(r.error);
  REQUIRE(r.status == 0);
  CHECK(contents(folder.path() / "mine" / "cheapest.bin") ==
        contents(kExamples / "pathfinder" / "expected.bin"));
}

TEST_CASE("several PTX files are linked from the command line") {
  const ScratchFolder folder;
  const std::string head = ".version 6.0\n.target sm_70\n.address_size 64\n";
  folder.write("main.ptx", head +
                               ".extern .global .align 4 .u32 value;\n"
                               ".visible .entry k(.param .u64 to)\n{\n"
                               ".reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n"
                               "ld.param.u64 %rd1, [to];\nld.global.u32 %r1, [value];\n"
                               "st.global.u32 [%rd1], %r1;\nret;\n}\n");
  folder.write("more.ptx", head + ".visible .global .align 4 .u32 value = 42;\n");
  folder.write("m.json", R"({"name": "m",
    "arrays": [{"name": "out", "type": "i32", "count": 1}],
    "launches": [{"kernel": "k", "grid": 1, "block": 1, "arguments": ["out"]}],
    "outputs": [{"array": "out"}], "expected": {"out": [42]}})");
  const CommandResult both =
      run_tessera({"run", "uba-mem-small", "main.ptx,more.ptx", "--manifest", "m.json", "--json"},
                  folder.path());
  INFO(both.error);
  CHECK(both.status == 0);
  CHECK(both.document().at("verified") == true);
  const CommandResult one = run_tessera(
      {"run", "uba-mem-small", "main.ptx", "--manifest", "m.json", "--json"}, folder.path());
  CHECK(one.status == 2);
  CHECK_THAT(one.error, Catch::Contains("main.ptx:4: the variable 'value' is .extern"));
}

}  // namespace tessera::examples_test
