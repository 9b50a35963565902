// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/ring_fabric.h"

#include <algorithm>

namespace tessera {

RingFabric::RingFabric(const Shape& shape, Client& client, NocStats& stats)
    : client_(client),
      stats_(stats),
      latency_(shape.hop_latency),
      capacity_(shape.buffer_packets),
      arbiter_(shape.arbitration.make({3})) {
  add_nodes(shape.nodes);
}

void RingFabric::add_nodes(std::size_t n) {
  nodes_.reserve(n);
  while (nodes_.size() < n) nodes_.emplace_back(capacity_);
}

unsigned RingFabric::hops(unsigned from, unsigned to) const {
  const auto n = static_cast<unsigned>(nodes_.size());
  const unsigned on = (to + n - from) % n;
  return std::min(on, n - on);
}

bool RingFabric::inject(Cycle, unsigned entry, unsigned exit, tlm::tlm_generic_payload& payload,
                        std::uint32_t bytes, std::uint32_t flits, Cycle arrival, bool counted) {
  Node& node = nodes_[entry];
  const Cycle start = std::max(arrival, node.entry_free_at);
  node.entry_free_at = start + flits;
  ++live_;
  Packet p;
  p.payload = &payload;
  p.ready = start;
  p.arrived = static_cast<std::uint32_t>(arrival);
  p.bytes = static_cast<std::uint16_t>(bytes);
  p.flits = static_cast<std::uint16_t>(flits);
  p.exit = static_cast<std::uint16_t>(exit);
  p.counted = counted;
  Fifo& own = node.own[way(entry, exit)];
  const bool fits = node.waiting.empty() && !own.packets.full();
  if (!fits) {
    node.waiting.push(0, 0, p);
    return false;
  }
  push(own, p);
  // A packet that is not the head is scheduled when it becomes the head.
  if (own.packets.size() == 1) next_ = std::min(next_, own.ready);
  return true;
}

void RingFabric::exit_ready(Cycle current, unsigned exit, Cycle at) {
  Node& node = nodes_[exit];
  if (node.exit.packets.empty()) return;
  node.deliver_at = std::max({at, current, node.exit.ready});
  next_ = std::min(next_, node.deliver_at);
}

void RingFabric::push(Fifo& fifo, const Packet& packet) {
  if (fifo.packets.empty()) fifo.ready = std::max(fifo.ready, packet.ready);
  fifo.packets.push(packet);
}

RingFabric::Packet RingFabric::pop(Fifo& fifo, Cycle cycle, Cycle free) {
  const Packet packet = fifo.packets.pop();
  fifo.ready = fifo.packets.empty() ? free : std::max(free, fifo.packets.front().ready);
  if (fifo.freed_cycle != cycle) fifo.freed = 0;
  fifo.freed_cycle = cycle;
  ++fifo.freed;
  moved_ = true;
  return packet;
}

void RingFabric::process(Cycle cycle) {
  if (next_ > cycle) return;
  next_ = kNever;
  moved_ = false;
  for (unsigned n = 0; n < nodes_.size(); ++n) {
    // 1. Packets at their destination move to the exit. 2. The exit delivers. 3. Other packets
    // advance.
    leave(n, cycle);
    deliver(n, cycle);
    go_on(n, kClockwise, cycle);
    go_on(n, kCounter, cycle);
  }
  find_next(cycle);
}

template <std::size_t n>
unsigned RingFabric::arbitrate(const std::array<Fifo*, n>& inputs, std::uint64_t ready,
                               const OutputLink& link, Cycle cycle) const {
  if ((ready & (ready - 1)) == 0) return static_cast<unsigned>(__builtin_ctzll(ready));
  std::array<std::uint64_t, n> arrived{};
  for (std::size_t i = 0; i < n; ++i) {
    if ((ready >> i & 1) == 0) continue;
    // The low bits of the arrival, which is in the past, as a cycle.
    arrived[i] = cycle - (static_cast<std::uint32_t>(cycle) - inputs[i]->packets.front().arrived);
  }
  return arbiter_->choose({ready, link.last, arrived.data()});
}

void RingFabric::leave(unsigned n, Cycle cycle) {
  Node& node = nodes_[n];
  OutputLink& link = node.exit_link;
  if (link.free_at > cycle) return;
  // A node's packets to itself are in the clockwise buffer.
  const std::array<Fifo*, 3> inputs = {&node.transit[kClockwise], &node.transit[kCounter],
                                       &node.own[kClockwise]};
  std::uint64_t ready = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Fifo& f = *inputs[i];
    const bool goes = !f.packets.empty() && f.ready <= cycle && f.packets.front().exit == n;
    ready |= std::uint64_t{goes} << i;
  }
  if (ready == 0) return;
  if (room(node.exit, cycle) == 0) {
    link.blocked_since = std::min(link.blocked_since, cycle);
    return;
  }
  if (link.blocked_since != kNever) stats_.buffer_full_cycles += cycle - link.blocked_since;
  link.blocked_since = kNever;
  link.last = arbitrate(inputs, ready, link, cycle);
  Fifo& fifo = *inputs[link.last];
  const std::uint32_t flits = fifo.packets.front().flits;
  link.free_at = cycle + flits;
  stats_.egress_busy_cycles[n] += flits;
  Packet p = pop(fifo, cycle, cycle + flits);
  p.ready = cycle + flits - 1;  // delivered one cycle ahead of the tail
  push(node.exit, p);
  if (node.exit.packets.size() == 1) node.deliver_at = node.exit.ready;
  if (&fifo == inputs[2]) refill(n, cycle);
}

