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
#include "stimuli/kernels/functional_device.h"
#include "stimuli/kernels/manifest_workload.h"
#include "stimuli/workload.h"
#include "tests/support/suite_cases.h"

namespace {

using namespace tessera;
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

/// Footprints as the papers print them, in megabytes: NUBA's Table 2, LADM's Table IV, and what
/// UMH's 256 vertices come to.
const std::map<std::string, double>& printed_megabytes() {
  static const std::map<std::string, double> table = {
      {"2dconv", 1074},
      {"2mm", 84},
      {"3dconv", 1074},
      {"alexnet", 1},
      {"alexnet-fc", 400},
      {"atax", 1342},
      {"backprop", 75},
      {"bicg", 2013},
      {"blackscholes", 48},
      {"btree", 39},
      {"convsep", 151},
      {"dwt2d", 302},
      {"fdtd2d", 51},
      {"floydwarshall", 0.5},
      {"fwt", 269},
      {"gemmlayer", 76},
      {"gesummv", 1073},
      {"gru", 2},
      {"kmeans", 136},
      {"lbm", 389},
      {"lstm-1", 64},
      {"lstm-2", 32},
      {"mm", 8},
      {"mvt", 6443},
      {"nw", 16},
      {"pagerank", 18},
      {"pageviewcount", 1081},
      {"randomloc", 64},
      {"resnet", 4},
      {"resnet50-fc", 99},
      {"scalarprod", 120},
      {"sgemm", 9},
      {"squeezenet", 1},
      {"sssp", 57},
      {"streamcluster", 302},
      {"stringmatch", 146},
      {"wordcount", 542},
  };
  return table;
}

}  // namespace

#define TESSERA_CASE(NAME, WHAT) \
  TEST_CASE(NAME WHAT) { run_small(NAME); }
TESSERA_FOR_SUITE(TESSERA_CASE, " computes what its reference says")

TEST_CASE("the suite as this machine's clang compiles it computes the same") {
  const std::string suite = TESSERA_PTX_SUITE_DIR;
  if (suite.empty()) {
    WARN("no clang with an NVPTX backend: nothing to check");
    return;
  }
  for (const std::string& name : workload_names()) {
    INFO(name);
    FunctionalDevice device;
    const auto workload = make_workload(name, suite);
    workload->run(device, Scale::kSmall, kSeed);
    expect_verified(*workload, device);
  }
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
  const auto names = workload_names();
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
    const auto printed = printed_megabytes().find(name);
    const bool fits = printed != printed_megabytes().end() && printed->second < 6;
    constexpr std::uint64_t kLlc = 64u * 96 * 1024;  // of NUBA's Table 1
    if (!fits) CHECK(footprint(Scale::kMedium) > kLlc);
    if (printed == printed_megabytes().end()) {
      CHECK(footprint(Scale::kPaper) > 4'000'000);
    } else {
      // Half a unit of the printed place, or what multiples of a tile cost.
      const double megabytes = static_cast<double>(footprint(Scale::kPaper)) / 1e6;
      CHECK(std::fabs(megabytes - printed->second) <= std::max(0.5, 0.02 * printed->second));
    }
  }
}

TEST_CASE("an unknown workload is refused with the nearest known one") {
  CHECK_THROWS_WITH(make_workload("vecad"),
                    Catch::StartsWith("unknown workload 'vecad'; did you mean 'vecadd'?"));
  CHECK_THROWS_AS(make_workload("mm", "/nonexistent"), InputError);
  CHECK_THROWS_WITH(make_workload("/nonexistent/m.json"), "/nonexistent/m.json: cannot be read");
}
