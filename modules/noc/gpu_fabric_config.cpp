// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/gpu_fabric_config.h"

#include "modules/kernel/configuration_errors.h"
#include "modules/kernel/time.h"

namespace tessera {
namespace {

constexpr std::uint32_t kMostFlitBytes = 4096;
constexpr std::uint64_t kMostLatency = 1'000'000;
constexpr std::uint32_t kMostPackets = 65'535;

}  // namespace

std::uint64_t GpuFabricConfig::latency_cycles() const {
  return ClockDomain(clock_hz).cycle_from(latency_ns * kTicksPerNs);
}

std::vector<std::string> GpuFabricConfig::validate() const {
  std::vector<std::string> errors;
  require_from_one(errors, "clock_hz", clock_hz, kTicksPerSecond);
  require_from_one(errors, "flit_bytes", flit_bytes, kMostFlitBytes);
  require_from_one(errors, "latency_ns", latency_ns, kMostLatency);
  require_from_one(errors, "port_packets", port_packets, kMostPackets);
  require_from_one(errors, "switch_packets", switch_packets, kMostPackets);
  return errors;
}

std::vector<std::string> GpuFabricConfig::validate(unsigned gpus) const {
  std::vector<std::string> errors = validate();
  if (gpus < 2 || gpus > kMostGpus) {
    errors.push_back(std::to_string(gpus) + " GPUs: 2 to " + std::to_string(kMostGpus) +
                     " expected");
  }
  return errors;
}

void describe(ParameterVisitor& v, GpuFabricConfig& c) {
  v.integer("clock_hz", c.clock_hz, "Hz",
            "Clock of links and switch (ours: 16 B at 4 GHz are the 64 GB/s of DualOpt Table 1)", 1,
            kTicksPerSecond);
  v.integer("flit_bytes", c.flit_bytes, "byte/cycle",
            "Flit of the links: width of each direction (DualOpt Table 1: 16 B)", 1,
            kMostFlitBytes);
  v.integer("latency_ns", c.latency_ns, "ns",
            "A packet head's way over its GPU's link and through the switch (MGPUSim, which "
            "DualOpt used: 140 cycles of 1 GHz a switch)",
            1, kMostLatency);
  v.integer("port_packets", c.port_packets, "packet",
            "Packets of one class that wait in front of a GPU's link (MGPUSim: 64)", 1,
            kMostPackets);
  v.integer("switch_packets", c.switch_packets, "packet",
            "Packets of one source and class in the switch, beyond two for each cycle of latency "
            "(ours)",
            1, kMostPackets);
}

}  // namespace tessera
