// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/mesh_fabric.h"

#include <algorithm>

#include "common/bits.h"
#include "modules/kernel/unlikely.h"

namespace tessera {
namespace {

/// The first request after `last`, cyclically. `last`: above 63 at first.
unsigned round_robin(std::uint64_t requests, std::uint8_t last) {
  const std::uint64_t after = last >= 63 ? 0 : requests & (~std::uint64_t{0} << (last + 1));
  return lowest_bit(after != 0 ? after : requests);
}

}  // namespace

// ---- packets ----

std::uint32_t MeshFabric::new_packet() {
  ++live_;
  if (free_packets_.empty()) {
    packets_.emplace_back();
    return static_cast<std::uint32_t>(packets_.size() - 1);
  }
  const std::uint32_t index = free_packets_.back();
  free_packets_.pop_back();
  return index;
}

void MeshFabric::drop_packet(std::uint32_t index) {
  packets_[index].payload = nullptr;
  free_packets_.push_back(index);
  --live_;
}

template <class Queue>
void MeshFabric::append(Queue& queue, std::uint32_t index) {
  packets_[index].next = kNoPacket;
  if (queue.head == kNoPacket) {
    queue.head = index;
  } else {
    packets_[queue.tail].next = index;
  }
  queue.tail = index;
}

// ---- ingress ----

bool MeshFabric::inject(Cycle current, unsigned entry, unsigned exit,
                        tlm::tlm_generic_payload& payload, std::uint32_t bytes, std::uint32_t flits,
                        Cycle arrival, bool counted) {
  wheel_.set_current(current);
  MeshEntry& e = entries_[entry];
  const Cycle start = std::max(arrival, e.free_at);
  e.free_at = start + flits;

  const std::uint32_t index = new_packet();
  MeshPacket& p = packets_[index];
  p.payload = &payload;
  p.ready = start;
  p.arrived = static_cast<std::uint32_t>(arrival);
  p.bytes = static_cast<std::uint16_t>(bytes);
  p.flits = static_cast<std::uint16_t>(flits);
  p.exit = static_cast<std::uint16_t>(exit);
  p.counted = counted;
  p.entry = static_cast<std::uint16_t>(entry);
  p.sent = 0;
  p.router = exits_[exit].router;
  p.port = exits_[exit].port;
  p.vc = static_cast<std::uint8_t>(vcs_ == 1 ? 0 : (entry + exit) % vcs_);
  const bool first = e.head == kNoPacket;
  append(e, index);
  return first && send_from_entry(entry);
}

bool MeshFabric::send_from_entry(unsigned entry) {
  MeshEntry& e = entries_[entry];
  MeshPacket& p = packets_[e.head];
  const std::uint32_t buffer = e.buffer + p.vc;
  Buffer& b = buffers_[buffer];
  for (; p.sent < p.flits; ++p.sent) {
    if (b.credit == kNever) return false;  // refill() follows when a flit leaves
    const Cycle at = std::max({p.ready + p.sent, e.link_free, b.credit});
    e.link_free = at + 1;
    const auto kind = static_cast<std::uint8_t>((p.sent == 0 ? kHeadFlit : kBodyFlit) |
                                                (p.sent + 1 == p.flits ? kTailFlit : kBodyFlit));
    push(buffer, {at + ingress_, e.head, kind});
  }
  stats_.ingress_wait_cycles += e.link_free - (p.ready + p.flits);
  e.head = p.next;
  return true;
}

void MeshFabric::refill(unsigned entry) {
  while (entries_[entry].head != kNoPacket) {
    const bool counted = packets_[entries_[entry].head].counted;
    if (!send_from_entry(entry)) return;
    client_.entered(entry, counted);  // can call inject()
  }
}

// ---- routers ----

inline void MeshFabric::route(Buffer& b, std::uint32_t packet) {
  const Router& here = routers_[b.sink];
  const MeshPacket& p = packets_[packet];
  const Router& there = routers_[p.router];
  unsigned out = p.port;
  if (here.x != there.x) {
    out = there.x > here.x ? kEast : kWest;
  } else if (here.y != there.y) {
    out = there.y > here.y ? kSouth : kNorth;
  }
  b.out = static_cast<std::uint8_t>(out);
  b.next = outputs_[here.outputs + out].buffer + b.vc;
}

inline void MeshFabric::push(std::uint32_t index, Slot flit) {
  Buffer& b = buffers_[index];
  push_slot(index, flit);
  if (b.count != 1) return;  // its router looks at it when it comes to the front
  b.ready = flit.time;
  routers_[b.sink].runnable |= std::uint64_t{1} << b.input;
  const bool head = (flit.kind & kHeadFlit) != 0;
  if (head) route(b, flit.packet);
  wake(b.sink, flit.time - (head ? 1 : 0));  // a head takes part in VC allocation first
}

void MeshFabric::push_to_exit(std::uint32_t index, Slot flit, Cycle cycle) {
  Buffer& b = buffers_[index];
  const bool tail = (flit.kind & kTailFlit) != 0;
  flit.time = cycle + egress_;
  const std::uint32_t exit = b.sink & ~kMeshPort;
  ++stats_.egress_busy_cycles[exit];
  if (b.count == 0 && !tail) {
    // Leaves the buffer on its arrival.
    push_slot(index, flit);
    pop_slot(index, flit.time + credit_);
    return;
  }
  push_slot(index, flit);
  if (!tail) return;
  MeshPacket& p = packets_[flit.packet];
  p.ready = flit.time - 1;  // delivered one cycle ahead of the tail
  MeshExit& e = exits_[exit];
  if (e.head == kNoPacket) wheel_.due(kEject, exit, p.ready);
  append(e, flit.packet);
}

/// A credit comes back to an input VC that waits for it.
void MeshFabric::wake_upstream(Buffer& b, Cycle cycle) {
  b.starved = false;
  routers_[b.source].runnable |= std::uint64_t{1} << b.owner;
  wake(b.source, cycle);
}

void MeshFabric::step(std::uint32_t index, Cycle cycle) {
  Router& router = routers_[index];
  Cycle next = kNever;
  std::uint64_t heads = 0;    // output VCs with requests
  std::uint64_t outputs = 0;  // outputs with requests
  // 1. Requests of the flits at the front of each input VC.
  for (std::uint64_t left = router.runnable; left != 0; left &= left - 1) {
    const unsigned i = lowest_bit(left);
    Buffer& b = buffers_[router.first + i];
    const Cycle ready = b.ready;
    if (ready > cycle + 1 || (b.allocated && ready > cycle)) {
      next = std::min(next, b.allocated ? ready : ready - 1);
      continue;
    }
    Buffer& downstream = buffers_[b.next];
    if (!b.allocated) {
      const std::uint64_t bit = std::uint64_t{1} << i;
      if (downstream.owner != kFreeVc) {
        downstream.waiters |= bit;
        router.runnable &= ~bit;
        continue;
      }
      const unsigned o = b.out * vcs_ + b.vc;
      vc_requests_[o] |= bit;
      heads |= std::uint64_t{1} << o;
      continue;
    }
    if (unlikely(downstream.credit > cycle)) {
      downstream.blocked_since = std::min(downstream.blocked_since, cycle);
      if (downstream.credit == kNever) {
        downstream.starved = true;
        router.runnable &= ~(std::uint64_t{1} << i);
      }
      next = std::min(next, downstream.credit);
      continue;
    }
    if (unlikely(downstream.blocked_since != kNever)) {
      stats_.buffer_full_cycles += cycle - downstream.blocked_since;
      downstream.blocked_since = kNever;
    }
    switch_requests_[b.out] |= std::uint64_t{1} << i;
    outputs |= std::uint64_t{1} << b.out;
  }
  // 2. Switch allocation, and the flits that win. 3. VC allocation, for the next cycle.
  if (outputs != 0) allocate_switch(router, outputs, cycle);
  for (std::uint64_t left = heads; left != 0; left &= left - 1) {
    const unsigned o = lowest_bit(left);
    const std::uint64_t requests = vc_requests_[o];
    vc_requests_[o] = 0;
    Buffer& downstream = buffers_[outputs_[router.outputs + port_of_[o]].buffer + vc_of_[o]];
    const unsigned i = round_robin(requests, downstream.last_owner);
    downstream.owner = downstream.last_owner = static_cast<std::uint8_t>(i);
    buffers_[router.first + i].allocated = true;
  }
  if ((heads | outputs) != 0) {
    if (router.runnable != 0) wake(index, cycle + 1);
  } else if (next != kNever) {
    wake(index, next);
  }
}

void MeshFabric::allocate_switch(Router& router, std::uint64_t outputs, Cycle cycle) {
  if (vcs_ == 1) {
    // An input has one grant at most, and accepts it.
    for (; outputs != 0; outputs &= outputs - 1) {
      const unsigned o = lowest_bit(outputs);
      MeshOutput& output = outputs_[router.outputs + o];
      const unsigned i = round_robin(switch_requests_[o], output.last);
      switch_requests_[o] = 0;
      output.last = static_cast<std::uint8_t>(i);
      traverse(router, i, cycle);
    }
    return;
  }
  std::array<std::uint64_t, kMostPorts> grants;  // [input port]: VCs
  std::uint64_t granted = 0;                     // input ports
  for (; outputs != 0; outputs &= outputs - 1) {
    const unsigned o = lowest_bit(outputs);
    const unsigned i = round_robin(switch_requests_[o], outputs_[router.outputs + o].last);
    switch_requests_[o] = 0;
    const unsigned port = port_of_[i];
    if ((granted >> port & 1) == 0) grants[port] = 0;
    granted |= std::uint64_t{1} << port;
    grants[port] |= std::uint64_t{1} << vc_of_[i];
  }
  for (; granted != 0; granted &= granted - 1) {
    const unsigned port = lowest_bit(granted);
    std::uint8_t& accepted = accepted_[router.inputs + port];
    accepted = static_cast<std::uint8_t>(round_robin(grants[port], accepted));
    const unsigned i = port * vcs_ + accepted;
    outputs_[router.outputs + buffers_[router.first + i].out].last = static_cast<std::uint8_t>(i);
    traverse(router, i, cycle);
  }
}

/// The flit at the front of an input VC leaves for the next buffer.
void MeshFabric::traverse(Router& router, unsigned input, Cycle cycle) {
  const std::uint32_t index = router.first + input;
  Buffer& b = buffers_[index];
  Slot flit = front(index);
  flit.time = cycle + hop_;
  pop_slot(index, cycle + credit_);
  const std::uint32_t next = b.next;
  Buffer& downstream = buffers_[next];
  if ((flit.kind & kTailFlit) != 0) {
    downstream.owner = kFreeVc;
    router.runnable |= downstream.waiters;
    downstream.waiters = 0;
    b.allocated = false;
    if (b.count != 0) route(b, front(index).packet);
  }
  if (b.count == 0) {
    router.runnable &= ~(std::uint64_t{1} << input);
  } else {
    b.ready = front(index).time;
  }
  if ((downstream.sink & kMeshPort) != 0) {
    push_to_exit(next, flit, cycle);
  } else {
    ++stats_.link_busy_cycles[downstream.link];
    push(next, flit);
  }
  if ((b.source & kMeshPort) != 0) {
    const std::uint32_t from = b.source & ~kMeshPort;
    if (entries_[from].head != kNoPacket) refill(from);
  } else if (b.starved) {
    wake_upstream(b, cycle + credit_);
  }
}

// ---- egress ----

void MeshFabric::exit_ready(Cycle current, unsigned exit, Cycle at) {
  wheel_.set_current(current);
  const std::uint32_t head = exits_[exit].head;
  if (head != kNoPacket) wheel_.due(kEject, exit, std::max({at, current, packets_[head].ready}));
}

void MeshFabric::eject(std::uint32_t exit, Cycle cycle) {
  MeshExit& e = exits_[exit];
  if (e.head == kNoPacket) return;
  if (unlikely(packets_[e.head].ready > cycle)) {
    wheel_.due(kEject, exit, packets_[e.head].ready);
    return;
  }
  // A copy, because the client can call inject() or exit_ready().
  const MeshPacket packet = packets_[e.head];
  if (!client_.deliver(exit, packet, cycle)) return;
  stats_.latency.add(static_cast<std::uint32_t>(cycle + 1) - packet.arrived);
  ++stats_.packets;
  stats_.bytes += packet.bytes;
  stats_.flits += packet.flits;
  stats_.egress_bytes[exit] += packet.bytes;
  stats_.segment_bytes += Counter{packet.bytes} * hops(entries_[packet.entry].router, e.router);
  const std::uint32_t next = packets_[e.head].next;
  drop_packet(e.head);
  e.head = next;
  if (e.head != kNoPacket) {
    Cycle& ready = packets_[e.head].ready;
    ready = std::max(ready, cycle + 1);
    wheel_.due(kEject, exit, ready);
  }
  // The tail and the flits after it leave the buffer, up to the next tail.
  const std::uint32_t index = e.buffer + packet.vc;
  Buffer& b = buffers_[index];
  do {
    pop_slot(index, std::max(front(index).time, cycle + 1) + credit_);
  } while (b.count != 0 && (front(index).kind & kTailFlit) == 0);
  if (b.starved) wake_upstream(b, cycle + 1 + credit_);
}

void MeshFabric::process(Cycle cycle) {
  if (!wheel_.begin(cycle)) return;
  // 1. Exits deliver. 2. Routers allocate, each independently of the others.
  wheel_.serve(kEject, [&](std::uint32_t exit) { eject(exit, cycle); });
  wheel_.serve(kRoute, [&](std::uint32_t router) { step(router, cycle); });
}

}  // namespace tessera
