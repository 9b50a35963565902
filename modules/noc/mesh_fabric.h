// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tlm>
#include <vector>

#include "modules/kernel/waiting.h"
#include "modules/noc/mesh_config.h"
#include "modules/noc/mesh_state.h"
#include "modules/noc/noc_stats.h"
#include "modules/noc/switch_fabric.h"
#include "modules/noc/work_wheel.h"

namespace tessera {

/// One direction of a 2D mesh of routers with wormhole switching, virtual channels (VCs) and
/// credits. Plain C++ with time in cycles; the owner converts time, schedules process() and
/// implements the TLM handshakes. A router without flits, and a router that waits for credits, is
/// not processed.
///
/// XY routing. A packet keeps its VC, (ingress + egress) modulo `vcs`, on its whole route, so that
/// packets of one ingress to one egress stay in order. A packet holds the VC of a router output
/// from its head's allocation to the departure of its tail.
///
/// Timing contract (R = router_latency, L = link_latency, C = credit_latency, n = a packet's
/// flits, d = routers that it passes):
/// * The ingress link carries one flit a cycle: flit k of a packet that arrives in cycle a is in
///   the router's buffer in cycle a + k + 1.
/// * A flit in a buffer since cycle t takes part in switch allocation from t + R - 2 on. A head
///   takes part in VC allocation from t + R - 3 on, and in switch allocation from the cycle after
///   its VC allocation on. A VC can be allocated again in the cycle after the switch allocation of
///   its tail, so that a packet occupies a VC of a link for n + 1 cycles at least.
/// * Allocation is one iteration of iSLIP (McKeown 1999). Each output VC grants one of the input
///   VCs whose heads request it. Each output grants one of the input VCs with a flit and a credit
///   for it, and each input port accepts one of its grants. Grants and accepts are round-robin;
///   pointers move only if a grant is accepted.
/// * A flit that wins switch allocation in cycle c is in the next router's buffer in cycle
///   c + 2 + L. Its buffer entry can be used by the upstream router's switch allocation from c + C
///   on.
/// * The egress buffer of a VC has `vc_flits` entries, too. Its flits leave it on arrival, except
///   the tail of a packet that the receiver does not accept yet, and the flits after this tail.
/// * A packet is delivered when its tail has arrived at the egress. The zero-load latency is
///   d (R + L) + n cycles if `vc_flits` covers the way of a flit and its credit, R + L + C.
/// * The result of cycle c depends on arrivals and on exits freed up to c, not on the order of
///   calls: routers affect each other after one cycle or more.
///
/// Freedom from deadlock: XY routing has no cyclic dependence of channels, and an egress accepts
/// packets eventually, because requests and responses have separate meshes.
class MeshFabric {
 public:
  using Config = MeshConfig;
  using Packet = NetworkPacket;
  using Client = SwitchFabric::Client;
  struct Shape {
    MeshLayout layout;
    std::uint32_t vcs = 1;
    std::uint32_t vc_flits = 8;
    std::uint32_t router_latency = 4;
    std::uint32_t link_latency = 1;
    std::uint32_t credit_latency = 2;
  };
  static Shape shape_of(const Config& c, unsigned entries, unsigned exits, NocDirection towards);

  MeshFabric(Shape shape, Client& client, NocStats& stats);
  MeshFabric(const MeshFabric&) = delete;
  MeshFabric& operator=(const MeshFabric&) = delete;

  /// See SwitchFabric::inject(). Returns true if the ingress buffer has room for the packet's tail,
  /// false if flits wait at the entry until entered().
  bool inject(Cycle current, unsigned entry, unsigned exit, tlm::tlm_generic_payload& payload,
              std::uint32_t bytes, std::uint32_t flits, Cycle arrival, bool counted = true);
  /// The cycle at which the tail of the entry's last packet has arrived.
  Cycle entry_free(unsigned entry) const { return entries_[entry].free_at; }
  /// The exit accepts packets again from cycle `at` (not before `current`).
  void exit_ready(Cycle current, unsigned exit, Cycle at);
  void process(Cycle cycle);
  /// The earliest cycle with scheduled work; kNever if there is none.
  Cycle next() const { return wheel_.next(); }

  Cycle zero_load_latency(std::uint32_t flits, unsigned entry, unsigned exit) const {
    return Cycle{hops(entries_[entry].router, exits_[exit].router)} * hop_ + flits;
  }
  bool empty() const { return live_ == 0; }
  /// One entry per buffer with flits: its router, port and VC, and the packet at its front.
  void describe_waiting(const std::string& name, std::vector<Waiting>& out) const;
  /// Drops all packets and calls `drop` with each payload.
  template <class F>
  void reset(F&& drop) {
    for (const MeshPacket& p : packets_) {
      if (p.payload != nullptr) drop(*p.payload);
    }
    clear();
  }

