// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "common/error.h"
#include "platforms/simulation.h"

using namespace tessera;  // NOLINT(google-build-using-namespace)

namespace {

/// A file that is gone after the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("tessera-configuration-" + std::to_string(getpid()) + ".json")) {
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("uba-mem is NUBA's Table 1") {
  const GpuConfig c = resolve_config("uba-mem", {}).gpu;
  CHECK(c.system.sms == 64);
  CHECK(c.system.channels == 32);
  CHECK(c.system.slices() == 64);
  CHECK(c.sm.clock_hz == 1'400'000'000);
  CHECK(c.sm.max_threads == 2048);
  CHECK(c.sm.max_warps == 64);
  CHECK(c.sm.schedulers == 2);
  CHECK(c.sm.shared_bytes == 96 * 1024);
  CHECK(c.sm.tlb_entries == 128);
  CHECK(std::uint64_t{c.l1.sets} * c.l1.ways * c.l1.line_bytes == 48 * 1024);
  CHECK(c.l1.mshr_entries == 128);
  CHECK(std::uint64_t{c.llc.sets} * c.llc.ways * c.llc.line_bytes * c.system.slices() ==
        std::uint64_t{6} << 20);
  CHECK(c.llc.latency_cycles == 120);
  CHECK(c.l2_tlb.entries == 512);
  CHECK(c.l2_tlb.latency_cycles == 10);
  CHECK(c.walker.concurrent_walks == 64);
  CHECK(c.noc.bandwidth(64) == Approx(1.4336e12));
  CHECK(c.dram.t_rc == 24);
  CHECK(c.dram.t_faw == 20);
  const double dram = static_cast<double>(c.dram.clock_hz) * c.dram.bus_bytes_per_clock * 32;
  CHECK(dram == Approx(720e9).epsilon(0.01));
}

TEST_CASE("a file may build on a preset, and --set wins over both") {
  const TemporaryFile file(R"({"base": "uba-mem-small", "llc": {"sets": 24, "ways": 8}})");
  const GpuConfig c = resolve_config(file.path(), {"llc.ways=4"}).gpu;
  CHECK(c.system.sms == 8);
  CHECK(c.llc.sets == 24);
  CHECK(c.llc.ways == 4);
}

TEST_CASE("what a configuration prints is read back as the same configuration") {
  const ResolvedConfig a = resolve_config("uba-mem", {"llc.sets=96", "sm.scheduling=lrr"});
  const TemporaryFile file(a.to_json().dump(1));
  CHECK(resolve_config(file.path(), {}).to_json() == a.to_json());
}

TEST_CASE("mistakes name file, line, path, expectation and the nearest name, all at once") {
  const TemporaryFile file(
      "{\n \"base\": \"uba-mem\",\n \"llc\": {\n  \"setz\": 1,\n"
      "  \"ways\": 0\n }\n}");
  CHECK_THROWS_WITH(resolve_config(file.path(), {}),
                    Catch::Contains(file.path() + ":4: llc.setz: no such parameter; did you mean "
                                                  "'llc.sets'?") &&
                        Catch::Contains(file.path() + ":5: llc.ways: 0 is not a whole number from "
                                                      "1 to 64 way"));
}

TEST_CASE("malformed JSON names its line") {
  const TemporaryFile file("{\n \"llc\": {\"sets\": }\n}");
  CHECK_THROWS_WITH(resolve_config(file.path(), {}), Catch::Contains(file.path() + ":2"));
}

TEST_CASE("a base that leads back is refused") {
  const auto dir = std::filesystem::temp_directory_path();
  const TemporaryFile file("{}");
  std::ofstream(file.path()) << R"({"base": ")" << file.path() << "\"}";
  CHECK_THROWS_WITH(resolve_config(file.path(), {}), Catch::Contains("leads back"));
}

TEST_CASE("an unknown preset is told with the nearest one") {
  CHECK_THROWS_WITH(resolve_config("uba-men", {}), Catch::Contains("did you mean 'uba-mem'?"));
}

TEST_CASE("an instance's setting is checked like any other") {
  CHECK_THROWS_WITH(resolve_config("uba-mem-small", {"system.gpu0.llc9.sets=1"}),
                    Catch::Contains("no such block"));
  CHECK_THROWS_WITH(resolve_config("uba-mem-small", {"system.gpu0.llc3.setz=1"}),
                    Catch::Contains("no such parameter; did you mean 'sets'?"));
  CHECK(resolve_config("uba-mem-small", {"system.gpu0.llc3.sets=5"}).overrides.size() == 1);
}

TEST_CASE("shapes that do not fit are refused with a reason") {
  CHECK_THROWS_AS(resolve_config("uba-mem", {"system.channels=33"}), InputError);
  CHECK_THROWS_WITH(resolve_config("uba-mem", {"l1.clock_hz=1000000000"}),
                    Catch::Contains("share a clock"));
}

TEST_CASE("LAB's threshold is a parameter above 0 and at most 1") {
  CHECK(resolve_config("uba-mem", {}).gpu.system.lab_threshold == 0.9);
  CHECK(resolve_config("uba-mem", {"system.lab_threshold=0.8"}).gpu.system.lab_threshold == 0.8);
  CHECK(resolve_config("uba-mem", {"system.lab_threshold=1"}).gpu.system.lab_threshold == 1);
  CHECK_THROWS_WITH(resolve_config("uba-mem", {"system.lab_threshold=0"}),
                    Catch::Contains("system.lab_threshold must be above 0 and at most 1"));
  CHECK_THROWS_WITH(resolve_config("uba-mem", {"system.lab_threshold=1.1"}),
                    Catch::Contains("1.1 is not a number from 0 to 1"));
}
