// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <string>
#include <systemc>
#include <unordered_map>
#include <utility>
#include <vector>

#include "modules/kernel/block_base.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/stats.h"
#include "modules/protocol/holds_bytes.h"
#include "modules/umh/coherence_config.h"
#include "modules/umh/coherence_port.h"
#include "modules/umh/coherence_site.h"

namespace tessera {
struct CoherenceLinkSite;
}

namespace tessera::umh {

struct CoherenceLinkStats {
  std::array<Counter, kMessageTypes> messages{};  ///< by MessageType
  std::array<Counter, kMessageTypes> bytes{};
  CreditStalls stalls_credit{};
  Counter peer_bytes = 0;
  BandwidthSeries bandwidth;
};

void describe(StatisticsVisitor& v, CoherenceLinkStats& s);

/// The network between the SMDs of all devices and the HMDs (UMH Table III): each device has a link
/// to the host with two directions, or all devices share one. A directory can belong to a device,
/// too (CoherenceLinkEnds::device_of_parent).
///
/// Timing: a message from a device takes the direction to the host, a message to a device the other
/// one, and a message between devices both, as virtual cut-through: it enters the second direction
/// `latency_ns` after it entered the first. A message of n bytes occupies a direction for
/// ceil(n / bytes_per_cycle) cycles, from a clock edge on, and arrives `latency_ns` after the last
/// of them. A free direction serves its classes in turn; a class is served in order of arrival, and
/// only if the next queue has an entry. A message that finds no entry of the receiver waits at the
/// end of the wire. Each class has queues and credits of its own.
///
/// Not modelled: packets and their headers, errors, a limit on the host's internal paths.
class CoherenceLink final
    : public BlockBase<CoherenceLinkConfig, CoherenceLinkStats, CoherenceLinkSite>,
      public HoldsBytes {
 public:
  sc_core::sc_vector<CoherenceInitiatorSocket> parents;
  sc_core::sc_vector<CoherenceTargetSocket> children;

  CoherenceLink(const sc_core::sc_module_name& name, const CoherenceLinkConfig& config,
                const CoherenceLinkEnds& ends);

  void overlay(std::uint64_t address, unsigned char* bytes) override;
  void replace(std::uint64_t address, const unsigned char* bytes, const ByteMask& mask) override;
  void use(Backdoor&) override {}
  bool idle() const override { return messages_.empty(); }
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;

 private:
  struct Item {
    CoherenceMessage message;
    unsigned from = 0;      ///< socket
    unsigned to = 0;        ///< socket
    bool first = true;      ///< the first direction on its way
    bool arriving = false;  ///< in End::arriving
  };
  using ItemId = std::list<Item>::iterator;
  /// One socket.
  struct End final : CoherenceForwardIf, CoherenceBackwardIf {
    End(CoherenceLink& of, unsigned number) : link(of), index(number) {}
    void deliver(CoherenceMessage&& message, Tick at) override;
    void return_credit(MessageClass message_class, Tick at) override;
    std::size_t entries() const override { return link.config_.entries; }
    CoherenceLink& link;
    const unsigned index;
    CoherenceIf* peer = nullptr;
    std::string peer_name;
    std::array<CoherenceCredits, kMessageClasses> credits;
    /// On the wire or at its end, without an entry of the receiver; due on arrival.
    std::array<TimedQueue<ItemId>, kMessageClasses> arriving;
  };
  /// One direction of a link.
  struct Direction {
    std::string name;
    std::array<TimedQueue<ItemId>, kMessageClasses> queues;
    /// Messages of devices in the queues. Those of the host are bounded by credits.
    std::array<std::size_t, kMessageClasses> of_devices{};
    Tick free_at = 0;
    std::size_t last = kMessageClasses - 1;  ///< class that was served last
    std::array<StallTracker, kMessageClasses> stalls;
  };

  void end_of_elaboration() override;
  void end_of_simulation() override;
  void process();
  void serve(Direction& d, Tick t);
  void transfer(Direction& d, std::size_t message_class, Tick t);
  void deliver_arriving(End& end, std::size_t message_class, Tick t);
  bool can_proceed(const Item& item, std::size_t message_class) const;
  bool leaves_for_device(const Item& item) const;
  bool on_device(unsigned socket) const;
  /// Of a socket on a device.
  unsigned link_of(unsigned socket) const;
  Direction& to_device(unsigned socket) { return directions_[2 * link_of(socket) + 1]; }
  const Direction& to_device(unsigned socket) const { return directions_[2 * link_of(socket) + 1]; }
  void schedule_next(Tick t);

  const CoherenceLinkEnds site_;
  const ClockDomain clock_;
  const Tick latency_;
  const std::size_t room_;  ///< of a queue at the end of a wire
  std::deque<End> ends_;
  std::unordered_map<std::uint16_t, unsigned> socket_of_;
  std::list<Item> messages_;
  std::deque<Direction> directions_;  ///< 2 i: link i to the host; 2 i + 1: to the devices
  ProcessTimer wake_;
};

}  // namespace tessera::umh
