// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "common/error.h"
#include "stimuli/paper_workloads.h"
#include "stimuli/runner/functional_device.h"
#include "stimuli/runner/manifest_workload.h"
#include "stimuli/workload.h"
#include "tests/support/suite_cases.h"

namespace tessera::suite_test {

namespace {

using kernels::FunctionalDevice;

constexpr std::uint64_t kSeed = 1;

void expect_verified(Workload& workload, Device& device) {
  const auto result = workload.verify(device);
  REQUIRE(result);
  for (const std::string& message : result->messages) UNSCOPED_INFO(message);
  CHECK(result->passed);
  CHECK(result->wrong == 0);
  CHECK(result->compared > 0);
}

/// Runs at small scale, and checks the values and that the size is what a quick run wants.
void run_small(const std::string& name) {
  FunctionalDevice device;
  const auto workload = make_workload(name);
  workload->run(device, Scale::kSmall, kSeed);
  expect_verified(*workload, device);
  CHECK(device.instructions() >= 50'000);
  CHECK(device.instructions() <= 500'000);
}

/// What papers print as the footprint of a workload, in megabytes; several may run it.
std::vector<double> printed_megabytes(const std::string& workload) {
  std::vector<double> printed;
  for (const PaperWorkload& p : paper_workloads()) {
    // The grid that LADM prints for hotspot makes three arrays of 4 MiB; its 16 MB would be four.
    if (workload == "hotspot") continue;
    if (p.workload == workload && p.footprint_mb) printed.push_back(*p.footprint_mb);
  }
  return printed;
}

}  // namespace

#define TESSERA_CASE(NAME, WHAT) \
  TEST_CASE(NAME WHAT) { run_small(NAME); }
TESSERA_FOR_SUITE(TESSERA_CASE, " computes what its reference says")

namespace {

void expect_same(const std::string& suite) {
  for (const std::string& name : workload_names()) {
    INFO(name);
    FunctionalDevice device;
    const auto workload = make_workload(name, suite);
    workload->run(device, Scale::kSmall, kSeed);
    expect_verified(*workload, device);
  }
}

}  // namespace

// ctest counts what has nothing to check as skipped.
TEST_CASE("the suite as this machine's clang compiles it computes the same") {
  const std::string suite = TESSERA_CLANG_SUITE_DIR;
  if (suite.empty()) {
    WARN("nothing to check: no clang with an NVPTX backend");
    return;
  }
  expect_same(suite);
}

TEST_CASE("the suite as this machine's nvcc compiles it computes the same") {
  const std::string suite = TESSERA_NVCC_SUITE_DIR;
  if (suite.empty()) {
    WARN("nothing to check: no nvcc");
    return;
  }
  expect_same(suite);
}

TEST_CASE("another seed verifies as well") {
  for (const std::string& name : workload_names()) {
    INFO(name);
    FunctionalDevice device;
    const auto workload = make_workload(name);
    workload->run(device, Scale::kSmall, 20261121);
    expect_verified(*workload, device);
  }
}

TEST_CASE("one wrong element in any output is noticed") {
  for (const std::string& name : workload_names()) {
    FunctionalDevice device;
    const auto workload = make_workload(name);
    const auto& manifest = dynamic_cast<kernels::ManifestWorkload&>(*workload).manifest();
    workload->run(device, Scale::kSmall, kSeed);
    for (const auto& output : manifest.outputs) {
      INFO(name << ": " << output.array);
      const Allocation* a = device.allocations().find(output.array);
      REQUIRE(a != nullptr);
      const auto type = manifest.array(output.array)->type;
      const unsigned bytes = kernels::element_bytes(type);
      const Address at = a->begin + (a->bytes / bytes / 2) * bytes;  // one in the middle
      std::vector<std::byte> good(bytes);
      device.read(good.data(), at, bytes);
      std::vector<std::byte> bad = good;
      if (kernels::is_float(type)) {
        // The widest bound (atax: two products in a row) is a thousandth of a typical value.
        const double value = kernels::load_float(type, good.data());
        kernels::store_float(type, value + 0.01 + std::fabs(value) / 500, bad.data());
      } else {
        kernels::store_integer(type, kernels::load_integer(type, good.data()) + 1, bad.data());
      }
      device.write(at, bad.data(), bytes);
      const auto result = workload->verify(device);
      REQUIRE(result);
      CHECK_FALSE(result->passed);
      CHECK(result->wrong == 1);
      REQUIRE(result->messages.size() == 1);
      CHECK_THAT(result->messages[0], Catch::StartsWith(output.array + "["));

      if (kernels::is_float(type)) {
        kernels::store_float(type, std::numeric_limits<double>::quiet_NaN(), bad.data());
        device.write(at, bad.data(), bytes);
        CHECK_FALSE(workload->verify(device)->passed);
      }
      device.write(at, good.data(), bytes);
      CHECK(workload->verify(device)->passed);
    }
  }
}

TEST_CASE("outputs that were never computed do not verify") {
  for (const std::string& name : workload_names()) {
    INFO(name);
    FunctionalDevice device;
    const auto workload = make_workload(name);
    const auto& manifest = dynamic_cast<kernels::ManifestWorkload&>(*workload).manifest();
    workload->run(device, Scale::kSmall, kSeed);
    for (const auto& output : manifest.outputs) {
      const Allocation* a = device.allocations().find(output.array);
      REQUIRE(a != nullptr);
      const std::vector<std::byte> zeros(a->bytes);
      device.write(a->begin, zeros.data(), zeros.size());
    }
    CHECK_FALSE(workload->verify(device)->passed);
  }
}

TEST_CASE("the same seed gives the same run") {
  for (const std::string name : {"mm", "bfs", "spmv"}) {
    FunctionalDevice first;
    FunctionalDevice second;
    make_workload(name)->run(first, Scale::kSmall, kSeed);
    make_workload(name)->run(second, Scale::kSmall, kSeed);
    CHECK(first.instructions() == second.instructions());
    for (const Allocation& a : first.allocations().all()) {
      INFO(name << ": " << a.name);
      std::vector<std::byte> x(a.bytes);
      std::vector<std::byte> y(a.bytes);
      first.read(x.data(), a.begin, a.bytes);
      second.read(y.data(), a.begin, a.bytes);
      CHECK((x == y));
    }
  }
}

TEST_CASE("the catalogue knows every workload") {
  const auto names = all_workload_names();
  const auto catalogue = workload_catalogue();
  REQUIRE(catalogue.size() == names.size());
  CHECK(std::is_sorted(names.begin(), names.end()));
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(catalogue[i].name == names[i]);
    CHECK_FALSE(catalogue[i].description.empty());
    CHECK_FALSE(catalogue[i].family.empty());
    // Their CTAs raise one flag.
    CHECK(catalogue[i].race_free == (names[i] != "bfs" && names[i] != "sssp"));
  }
  const auto suite = workload_names();
  const auto micro = micro_workload_names();
  CHECK(names.size() == suite.size() + micro.size());
  for (const std::string& name : micro) {
    CHECK_THAT(name, Catch::StartsWith("micro-"));
    CHECK(std::find(suite.begin(), suite.end(), name) == suite.end());
  }
}

TEST_CASE("every suite workload has all three scales") {
  for (const std::string& name : workload_names()) {
    INFO(name);
    const auto workload = make_workload(name);
    const auto& manifest = dynamic_cast<kernels::ManifestWorkload&>(*workload).manifest();
    const auto footprint = [&](Scale scale) {
      const kernels::Inputs in(manifest, scale, kSeed);
      std::uint64_t bytes = 0;
      for (const auto& a : manifest.arrays) bytes += in.count(a) * kernels::element_bytes(a.type);
      return bytes;
    };
    CHECK(footprint(Scale::kSmall) < 6'000'000);
    std::vector<double> printed = printed_megabytes(name);
    const bool fits = !printed.empty() && *std::max_element(printed.begin(), printed.end()) < 6;
    // The paper's run touches a part of what the original's input is: docs/workloads-shapes.md.
    const std::map<std::string, double> whole_input = {
        {"alexnet", 3.2}, {"mm", 10.6}, {"resnet", 5.5}, {"sgemm", 12.6}, {"squeezenet", 12.9}};
    if (const auto whole = whole_input.find(name); whole != whole_input.end()) {
      printed.push_back(whole->second);
    }
    constexpr std::uint64_t kLlc = 64u * 96 * 1024;  // of NUBA's Table 1
    if (!fits) CHECK(footprint(Scale::kMedium) > kLlc);
    if (printed.empty()) {
      CHECK(footprint(Scale::kPaper) > 4'000'000);
    } else {
      // Half a unit of the printed place, or what multiples of a tile cost; a paper's MB may be
      // 10^6 bytes (NUBA's are) or 2^20 (LADM's).
      const auto bytes = static_cast<double>(footprint(Scale::kPaper));
      CHECK(std::any_of(printed.begin(), printed.end(), [bytes](double p) {
        const double near = std::max(0.5, 0.02 * p);
        return std::fabs(bytes / 1e6 - p) <= near || std::fabs(bytes / 0x1p20 - p) <= near;
      }));
    }
  }
}

TEST_CASE("sizes after a workload's name replace those of the scale") {
  FunctionalDevice device;
  const auto workload = make_workload("vecadd:n=1000");
  CHECK(workload->info().name == "vecadd:n=1000");
  workload->run(device, Scale::kPaper, kSeed);
  const auto verified = workload->verify(device);
  REQUIRE(verified);
  CHECK(verified->passed);
  CHECK(verified->compared == 1000);
  CHECK_THROWS_WITH(make_workload("vecadd:m=1000"),
                    Catch::Contains("vecadd/manifest.json: there is no size 'm' (its sizes: n)"));
  CHECK_THROWS_WITH(make_workload("vecadd:n=1e3"),
                    "the workload 'vecadd:n=1e3': expected NAME=INTEGER after ':', found 'n=1e3'");
  for (const char* wrong : {"vecadd:", "vecadd:n", "vecadd:n=", "vecadd:=1", "vecadd:n=1:"}) {
    CHECK_THROWS_WITH(make_workload(wrong), Catch::Contains("expected NAME=INTEGER"));
  }
  CHECK_THROWS_WITH(make_workload("vecadd:n=1:n=2"), Catch::Contains("'n' is given twice"));
  CHECK_THROWS_WITH(make_workload("vecad:n=1"), Catch::StartsWith("unknown workload 'vecad'"));
}

TEST_CASE("the files of a workload with sizes are those of the workload") {
  CHECK(workload_files("vecadd:n=1000") == workload_files("vecadd"));
}

TEST_CASE("a reference refuses sizes that it cannot compute") {
  FunctionalDevice device;
  const auto workload = make_workload("histo-final:bins=8192");
  workload->run(device, Scale::kSmall, kSeed);
  CHECK_THROWS_WITH(workload->verify(device), "histo-final: bins must be at least 28672");
}

TEST_CASE("a colon in the folder of a manifest begins no sizes") {
  CHECK_THROWS_WITH(make_workload("/nonexistent:n=1/m.json"),
                    "/nonexistent:n=1/m.json: cannot be read: no such file");
}

TEST_CASE("an unknown workload is refused with the nearest known one") {
  CHECK_THROWS_WITH(make_workload("vecad"),
                    Catch::StartsWith("unknown workload 'vecad'; did you mean 'vecadd'?"));
  CHECK_THROWS_AS(make_workload("mm", "/nonexistent"), InputError);
  CHECK_THROWS_WITH(make_workload("/nonexistent/m.json"),
                    "/nonexistent/m.json: cannot be read: no such file");
}

}  // namespace tessera::suite_test
