// SPDX-License-Identifier: Apache-2.0
// The microbenchmarks compute what their references say, without time.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "stimuli/runner/functional_device.h"
#include "stimuli/runner/manifest_workload.h"
#include "stimuli/workload.h"
#include "tests/support/suite_cases.h"

namespace tessera::micro_suite_test {

namespace {

using kernels::FunctionalDevice;

void run_small(const std::string& name, const std::string& suite = {}) {
  INFO(name);
  FunctionalDevice device;
  const auto workload = make_workload(name, suite);
  workload->run(device, Scale::kSmall, 1);
  const auto result = workload->verify(device);
  REQUIRE(result);
  for (const std::string& message : result->messages) UNSCOPED_INFO(message);
  CHECK(result->passed);
  CHECK(device.instructions() <= 500'000);
}

/// Sizes that take other ways through the kernels.
const std::vector<std::string>& variants() {
  static const std::vector<std::string> all = {
      "micro-chase:order=0:lanes=32:ctas=3:warps=2",
      "micro-chase:load=1:offset=4096:stride=256",
      "micro-chase:bytes=128:lanes=8",     // more chains than elements
      "micro-chase:bytes=1280:lanes=3",    // rings of different lengths
      "micro-chase:passes=0:hops=5:sm=0",  // the functional device has one SM
      "micro-chase:load=2:lanes=4",
      "micro-loaded:load=0",
      "micro-bandwidth:mode=1",
      "micro-bandwidth:mode=2:load=1",
      "micro-bandwidth:mode=1:interleaved=1:unroll=1:passes=3",
      "micro-bandwidth:mode=2:interleaved=1:unroll=2",
      "micro-bandwidth:interleaved=1:load=1:bytes=100000:ctas=3",  // no multiple of anything
      "micro-bandwidth:bytes=100000:ctas=3:threads=96",
      "micro-atomics:words=1:returns=1",
      "micro-atomics:group=32:words=64:stride=32",
      "micro-shared:stride=32",
      "micro-shared:stride=7:lanes=5:warps=3:ctas=2:hops=5",
      "micro-rows:stride=4096",
      "micro-rows:stride=3072:line=64:threads=96",
      "micro-launch:launches=2"};
  return all;
}

void run_all(const std::string& suite) {
  for (const std::string& name : micro_workload_names()) run_small(name, suite);
  for (const std::string& name : variants()) run_small(name, suite);
}

}  // namespace

#define TESSERA_CASE(NAME, WHAT) \
  TEST_CASE(NAME WHAT) { run_small(NAME); }
TESSERA_FOR_MICRO(TESSERA_CASE, " computes what its reference says")

TEST_CASE("microbenchmarks compute what their references say at other sizes") { run_all({}); }

// ctest counts what has nothing to check as skipped.
TEST_CASE("the microbenchmarks as this machine's clang compiles them compute the same") {
  const std::string suite = TESSERA_CLANG_SUITE_DIR;
  if (suite.empty()) {
    WARN("nothing to check: no clang with an NVPTX backend");
    return;
  }
  run_all(suite);
}

TEST_CASE("the microbenchmarks as this machine's nvcc compiles them compute the same") {
  const std::string suite = TESSERA_NVCC_SUITE_DIR;
  if (suite.empty()) {
    WARN("nothing to check: no nvcc");
    return;
  }
  run_all(suite);
}

TEST_CASE("one wrong element in any output of a microbenchmark is noticed") {
  std::vector<std::string> names = micro_workload_names();
  names.emplace_back("micro-bandwidth:mode=2");
  for (const std::string& name : names) {
    FunctionalDevice device;
    const auto workload = make_workload(name);
    const auto& manifest = dynamic_cast<kernels::ManifestWorkload&>(*workload).manifest();
    workload->run(device, Scale::kSmall, 1);
    for (const auto& output : manifest.outputs) {
      INFO(name << ": " << output.array);
      const Allocation* a = device.allocations().find(output.array);
      REQUIRE(a != nullptr);
      std::uint32_t word = 0;
      const Address at = a->begin + a->bytes / 8 * 4;  // one in the middle
      device.read(&word, at, 4);
      const std::uint32_t wrong = word + 1;
      device.write(at, &wrong, 4);
      CHECK(workload->verify(device)->wrong == 1);
      device.write(at, &word, 4);
      CHECK(workload->verify(device)->passed);
    }
  }
}

TEST_CASE("every microbenchmark has three scales and figures with descriptions") {
  for (const std::string& name : micro_workload_names()) {
    INFO(name);
    const auto workload = make_workload(name);
    const auto& manifest = dynamic_cast<kernels::ManifestWorkload&>(*workload).manifest();
    CHECK(manifest.info.family == "micro");
    CHECK(manifest.sizes.size() == 3);
    CHECK_FALSE(manifest.figures.empty());
    for (const auto& figure : manifest.figures) CHECK_FALSE(figure.description.empty());
  }
}

TEST_CASE("micro-shared refuses strides that do not fit its array") {
  FunctionalDevice device;
  const auto workload = make_workload("micro-shared:stride=33");
  workload->run(device, Scale::kSmall, 1);
  CHECK_THROWS_WITH(workload->verify(device), "micro-shared: stride must be 1 to 32");
}

}  // namespace tessera::micro_suite_test
