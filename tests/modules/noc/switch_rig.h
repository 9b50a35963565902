// SPDX-License-Identifier: Apache-2.0
#pragma once

// A SwitchFabric without TLM: packets that are sent, and packets that have been delivered.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <ostream>
#include <vector>

#include "modules/noc/switch_fabric.h"

namespace tessera::test {

struct SentPacket {
  unsigned entry, exit, flits;
  Cycle arrival;
};
struct DeliveredPacket {
  std::size_t packet;  ///< number in the order of sending
  unsigned exit;
  Cycle tail;
  bool operator==(const DeliveredPacket& o) const {
    return packet == o.packet && exit == o.exit && tail == o.tail;
  }
  friend std::ostream& operator<<(std::ostream& out, const DeliveredPacket& g) {
    return out << "packet " << g.packet << " at exit " << g.exit << ", tail at " << g.tail;
  }
};

/// Drives a fabric as DuplexNetwork does: stops only where the fabric asks for it.
class SwitchRig final : public SwitchFabric::Client {
 public:
  explicit SwitchRig(const SwitchFabric::Shape& shape)
      : shape_(shape),
        stats(shape.exits),
        fabric(shape, *this, stats),
        waiting(shape.entries, 0),
        closed_(shape.exits, 0) {}

  std::size_t send(const SentPacket& s) {
    payloads_.push_back(std::make_unique<tlm::tlm_generic_payload>());
    payloads_.back()->set_address(payloads_.size() - 1);
    sent.push_back(s);
    if (fabric.inject(now, s.entry, s.exit, *payloads_.back(), s.flits * 16, s.flits, s.arrival)) {
      ++in_switch;
    } else {
      ++at_entry;
      ++waiting[s.entry];
    }
    return sent.size() - 1;
  }
  /// The exit takes nothing that would be sent before `until`.
  void close(unsigned exit, Cycle until) { closed_[exit] = until; }
  void run(Cycle until) {
    for (Cycle next = fabric.next(); next <= until; next = fabric.next()) {
      REQUIRE(next >= now);
      now = next;
      fabric.process(now);
      ++passes;
    }
    now = std::max(now, until);
  }
  bool deliver(unsigned exit, const SwitchFabric::Packet& p, Cycle cycle) override {
    if (closed_[exit] > cycle) {
      if (closed_[exit] != kNever) fabric.exit_ready(cycle, exit, closed_[exit]);
      return false;
    }
    got.push_back({static_cast<std::size_t>(p.payload->get_address()), exit, cycle + 1});
    if (on_deliver) on_deliver(exit, cycle);
    return true;
  }
  void entered(unsigned entry, bool) override {
    --at_entry;
    --waiting[entry];
    ++in_switch;
  }
  void open(unsigned exit) {
    closed_[exit] = 0;
    fabric.exit_ready(now, exit, now);
  }
  Cycle tail_of(std::size_t packet) const {
    for (const DeliveredPacket& g : got) {
      if (g.packet == packet) return g.tail;
    }
    return kNever;
  }

  const SwitchFabric::Shape shape_;
  NocStats stats;
  SwitchFabric fabric;
  Cycle now = 0;
  std::vector<SentPacket> sent;
  std::vector<DeliveredPacket> got;
  std::size_t at_entry = 0;
  std::size_t in_switch = 0;
  std::vector<unsigned> waiting;  ///< by entry
  std::size_t passes = 0;
  std::function<void(unsigned, Cycle)> on_deliver;

 private:
  std::vector<Cycle> closed_;
  std::vector<std::unique_ptr<tlm::tlm_generic_payload>> payloads_;
};

inline SwitchFabric::Shape switch_shape(unsigned entries, unsigned exits) {
  SwitchFabric::Shape s;
  s.entries = entries;
  s.exits = exits;
  return s;
}

}  // namespace tessera::test
