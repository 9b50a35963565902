// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "modules/kernel/bounded_queue.h"
#include "modules/kernel/timed_queue.h"
#include "modules/noc/noc_stats.h"
#include "modules/noc/ring_config.h"
#include "modules/noc/switch_fabric.h"

namespace tessera {

/// Requests or responses on a bidirectional ring of nodes, each with an entry and an exit. Plain
/// C++ with time in cycles; the owner converts time, schedules process() and implements the TLM
/// handshakes.
///
/// A packet takes the shorter direction, or clockwise (to the next higher node) if both are equal.
///
/// Timing contract (L = hop_latency, n = a packet's flits = cycles on a segment):
/// * A packet leaves a node at cycle c if its head is at the node at c and first in its buffer, it
///   wins the segment's arbitration, and the next node's buffer has a free entry. The segment is
///   then busy until c + n, the buffer's next head can leave at c + n, and the head is at the next
///   node at c + L.
/// * At its destination a packet leaves through the exit link, which is busy for n cycles. It is
///   delivered when its tail has arrived. The zero-load latency of a packet is hops * L + n.
/// * Segments arbitrate (Arbiter) between transit packets and the node's own packets, exit links
///   between the three buffers that lead to them. Buffers are first in, first out, with
///   `buffer_packets` entries each. An entry that is freed in a cycle is available in the next one.
///
/// Freedom from deadlock: a packet enters a direction of the ring only if the next node's buffer
/// has two free entries (bubble flow control). Some buffer of that direction therefore always has a
/// free entry, and the packets before it advance. Packets at their destination wait only for their
/// exit, which accepts them eventually.
class RingFabric {
 public:
  using Config = RingConfig;
  using Packet = SwitchFabric::Packet;
  using Client = SwitchFabric::Client;
  struct Shape {
    std::uint32_t nodes = 2;
    std::uint32_t hop_latency = 1;
    std::uint32_t buffer_packets = 2;
    PolicyChoice<Arbiter> arbitration = {"round-robin", {}};
  };
  static Shape shape_of(const Config& c, unsigned entries, unsigned, NocDirection) {
    return {entries, c.hop_latency, c.buffer_packets, c.arbitration};
  }

  RingFabric(const Shape& shape, Client& client, NocStats& stats);
  RingFabric(const RingFabric&) = delete;
  RingFabric& operator=(const RingFabric&) = delete;

  /// See SwitchFabric::inject(). Returns true if the packet enters the node's buffer.
  bool inject(Cycle current, unsigned entry, unsigned exit, tlm::tlm_generic_payload& payload,
              std::uint32_t bytes, std::uint32_t flits, Cycle arrival, bool counted = true);
  Cycle entry_free(unsigned entry) const { return nodes_[entry].entry_free_at; }
  void exit_ready(Cycle current, unsigned exit, Cycle at);
  void process(Cycle cycle);
  Cycle next() const { return next_; }

  unsigned hops(unsigned from, unsigned to) const;
  Cycle zero_load_latency(std::uint32_t flits, unsigned entry, unsigned exit) const {
    return Cycle{hops(entry, exit)} * latency_ + flits;
  }
  bool empty() const { return live_ == 0; }
  void describe_waiting(const std::string& name, std::vector<Waiting>& out) const;
  /// Drops all packets and calls `drop` with each payload.
  template <class F>
  void reset(F&& drop) {
    const auto drain = [&drop](auto& packets) {
      while (!packets.empty()) drop(*packets.pop().payload);
    };
    for (Node& node : nodes_) {
      for (unsigned w = 0; w < kWays; ++w) {
        drain(node.transit[w].packets);
        drain(node.own[w].packets);
      }
      drain(node.exit.packets);
      drain(node.waiting);
    }
    clear();
  }

 private:
  enum Way : unsigned { kClockwise, kCounter, kWays };
  struct Fifo {
    explicit Fifo(std::uint32_t capacity) : packets(capacity) {}
    BoundedQueue<Packet> packets;
    Cycle ready = 0;        ///< earliest departure of the head, after the last packet's tail
    Cycle freed_cycle = 0;  ///< the cycle in which `freed` packets left
    std::uint32_t freed = 0;
  };
  struct OutputLink {
    Cycle free_at = 0;
    Cycle blocked_since = kNever;
    unsigned last = 0;  ///< input served last
  };
  struct Node {
    explicit Node(std::uint32_t capacity)
        : transit{Fifo(capacity), Fifo(capacity)},
          own{Fifo(capacity), Fifo(capacity)},
          exit(capacity) {}
    std::array<Fifo, kWays> transit;  ///< packets from the adjacent node
    std::array<Fifo, kWays> own;      ///< packets from the entry
    std::array<OutputLink, kWays> segment;
    OutputLink exit_link;
    Fifo exit;
    Cycle deliver_at = kNever;   ///< next delivery of the exit's head
    TimedQueue<Packet> waiting;  ///< packets at the entry that wait for `own`; all due at 0
    Cycle entry_free_at = 0;
  };

  Way way(unsigned from, unsigned to) const {
    return 2 * ((to + nodes_.size() - from) % nodes_.size()) <= nodes_.size() ? kClockwise
                                                                              : kCounter;
  }
  unsigned neighbour(unsigned node, unsigned way) const {
    const auto n = static_cast<unsigned>(nodes_.size());
    return way == kClockwise ? (node + 1) % n : (node + n - 1) % n;
  }
  std::uint32_t room(const Fifo& fifo, Cycle cycle) const {
    const std::uint32_t leaving = fifo.freed_cycle == cycle ? fifo.freed : 0;
    const std::uint32_t used = static_cast<std::uint32_t>(fifo.packets.size()) + leaving;
    return used >= capacity_ ? 0 : capacity_ - used;
  }
  void push(Fifo& fifo, const Packet& packet);
  /// Dequeues the head; its tail leaves at `free`.
  Packet pop(Fifo& fifo, Cycle cycle, Cycle free);

  /// The one of several buffers whose head goes; `ready`: a bit for each that competes.
  template <std::size_t n>
  unsigned arbitrate(const std::array<Fifo*, n>& inputs, std::uint64_t ready,
                     const OutputLink& link, Cycle cycle) const;
  void leave(unsigned node, Cycle cycle);
  void deliver(unsigned node, Cycle cycle);
  void go_on(unsigned node, Way way, Cycle cycle);
  void refill(unsigned node, Cycle cycle);
  void find_next(Cycle cycle);
  /// Updates next_ for a head that waits for a link.
  void consider(const Fifo& fifo, const OutputLink& link, Cycle cycle);
  void clear();
  void add_nodes(std::size_t n);

  Client& client_;
  NocStats& stats_;
  const std::uint32_t latency_;
  const std::uint32_t capacity_;
  const std::unique_ptr<const Arbiter> arbiter_;
  std::vector<Node> nodes_;
  std::size_t live_ = 0;
  bool moved_ = false;  ///< a packet has left a buffer in this cycle
  Cycle next_ = kNever;
};

}  // namespace tessera
