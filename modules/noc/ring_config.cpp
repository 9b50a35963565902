// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/ring_config.h"

#include "modules/kernel/time.h"

namespace tessera {

namespace {

constexpr std::uint32_t kMostNodes = 64;
constexpr std::uint32_t kMostRingLatency = 10'000;
constexpr std::uint32_t kMostRingPackets = 65'535;

}  // namespace

double RingConfig::uniform_bandwidth(std::uint32_t nodes) const {
  // Clockwise segments used by a node's packets, one to each node at a distance of 1 to nodes / 2.
  const std::uint32_t furthest = nodes / 2;
  const double segments = furthest * (furthest + 1) / 2.0;
  return bandwidth(nodes) * (nodes - 1) / segments;
}

std::vector<std::string> RingConfig::validate() const {
  std::vector<std::string> errors;
  const auto range = [&errors](const char* name, std::uint64_t value, std::uint64_t least,
                               std::uint64_t most) {
    if (value >= least && value <= most) return;
    errors.push_back(std::string(name) + " is " + std::to_string(value) + ": " +
                     std::to_string(least) + " to " + std::to_string(most) + " expected");
  };
  range("clock_hz", clock_hz, 1, kTicksPerSecond);
  range("link_bytes", link_bytes, 1, 4096);
  range("hop_latency", hop_latency, 1, kMostRingLatency);
  range("buffer_packets", buffer_packets, 2, kMostRingPackets);
  range("header_bytes", header_bytes, 1, 1024);
  return errors;
}

std::vector<std::string> RingConfig::validate(std::uint32_t entries, std::uint32_t exits) const {
  std::vector<std::string> errors = validate();
  if (entries != exits || entries < 2 || entries > kMostNodes) {
    errors.push_back(std::to_string(entries) + " ingress and " + std::to_string(exits) +
                     " egress ports: a ring has one of each at a node, and 2 to " +
                     std::to_string(kMostNodes) + " nodes");
  }
  return errors;
}

void describe(ParameterVisitor& v, RingConfig& c) {
  v.integer("clock_hz", c.clock_hz, "Hz", "clock of nodes and segments (LADM Table III: 1.4 GHz)",
            1, kTicksPerSecond);
  v.integer("link_bytes", c.link_bytes, "byte/cycle",
            "width of a segment, each direction (LADM Table III: 720 GB/s over 16 rings = 16 B)", 1,
            4096);
  v.integer("hop_latency", c.hop_latency, "cycle",
            "a packet head's way from a node's input to the next node's (not published)", 1,
            kMostRingLatency);
  v.integer("buffer_packets", c.buffer_packets, "packet",
            "buffer of a node for each direction, and for what enters and leaves (not published)",
            2, kMostRingPackets);
  v.integer("header_bytes", c.header_bytes, "byte", "address and control of every packet (ours)", 1,
            1024);
  v.text("arbitration", c.arbitration.name,
         "which buffer of a node a segment or an exit serves (ours)", policy_names<Arbiter>());
}

}  // namespace tessera