 private:
  /// Directions of links between routers; ports of nodes follow. The link to the east of a router
  /// ends at the western input of its neighbour.
  enum Port : unsigned { kEast, kWest, kSouth, kNorth, kDirections };
  static constexpr unsigned kMostPorts = kDirections + 8;  ///< MeshConfig: concentration
  static constexpr unsigned kMostVcs = 4;
  /// Kinds of work, in the order in which a pass serves them.
  enum Work : unsigned { kEject, kRoute, kWorkKinds };
  using Slot = MeshSlot;
  using Buffer = MeshBuffer;
  using Router = MeshRouter;

  void build();
  void clear();
  void add_buffers(std::uint32_t source, std::uint32_t sink, std::uint32_t first_input);
  /// Routers that a packet passes.
  std::uint32_t hops(std::uint32_t from, std::uint32_t to) const {
    const auto apart = [](std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; };
    const Router& a = routers_[from];
    const Router& b = routers_[to];
    return 1 + apart(a.x, b.x) + apart(a.y, b.y);
  }
  std::uint32_t new_packet();
  void drop_packet(std::uint32_t index);
  template <class Queue>
  void append(Queue& queue, std::uint32_t index);

  Slot& slot(std::uint32_t buffer, std::uint32_t position) {
    return slots_[(std::size_t{buffer} << slot_bits_) + position];
  }
  std::uint32_t wrapped(std::uint32_t position) const {
    return position >= capacity_ ? position - capacity_ : position;
  }
  Slot& front(std::uint32_t index) { return slot(index, buffers_[index].head); }
  /// Adds a flit to the next free entry.
  void push_slot(std::uint32_t index, const Slot& flit) {
    Buffer& b = buffers_[index];
    std::uint32_t position = wrapped(std::uint32_t{b.head} + b.count);
    slot(index, position) = flit;
    ++b.count;
    position = wrapped(position + 1);
    b.credit = b.count == capacity_ ? kNever : slot(index, position).time;
  }
  /// Removes the flit at the front; its entry can be used from `free` on.
  void pop_slot(std::uint32_t index, Cycle free) {
    Buffer& b = buffers_[index];
    front(index).time = free;
    if (b.count == capacity_) b.credit = free;
    b.head = static_cast<std::uint16_t>(wrapped(b.head + 1U));
    --b.count;
  }
  void wake(std::uint32_t router, Cycle cycle) { wheel_.due(kRoute, router, cycle); }

  /// Sends flits of an entry's first packet. Returns true, and dequeues it, if all are sent.
  bool send_from_entry(unsigned entry);
  void refill(unsigned entry);
  /// Adds a flit to a router's buffer.
  void push(std::uint32_t index, Slot flit);
  void push_to_exit(std::uint32_t index, Slot flit, Cycle cycle);
  /// Computes the route of the packet at the front.
  void route(Buffer& b, std::uint32_t packet);
  void wake_upstream(Buffer& b, Cycle cycle);
  void step(std::uint32_t router, Cycle cycle);
  /// Grants and accepts of the outputs with requests.
  void allocate_switch(Router& router, std::uint64_t outputs, Cycle cycle);
  void traverse(Router& router, unsigned input, Cycle cycle);
  void eject(std::uint32_t exit, Cycle cycle);

  /// "router7.west.vc0": a buffer of a router, by the side from which it is fed.
  std::string name_of(const Buffer& b) const;
  /// "packet ingress 3 -> egress 9, flit 2 of 5: ..."
  WaitKind kind_of_wait(std::uint32_t buffer) const;
  std::string waits_for(std::uint32_t buffer) const;

  const Shape shape_;
  Client& client_;
  NocStats& stats_;
  const unsigned vcs_;
  const std::uint32_t capacity_;
  unsigned slot_bits_ = 0;  ///< log2 of the distance of buffers in slots_
  const Cycle hop_;         ///< of a flit: from switch allocation to switch allocation
  const Cycle ingress_;     ///< from the ingress link to switch allocation
  const Cycle egress_;      ///< from switch allocation to the egress
  const Cycle credit_;

  std::vector<Router> routers_;
  std::vector<MeshOutput> outputs_;
  std::vector<std::uint8_t> accepted_;  ///< [input port]: VC, switch allocation pointer
  std::vector<Buffer> buffers_;         ///< of all routers, then of the exits
  std::vector<Slot> slots_;
  std::vector<MeshEntry> entries_;
  std::vector<MeshExit> exits_;
  std::vector<MeshPacket> packets_;
  std::vector<std::uint32_t> free_packets_;
  std::size_t live_ = 0;
  std::array<std::uint8_t, 64> port_of_{};  ///< [input VC of a router]
  std::array<std::uint8_t, 64> vc_of_{};
  /// Requests in the present step, all 0 between steps: input VCs by output VC and by output.
  std::array<std::uint64_t, kMostPorts * kMostVcs> vc_requests_{};
  std::array<std::uint64_t, kMostPorts> switch_requests_{};
  WorkWheel<kWorkKinds> wheel_;
};

}  // namespace tessera
