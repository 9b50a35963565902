// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "modules/core/bounded_queue.h"
#include "modules/core/timed_queue.h"
#include "modules/noc/noc_stats.h"
#include "modules/noc/ring_config.h"
#include "modules/noc/switch_fabric.h"

namespace tessera {

/// One direction of traffic (requests, or answers) on a bidirectional ring of nodes, each with an
/// entry and an exit. Plain C++, in cycles; its owner converts time, wakes it and speaks TLM.
///
/// A packet goes the shorter way round, clockwise (to the next higher node) where both are as long.
///
/// Timing contract (L = hop_latency, n = a packet's flits = cycles on a segment):
/// * A packet whose head is at a node at cycle c, is first in its buffer, wins the segment, and for
///   which the next node's buffer has room, leaves at c. The segment is then busy until c + n, the
///   buffer's next head may leave at c + n, and the head is at the next node at c + L.
/// * At its node it leaves by the exit link, which is busy for n cycles, and is delivered when its
///   tail is there: a lone packet's latency is hops * L + n.
/// * Segments serve transit and the node's own packets in turns, exit links the three buffers that
///   lead to them. Buffers are first in, first out, of `buffer_packets` each; room that is given
///   back in a cycle is there in the next.
///
/// Free of deadlock: a packet enters a direction of the ring only where the next node's buffer has
/// room for two (bubble flow control). Some buffer of that direction therefore always has room, and
/// the packets before it move on; packets that have arrived wait for nothing but their exit, which
/// always takes them in the end.
class RingFabric {
 public:
  using Config = RingConfig;
  using Packet = SwitchFabric::Packet;
  using Client = SwitchFabric::Client;
  struct Shape {
    std::uint32_t nodes = 2;
    std::uint32_t hop_latency = 1;
    std::uint32_t buffer_packets = 2;
  };
  static Shape shape_of(const Config& c, unsigned entries, unsigned) {
    return {entries, c.hop_latency, c.buffer_packets};
  }

  RingFabric(const Shape& shape, Client& client, NocStats& stats);
  RingFabric(const RingFabric&) = delete;
  RingFabric& operator=(const RingFabric&) = delete;

  /// As SwitchFabric's. true: it stands in the node's buffer.
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
  /// Drops all packets; `drop` is called with each payload.
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
    Cycle ready = 0;        ///< of the head: not before the last one's tail has left
    Cycle freed_cycle = 0;  ///< the cycle in which `freed` packets have left
    std::uint32_t freed = 0;
  };
  struct OutputLink {
    Cycle free_at = 0;
    Cycle blocked_since = kNever;
    unsigned last = 0;  ///< the input served last
  };
  struct Node {
    explicit Node(std::uint32_t capacity)
        : transit{Fifo(capacity), Fifo(capacity)},
          own{Fifo(capacity), Fifo(capacity)},
          exit(capacity) {}
    std::array<Fifo, kWays> transit;  ///< came from the neighbour
    std::array<Fifo, kWays> own;      ///< are to leave by that way, or by the exit
    std::array<OutputLink, kWays> segment;
    OutputLink exit_link;
    Fifo exit;
    Cycle deliver_at = kNever;   ///< when the exit's head is offered next
    TimedQueue<Packet> waiting;  ///< at the entry, for room in `own`; all due at 0
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
  /// Takes the head, whose tail leaves at `free`.
  Packet pop(Fifo& fifo, Cycle cycle, Cycle free);

  void leave(unsigned node, Cycle cycle);
  void deliver(unsigned node, Cycle cycle);
  void go_on(unsigned node, Way way, Cycle cycle);
  void refill(unsigned node, Cycle cycle);
  void find_next(Cycle cycle);
  /// Of a head that is there and waits for a link.
  void consider(const Fifo& fifo, const OutputLink& link, Cycle cycle);
  void clear();
  void add_nodes(std::size_t n);

  Client& client_;
  NocStats& stats_;
  const std::uint32_t latency_;
  const std::uint32_t capacity_;
  std::vector<Node> nodes_;
  std::size_t live_ = 0;
  bool moved_ = false;  ///< a packet has left a buffer in this cycle
  Cycle next_ = kNever;
};

}  // namespace tessera
