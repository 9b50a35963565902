// SPDX-License-Identifier: Apache-2.0
// A remote-caching policy of one's own, with a counter: one file, the guide's
// docs/guide/examples/policy/even_lines.cpp, compiled into this program. Nothing else names it.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "platforms/run_result.h"
#include "tests/platforms/workload_runs.h"

namespace tessera::own_remote_caching_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

RunResult run_even_lines(const std::string& platform) {
  RunResult r =
      run_workload(platform, "mm", ValueMode::kCarried, {"system.remote_caching=even-lines"}, {});
  INFO(r.failure.value_or(""));
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
  return r;
}

double replicas(const RunResult& r) {
  double misses = 0;
  for (const auto& [name, statistics] : r.stats["modules"].items()) {
    if (statistics.contains("replica_misses")) misses += statistics["replica_misses"].get<double>();
  }
  return misses;
}

std::string contents(const std::string& file) {
  std::ifstream in(std::string(TESSERA_SOURCE_DIR) + file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a remote-caching policy of one's own decides what slices keep") {
  const RunResult r = run_even_lines("nuba-small");
  CHECK(replicas(r) > 0);
  CHECK(r.stats["modules"]["system.gpu0.remote_caching"]["asked"] > 0);
  // The slices were flushed at the kernel's end, as with every policy that keeps copies.
  CHECK(r.stats["modules"]["system.gpu0.dispatcher"]["flush_cycles"].get<double>() > 0);
}

TEST_CASE("of several GPUs, each has a remote-caching policy with counters of its own") {
  const RunResult r = run_even_lines("dualopt-nuba-small");
  for (int g = 0; g < 4; ++g) {
    const std::string name = "system.gpu" + std::to_string(g) + ".remote_caching";
    CAPTURE(name);
    CHECK(r.stats["modules"][name]["asked"] > 0);
  }
  CHECK_FALSE(r.stats["modules"].contains("system.remote_caching"));
}

TEST_CASE("the guide shows the remote-caching policy that this program is made of") {
  const std::string page = contents("/docs/guide/your-own-policy.md");
  const std::string file = contents("/docs/guide/examples/policy/even_lines.cpp");
  REQUIRE(file.size() > 100);
  CHECK(page.find("```cpp\n" + file + "```") != std::string::npos);
}

}  // namespace tessera::own_remote_caching_test
