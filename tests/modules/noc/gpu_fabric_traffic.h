// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random traffic through the fabric between GPUs, and receivers that stall.

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "tests/modules/noc/gpu_fabric_rig.h"

namespace tessera::test {

struct Sent {
  unsigned from, to, c;
  std::uint32_t bytes;
  Cycle at;  ///< earliest arrival
};

/// Bursts: half of a port's packets follow at once.
inline std::vector<Sent> random_traffic(std::uint64_t seed, unsigned gpus,
                                        unsigned packets_per_port) {
  std::mt19937_64 random(seed);
  std::vector<Sent> all;
  for (unsigned port = 0; port < gpus * kPacketClasses; ++port) {
    Cycle at = 100;
    for (unsigned i = 0; i < packets_per_port; ++i) {
      const unsigned from = port / kPacketClasses;
      const unsigned to = (from + 1 + static_cast<unsigned>(random() % (gpus - 1))) % gpus;
      all.push_back(
          {from, to, port % kPacketClasses, static_cast<std::uint32_t>(1 + random() % 150), at});
      at += 1 + (random() % 2 == 0 ? 0 : random() % 30);
    }
  }
  return all;
}

inline void send_all(FabricRig& rig, const std::vector<Sent>& all) {
  for (const Sent& s : all) rig.send(s.at, s.from, s.to, static_cast<PacketClass>(s.c), s.bytes);
}

/// What a stalling receiver does depends on its port's own draws only.
inline std::function<Tick(unsigned)> stalls(unsigned ports, Tick longest) {
  auto random = std::make_shared<std::vector<std::mt19937_64>>();
  for (unsigned p = 0; p < ports; ++p) random->emplace_back(p + 1);
  return [random, longest](unsigned port) {
    std::mt19937_64& r = (*random)[port];
    return r() % 3 == 0 ? r() % longest : 0;
  };
}

inline GpuFabricConfig tight() {
  GpuFabricConfig c;
  c.latency_ns = 5;
  c.port_packets = 2;
  c.switch_packets = 1;
  return c;
}

inline void check_same_arrivals(const FabricRig& one, const FabricRig& other) {
  for (unsigned port = 0; port < one.gpus * kPacketClasses; ++port) {
    const auto& a = one.sink->arrivals(port);
    const auto& b = other.sink->arrivals(port);
    REQUIRE(a.size() == b.size());
    CHECK(std::equal(a.begin(), a.end(), b.begin(),
                     [](const auto& x, const auto& y) { return x.id == y.id && x.at == y.at; }));
  }
}

}  // namespace tessera::test