void RingFabric::deliver(unsigned n, Cycle cycle) {
  Node& node = nodes_[n];
  if (node.exit.packets.empty() || node.deliver_at > cycle) return;
  // A copy, because the client can call inject() or exit_ready().
  const Packet packet = node.exit.packets.front();
  node.deliver_at = kNever;
  if (!client_.deliver(n, packet, cycle)) return;
  stats_.latency.add(static_cast<std::uint32_t>(cycle + 1) - packet.arrived);
  ++stats_.packets;
  stats_.bytes += packet.bytes;
  stats_.flits += packet.flits;
  stats_.egress_bytes[n] += packet.bytes;
  --live_;
  pop(node.exit, cycle, cycle + 1);
  node.deliver_at = node.exit.packets.empty() ? kNever : node.exit.ready;
}

void RingFabric::go_on(unsigned n, Way way, Cycle cycle) {
  Node& node = nodes_[n];
  OutputLink& link = node.segment[way];
  if (link.free_at > cycle) return;
  Fifo& sink = nodes_[neighbour(n, way)].transit[way];
  const std::array<Fifo*, 2> inputs = {&node.transit[way], &node.own[way]};
  bool blocked = false;
  std::uint64_t ready = 0;
  for (unsigned i = 0; i < inputs.size(); ++i) {
    const Fifo& f = *inputs[i];
    if (f.packets.empty() || f.ready > cycle || f.packets.front().exit == n) continue;
    // Bubble flow control: a packet that enters the ring needs two free entries.
    const bool fits = room(sink, cycle) > i;
    ready |= std::uint64_t{fits} << i;
    blocked = blocked || !fits;
  }
  if (ready == 0) {
    if (blocked) link.blocked_since = std::min(link.blocked_since, cycle);
    return;
  }
  if (link.blocked_since != kNever) stats_.buffer_full_cycles += cycle - link.blocked_since;
  link.blocked_since = kNever;
  link.last = arbitrate(inputs, ready, link, cycle);
  Fifo& fifo = *inputs[link.last];
  const std::uint32_t flits = fifo.packets.front().flits;
  link.free_at = cycle + flits;
  stats_.segment_bytes += fifo.packets.front().bytes;
  Packet p = pop(fifo, cycle, cycle + flits);
  p.ready = cycle + latency_;
  push(sink, p);
  if (link.last == 1) refill(n, cycle);
}

void RingFabric::refill(unsigned n, Cycle cycle) {
  Node& node = nodes_[n];
  while (!node.waiting.empty()) {
    Packet p = node.waiting.front();
    Fifo& own = node.own[way(n, p.exit)];
    if (own.packets.full()) return;
    node.waiting.pop();
    if (cycle > p.ready) {
      stats_.ingress_wait_cycles += cycle - p.ready;
      p.ready = cycle;
    }
    push(own, p);
    client_.entered(n, p.counted);
  }
}

void RingFabric::consider(const Fifo& fifo, const OutputLink& link, Cycle cycle) {
  if (fifo.packets.empty()) return;
  const Cycle at = std::max(fifo.ready, link.free_at);
  // A ready packet that has not moved waits for an entry, which is available one cycle after a
  // departure.
  if (at > cycle) {
    next_ = std::min(next_, at);
  } else if (moved_) {
    next_ = std::min(next_, cycle + 1);
  }
}

void RingFabric::find_next(Cycle cycle) {
  for (unsigned n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    if (!node.exit.packets.empty()) next_ = std::min(next_, node.deliver_at);
    for (unsigned w = 0; w < kWays; ++w) {
      for (const Fifo* fifo : {&node.transit[w], &node.own[w]}) {
        if (fifo->packets.empty()) continue;
        const bool leaves = fifo->packets.front().exit == n;
        consider(*fifo, leaves ? node.exit_link : node.segment[w], cycle);
      }
    }
  }
}

void RingFabric::clear() {
  const std::size_t nodes = nodes_.size();
  nodes_.clear();
  add_nodes(nodes);
  live_ = 0;
  moved_ = false;
  next_ = kNever;
}

void RingFabric::describe_waiting(const std::string& name, std::vector<Waiting>& out) const {
  const auto queue = [&](unsigned n, const char* what, std::size_t packets, WaitKind kind,
                         const char* waits_for) {
    if (packets == 0) return;
    out.push_back({name + ".node" + std::to_string(n) + "." + what, packets, kind, waits_for});
  };
  for (unsigned n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    queue(n, "ingress", node.waiting.size(), WaitKind::kQueueFull, "room in the node's buffer");
    queue(n, "own_clockwise", node.own[kClockwise].packets.size(), WaitKind::kBandwidth,
          "the segment, and room for two packets at the next node");
    queue(n, "own_counter", node.own[kCounter].packets.size(), WaitKind::kBandwidth,
          "the segment, and room for two packets at the next node");
    queue(n, "transit_clockwise", node.transit[kClockwise].packets.size(), WaitKind::kBandwidth,
          "the segment or the egress, and room behind it");
    queue(n, "transit_counter", node.transit[kCounter].packets.size(), WaitKind::kBandwidth,
          "the segment or the egress, and room behind it");
    queue(n, "egress", node.exit.packets.size(), WaitKind::kQueueFull,
          "the receiver at the egress");
  }
}

}  // namespace tessera
