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

namespace tessera::rtl_systems_test {

namespace {

// Cycles of mm.
constexpr std::uint64_t kUbaMem = 28498;
constexpr std::uint64_t kNuba = 31265;

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

/// A platform file: `base` with a design in each link between a slice, or a directory, and memory.
std::string with_memory_port(const std::string& base, const std::string& design) {
  const std::string file = (std::filesystem::temp_directory_path() /
                            ("rtl_systems_" + std::to_string(getpid()) + ".json"))
                               .string();
  std::ofstream(file) << R"({"base": ")" << base << R"(", "insert": {"memory": "rtl_link"}, )"
                      << R"("impl": {"rtl_link": ")" << design << R"("}})";
  return file;
}

std::uint64_t sum(const RunResult& r, const std::string& module_end, const char* statistic) {
  std::uint64_t total = 0;
  for (const auto& [name, values] : r.stats["modules"].items()) {
    const bool counts =
        name.size() >= module_end.size() &&
        name.compare(name.size() - module_end.size(), std::string::npos, module_end) == 0 &&
        values.contains(statistic);
    if (counts) total += values[statistic].get<std::uint64_t>();
  }
  return total;
}

void check_memory_ports(const char* base, const char* design = "axi4-dram-port") {
  const RunResult r = run(with_memory_port(base, design).c_str(), "vecadd", {});
  CHECK(sum(r, ".above", "reads") > 0);
  CHECK(sum(r, ".above", "writes") > 0);
  CHECK(sum(r, ".above", "errors") == 0);
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
  check_memory_ports("dualopt-nuba-small", "axi4-dram-port-64");
}

TEST_CASE("all of uba-mem-small's traffic to memory passes AXI4 ports in RTL") {
  check_memory_ports("uba-mem-small");
}

TEST_CASE("all of nuba-small's traffic to memory passes AXI4 ports in RTL") {
  check_memory_ports("nuba-small");
}

TEST_CASE("a coherent system's traffic has no bytes for RTL, and the run says so") {
  const ResolvedConfig config = resolve_config(with_memory_port("umh-2-small", "tlm"), {});
  Simulation simulation(config);
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
  CHECK(fs::file_size(folder / "system.gpu0.llc3.fst") > 1000);
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
