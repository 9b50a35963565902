// SPDX-License-Identifier: Apache-2.0
#pragma once

// A MeshFabric without TLM: packets that are sent, and packets that have been delivered.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "modules/noc/mesh_fabric.h"
#include "tests/modules/noc/switch_rig.h"

namespace tessera::test {

/// A mesh of width x height routers with a node at each, or `concentration` nodes.
inline MeshConfig mesh_of(std::uint32_t width, std::uint32_t height) {
  MeshConfig c;
  c.width = width;
  c.height = height;
  c.shared_nodes = true;
  return c;
}

inline unsigned nodes_of(const MeshConfig& c) { return c.width * c.height * c.concentration; }

/// Drives a fabric as DuplexNetwork does: stops only where the fabric has work.
class MeshRig final : public MeshFabric::Client {
 public:
  explicit MeshRig(const MeshConfig& config)
      : MeshRig(config, nodes_of(config), nodes_of(config)) {}
  MeshRig(const MeshConfig& config, unsigned entries, unsigned exits)
      : stats(exits),
        fabric(MeshFabric::shape_of(config, entries, exits, NocDirection::kRequests), *this, stats),
        closed_(exits, 0) {
    const std::vector<std::string> errors = config.validate(entries, exits);
    CAPTURE(errors);
    REQUIRE(errors.empty());
  }

  std::size_t send(const SentPacket& s) {
    payloads_.push_back(std::make_unique<tlm::tlm_generic_payload>());
    payloads_.back()->set_address(sent.size());
    sent.push_back(s);
    if (fabric.inject(now, s.entry, s.exit, *payloads_.back(), s.flits * 32, s.flits, s.arrival)) {
      ++in_mesh;
    } else {
      ++at_entry;
    }
    return sent.size() - 1;
  }
  /// The exit takes nothing that would be sent before `until`.
  void close(unsigned exit, Cycle until) { closed_[exit] = until; }
  void open(unsigned exit) {
    closed_[exit] = 0;
    fabric.exit_ready(now, exit, now);
  }
  void run(Cycle until) {
    for (Cycle next = fabric.next(); next <= until; next = fabric.next()) {
      REQUIRE(next >= now);
      now = next;
      fabric.process(now);
      ++passes;
    }
    now = std::max(now, until);
  }
  bool deliver(unsigned exit, const NetworkPacket& p, Cycle cycle) override {
    if (closed_[exit] > cycle) {
      if (closed_[exit] != kNever) fabric.exit_ready(cycle, exit, closed_[exit]);
      return false;
    }
    got.push_back({static_cast<std::size_t>(p.payload->get_address()), exit, cycle + 1});
    return true;
  }
  void entered(unsigned, bool) override {
    --at_entry;
    ++in_mesh;
  }
  Cycle tail_of(std::size_t packet) const {
    for (const DeliveredPacket& g : got) {
      if (g.packet == packet) return g.tail;
    }
    return kNever;
  }

  NocStats stats;
  MeshFabric fabric;
  Cycle now = 0;
  std::vector<SentPacket> sent;
  std::vector<DeliveredPacket> got;
  std::size_t at_entry = 0;
  std::size_t in_mesh = 0;
  std::size_t passes = 0;

 private:
  std::vector<Cycle> closed_;
  std::vector<std::unique_ptr<tlm::tlm_generic_payload>> payloads_;
};

/// In the order of their tails, and of the exits in a cycle.
inline std::vector<DeliveredPacket> in_order(std::vector<DeliveredPacket> got) {
  std::sort(got.begin(), got.end(), [](const DeliveredPacket& a, const DeliveredPacket& b) {
    return a.tail != b.tail ? a.tail < b.tail : a.exit < b.exit;
  });
  return got;
}

}  // namespace tessera::test
