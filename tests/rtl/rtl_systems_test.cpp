// SPDX-License-Identifier: Apache-2.0
// RTL blocks in whole systems.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "platforms/run_result.h"
#include "platforms/simulation.h"
#include "stimuli/workload.h"
#include "tests/support/temporary_file.h"

namespace tessera::rtl_systems_test {

using test::TemporaryFile;

namespace {

// Cycles of mm.
constexpr std::uint64_t kUbaMem = 28498;
constexpr std::uint64_t kNuba = 31265;
// Of vecadd with AXI4 ports to memory.
constexpr std::uint64_t kUbaMemPorts = 66522;
constexpr std::uint64_t kNubaPorts = 64606;
constexpr std::uint64_t kDualOptPorts = 33252;

RunResult run(const char* platform, const char* workload,
              const std::vector<std::string>& settings) {
  const ResolvedConfig config = resolve_config(platform, settings);
  Simulation simulation(config);
  const auto made = make_workload(workload);
  RunOptions options;
  options.values = ValueMode::kCarried;
  RunResult r = simulation.run(*made, options);
  CHECK_FALSE(r.failure.has_value());
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
  return r;
}

/// A platform's file: `base` with a design in each link between a slice, or a directory, and
/// memory.
std::string with_memory_port(const std::string& base, const std::string& design) {
  return R"({"base": ")" + base + R"(", "insert": {"memory": "rtl_link"}, "impl": {"rtl_link": ")" +
         design + R"("}})";
}

/// Of all modules whose names contain `part`.
std::uint64_t sum(const RunResult& r, const char* part, const char* statistic) {
  std::uint64_t total = 0;
  for (const auto& [name, values] : r.stats["modules"].items()) {
    if (name.find(part) == std::string::npos || !values.contains(statistic)) continue;
    total += values[statistic].get<std::uint64_t>();
  }
  return total;
}

/// vecadd: all traffic of the channels has passed the ports.
void check_memory_ports(const char* base, const char* design, std::uint64_t line_bytes,
                        std::uint64_t cycles) {
  const TemporaryFile platform(with_memory_port(base, design));
  const RunResult r = run(platform.path().c_str(), "vecadd", {});
  CHECK(r.stats["cycles"] == cycles);
  CHECK(sum(r, ".above", "reads") * line_bytes == sum(r, ".dram", "bytes_read"));
  CHECK(sum(r, ".above", "reads") > 0);
  CHECK(sum(r, ".above", "writes") > 0);
  CHECK(sum(r, ".above", "errors") == 0);
  CHECK(sum(r, ".rtl_link", "violations") == 0);
}

/// A big-endian number of an FST file's header: begin (9) and end (17) of its times.
std::uint64_t fst_time(const std::string& file, std::streamoff at) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(at);
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) value = value << 8 | static_cast<unsigned char>(in.get());
  return value;
}

}  // namespace

TEST_CASE("mm on uba-mem-small takes the model's cycles with every slice in RTL") {
  CHECK(run("uba-mem-small", "mm", {"impl.llc=rtl-llc"}).stats["cycles"] == kUbaMem);
}

TEST_CASE("mm on nuba-small takes the model's cycles with every slice in RTL") {
  CHECK(run("nuba-small", "mm", {"impl.llc=rtl-llc"}).stats["cycles"] == kNuba);
}

TEST_CASE("mm takes these cycles on uba-mem-small without RTL") {
  CHECK(run("uba-mem-small", "mm", {}).stats["cycles"] == kUbaMem);
}

TEST_CASE("mm takes these cycles on nuba-small without RTL") {
  CHECK(run("nuba-small", "mm", {}).stats["cycles"] == kNuba);
}

TEST_CASE("an RTL slice is refused in functional mode, before the run") {
  Simulation simulation(resolve_config("uba-mem-small", {"gpu0.llc3.impl=rtl-llc"}));
  const auto workload = make_workload("vecadd");
  CHECK_THROWS_WITH(simulation.run(*workload, {}),
                    "system.gpu0.llc3.impl = rtl-llc: RTL has bytes in each request; run with "
                    "--values carried");
}

TEST_CASE("histogram verifies with RTL slices, whose atomics go through atomic units") {
  const RunResult r = run("uba-mem-small", "histogram", {"impl.llc=rtl-llc"});
  std::uint64_t atomics = 0;
  for (unsigned i = 0; i < 8; ++i) {
    atomics +=
        r.stats["modules"]["system.gpu0.llc" + std::to_string(i)]["atomics"].get<std::uint64_t>();
  }
  CHECK(atomics > 0);
}

TEST_CASE("all of dualopt-nuba-small's traffic to memory passes AXI4 ports of 64-byte lines") {
  check_memory_ports("dualopt-nuba-small", "axi4-dram-port-64", 64, kDualOptPorts);
}

TEST_CASE("all of uba-mem-small's traffic to memory passes AXI4 ports in RTL") {
  check_memory_ports("uba-mem-small", "axi4-dram-port", 128, kUbaMemPorts);
}

TEST_CASE("all of nuba-small's traffic to memory passes AXI4 ports in RTL") {
  check_memory_ports("nuba-small", "axi4-dram-port", 128, kNubaPorts);
}

TEST_CASE("a coherent system's traffic has no bytes for RTL, and the run says so") {
  const TemporaryFile platform(with_memory_port("umh-2-small", "tlm"));
  Simulation simulation(resolve_config(platform.path(), {}));
  RunOptions options;
  options.values = ValueMode::kCarried;
  const RunResult r = simulation.run(*make_workload("vecadd"), options);
  REQUIRE(r.failure.has_value());
  CHECK_THAT(*r.failure, Catch::Contains("this request has none"));
}

TEST_CASE("waveforms of a slice are an FST file") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("rtl_waves_" + std::to_string(getpid()));
  fs::create_directories(folder);
  BuildOptions build;
  build.recording.folder = folder.string();
  build.recording.from_ns = 1000;
  build.recording.until_ns = 3000;
  build.recording.waves = {"gpu0.llc[2-3]"};
  {
    Simulation simulation(resolve_config("uba-mem-small", {"gpu0.llc3.impl=rtl-llc"}), build);
    RunOptions options;
    options.values = ValueMode::kCarried;
    const RunResult r = simulation.run(*make_workload("vecadd"), options);
    CHECK_FALSE(r.failure.has_value());
    CHECK(r.stats["rtl"][0]["block"] == "system.gpu0.llc3");
  }
  const std::string file = (folder / "system.gpu0.llc3.fst").string();
  CHECK(fs::file_size(file) > 1000);
  // Picoseconds: the first edge at or after 1 us with half a cycle before it, the last before 3 us.
  constexpr std::uint64_t kPeriod = 715;
  CHECK(fst_time(file, 9) >= 1'000'000 - kPeriod / 2 - 1);
  CHECK(fst_time(file, 9) < 1'000'000 + kPeriod);
  CHECK(fst_time(file, 17) >= 3'000'000 - 2 * kPeriod);
  CHECK(fst_time(file, 17) < 3'000'000);
  CHECK_FALSE(fs::exists(folder / "system.gpu0.llc2.fst"));
  fs::remove_all(folder);
}

TEST_CASE("a pattern of waveforms that no RTL block has names the nearest") {
  BuildOptions build;
  build.recording.waves = {"gpu0.llc2"};
  CHECK_THROWS_WITH(Simulation(resolve_config("uba-mem-small", {"gpu0.llc3.impl=rtl-llc"}), build),
                    "--waves: no block 'gpu0.llc2' is RTL; did you mean 'system.gpu0.llc3'?");
}

}  // namespace tessera::rtl_systems_test
