// SPDX-License-Identifier: Apache-2.0
// LADM's presets: equal SMs and caches, and the bandwidths of Table III and figure 4.
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "common/json.h"
#include "platforms/simulation.h"

namespace tessera::ladm_presets_test {

namespace {

const std::vector<std::string> kPresets = {"numa-4x4",      "ladm-4x4",      "monolithic-256",
                                           "ladm-xbar-90",  "ladm-xbar-180", "ladm-xbar-360",
                                           "ladm-ring-1.4", "ladm-ring-2.8"};

/// The crossbars and clocks give 717 GB/s for 720.
Approx about(double gb_per_s) { return Approx(gb_per_s * 1e9).epsilon(0.005); }

double memory_bandwidth(const GpuConfig& c) {
  return static_cast<double>(c.dram.clock_hz) * c.dram.bus_bytes_per_clock * c.system.channels;
}

/// From a command to the data of a closed row.
double closed_row_ns(const DramConfig& d) {
  return (d.pipeline_clocks + d.t_rcd + d.t_cl) * 1e9 / static_cast<double>(d.clock_hz);
}

}  // namespace

TEST_CASE("LADM's presets differ in no SM, L1 or slice") {
  const auto ideal = resolve_config("monolithic-256", {}).to_json();
  for (const std::string& name : kPresets) {
    INFO(name);
    const auto config = resolve_config(name, {}).to_json();
    for (const char* group : {"sm", "l1", "llc", "walker", "uvm"}) {
      INFO(group);
      CHECK(nlohmann::json::diff(config.at(group), ideal.at(group)).dump() == "[]");
    }
    for (const char* parameter : {"line_bytes", "page_bytes", "sms"}) {
      CHECK(config.at("system").at(parameter) == ideal.at("system").at(parameter));
    }
  }
}

TEST_CASE("LADM's presets have the same memory and L2 in total") {
  for (const std::string& name : kPresets) {
    INFO(name);
    const GpuConfig c = resolve_config(name, {}).gpu;
    CHECK(memory_bandwidth(c) == about(2880));
    CHECK(c.system.slices() == 256);
    CHECK(c.system.channel_bytes * c.system.channels == std::uint64_t{16} << 30);
    CHECK(closed_row_ns(c.dram) == Approx(100));
    // Activations per second of all banks.
    CHECK(static_cast<double>(c.dram.clock_hz) / c.dram.t_rc * c.dram.banks * c.system.channels ==
          Approx(1.4e9 / 66 * 64 * 16));
  }
}

TEST_CASE("links of LADM's presets have the bandwidths of their names") {
  const auto fabric = [](const std::string& name) {
    return resolve_config(name, {}).gpu.fabric.bandwidth();
  };
  // Both directions.
  const auto ring = [](const std::string& name) {
    const GpuConfig c = resolve_config(name, {}).gpu;
    return 2 * c.ring.ring.bandwidth(c.ring.ports);
  };
  CHECK(fabric("numa-4x4") == about(180));
  CHECK(ring("numa-4x4") == about(720));
  for (const auto& [name, gb_per_s] :
       std::map<std::string, double>{{"90", 90}, {"180", 180}, {"360", 360}}) {
    CHECK(fabric("ladm-xbar-" + name) == about(gb_per_s));
    CHECK(fabric("ladm-xbar-" + name + "-small") == about(gb_per_s / 16));
    // An engine's message a cycle must not limit the link.
    const GpuConfig c = resolve_config("ladm-xbar-" + name, {}).gpu;
    CHECK(static_cast<double>(c.rdma.clock_hz) * c.system.line_bytes >= 0.99 * gb_per_s * 1e9);
  }
  CHECK(ring("ladm-ring-1.4") == Approx(1.4e12).epsilon(0.03));
  CHECK(ring("ladm-ring-2.8") == Approx(2.8e12).epsilon(0.03));
  CHECK(ring("ladm-ring-1.4-small") == Approx(1.4e12 / 16).epsilon(0.03));
  CHECK(ring("ladm-ring-2.8-small") == Approx(2.8e12 / 16).epsilon(0.03));
}

}  // namespace tessera::ladm_presets_test
