// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/switch_fabric.h"

#include <algorithm>
#include <cassert>

#include "common/bits.h"
#include "modules/kernel/prefetch.h"

namespace tessera {
namespace {}  // namespace

// ---- packets and queues ----

std::uint32_t SwitchFabric::handle_packet() {
  ++live_;
  if (free_packets_.empty()) {
    packets_.emplace_back();
    if (!one_step()) tails_.push_back(0);
    return static_cast<std::uint32_t>(packets_.size() - 1);
  }
  const std::uint32_t index = free_packets_.back();
  free_packets_.pop_back();
  return index;
}

void SwitchFabric::drop_packet(std::uint32_t index) {
  packets_[index].payload = nullptr;
  free_packets_.push_back(index);
  --live_;
}

inline bool SwitchFabric::push(SwitchBuffer& buffer, std::uint32_t index) {
  Packet& p = packets_[index];
  p.next = kNoPacket;
  buffer.used += p.flits;
  const bool first = buffer.head == kNoPacket;
  if (first) {
    buffer.head = index;
    buffer.ready = std::max(buffer.ready, p.ready);
  } else {
    packets_[buffer.tail].next = index;
  }
  buffer.tail = index;
  return first;
}

inline std::uint32_t SwitchFabric::pop(SwitchBuffer& buffer, Step free) {
  const std::uint32_t index = buffer.head;
  buffer.head = packets_[index].next;
  buffer.used -= packets_[index].flits;
  buffer.ready = buffer.head == kNoPacket ? free : std::max(free, packets_[buffer.head].ready);
  return index;
}

template <bool kPlain>
inline void SwitchFabric::enqueue(unsigned stage, std::uint32_t buffer, std::uint32_t index) {
  if (!kPlain && virtual_queues()) {
    enqueue_virtual(stage, buffer, index);
  } else if (SwitchBuffer& b = buffers_[stage][buffer]; push(b, index)) {
    bid(stage, b);
  }
}

void SwitchFabric::enqueue_virtual(unsigned stage, std::uint32_t buffer, std::uint32_t index) {
  SwitchBuffer& b = buffers_[stage][buffer];
  const Packet& p = packets_[index];
  b.used += p.flits;
  const std::uint32_t link = link_of(stage, b, p);
  if (!virtual_queues_[stage].push(buffer, link % shape_[stage].outputs, index)) return;
  SwitchLink& l = links_[stage][link];
  l.waiting |= std::uint64_t{1} << b.bit;
  wheel_.due(link_work(stage), link, std::max({p.ready, b.ready, l.free_at}));
}

/// Registers the buffer's new head at its output and schedules arbitration for its departure.
void SwitchFabric::bid(unsigned stage, const SwitchBuffer& buffer) {
  const std::uint32_t link = link_of(stage, buffer, packets_[buffer.head]);
  SwitchLink& l = links_[stage][link];
  l.waiting |= std::uint64_t{1} << buffer.bit;
  wheel_.due(link_work(stage), link, std::max(buffer.ready, l.free_at));
}

// ---- the owner's calls ----

bool SwitchFabric::inject(Cycle current, unsigned entry, unsigned exit,
                          tlm::tlm_generic_payload& payload, std::uint32_t bytes,
                          std::uint32_t flits, Cycle arrival, bool counted) {
  wheel_.set_current(current * speedup_);
  SwitchEntry& e = entries_[entry];
  const Cycle start = std::max(arrival, e.free_at);
  e.free_at = start + flits;

  const std::uint32_t index = handle_packet();
  Packet& p = packets_[index];
  p.payload = &payload;
  p.arrived = static_cast<std::uint32_t>(arrival);
  p.ready = start * speedup_;
  p.bytes = static_cast<std::uint16_t>(bytes);
  p.flits = static_cast<std::uint16_t>(flits);
  p.exit = static_cast<std::uint16_t>(exit);
  p.counted = counted;
  if (!one_step()) tails_[index] = (start + flits - 1) * speedup_;

  if (e.head == kNoPacket && fits(buffers_[0][entry], flits, capacity_)) {
    if (plain_) {
      enqueue<true>(0, entry, index);
    } else {
      enqueue<false>(0, entry, index);
    }
    return true;
  }
  p.next = kNoPacket;
  if (e.head == kNoPacket) {
    e.head = index;
  } else {
    packets_[e.tail].next = index;
  }
  e.tail = index;
  return false;
}

void SwitchFabric::exit_ready(Cycle current, unsigned exit, Cycle at) {
  wheel_.set_current(current * speedup_);
  if (exits_[exit].head != kNoPacket) {
    wheel_.due(kEject, exit, std::max(at, current) * speedup_);
  }
}

// ---- from a switch input to the next buffer ----

/// Space was released in the link's downstream buffer: serves the link in this pass if it is free.
inline void SwitchFabric::serve_again(unsigned stage, std::uint32_t link, Step step) {
  const SwitchLink& l = links_[stage][link];
  wheel_.activate(link_work(stage), link, (l.waiting != 0) & (l.free_at <= step));
}

template <bool kPlain>
void SwitchFabric::refill(std::uint32_t entry, Step step) {
  while (true) {
    const std::uint32_t index = entries_[entry].head;
    if (index == kNoPacket || !fits(buffers_[0][entry], packets_[index].flits, capacity_)) return;
    Packet& p = packets_[index];
    const bool counted = p.counted;
    entries_[entry].head = p.next;
    if (step > p.ready) {
      stats_.ingress_wait_cycles += cycle_of(step) - cycle_of(p.ready);
      p.ready = step;
    }
    enqueue<kPlain>(0, entry, index);
    client_.entered(entry, counted);
  }
}

inline bool SwitchFabric::fits_downstream(unsigned stage, std::uint32_t link,
                                          std::uint32_t index) const {
  const std::uint32_t sink = links_[stage][link].downstream;
  const std::uint32_t flits = packets_[index].flits;
  return stage == last_stage() ? fits(exits_[sink], flits, exit_capacity_)
                               : fits(buffers_[1][sink], flits, capacity_);
}

template <bool kPlain>
inline Step SwitchFabric::departure(std::uint32_t index, Step step) const {
  const Step end = step + packets_[index].flits;
  return kPlain || one_step() ? end : std::max(end, tails_[index] + 1);
}

template <bool kPlain>
inline void SwitchFabric::forward(unsigned stage, std::uint32_t link, std::uint32_t buffer,
                                  std::uint32_t index, Step step) {
  Packet& p = packets_[index];
  if (stage == last_stage()) {
    stats_.egress_busy_cycles[link] += p.flits;
    // Delivered one cycle ahead of the tail.
    if (kPlain || one_step()) {
      p.ready = step + latency_ + p.flits - 1;
    } else {
      const Cycle start = std::max((step + latency_ + speedup_ - 1) / speedup_, exit_free_[link]);
      exit_free_[link] = start + p.flits;
      p.ready = (exit_free_[link] - 1) * speedup_;
    }
    prefetch_payload(p.payload);
    SwitchBuffer& exit = exits_[link];
    if (push(exit, index)) wheel_.due(kEject, link, exit.ready);
  } else {
    p.ready = step + latency_;
    if (!kPlain && !one_step()) tails_[index] = departure<false>(index, step) - 1 + latency_;
    enqueue<kPlain>(1, links_[0][link].downstream, index);
  }
  if (stage != 0) {
    serve_again(0, buffers_[1][buffer].upstream, step);
  } else {
    if (entries_[buffer].head != kNoPacket) refill<kPlain>(buffer, step);
  }
}

inline void SwitchFabric::end_stall(SwitchLink& link, Step step) {
  if (!unlikely(link.blocked_since != kNever)) return;
  stats_.buffer_full_cycles += cycle_of(step) - cycle_of(link.blocked_since);
  link.blocked_since = kNever;
}

// ---- a cycle ----

void SwitchFabric::process(Cycle cycle) {
  if (plain_) {
    process_step<true>(cycle);
    return;
  }
  if (credit_cycle_ < cycle) return_credits();
  for (std::uint32_t i = 0; i < speedup_; ++i) process_step<false>(cycle * speedup_ + i);
}

template <bool kPlain>
inline void SwitchFabric::process_step(Step step) {
  if (!wheel_.begin(step)) return;
  // 1. Exits deliver. 2. The last stage's outputs arbitrate. 3. The first stage's outputs
  // arbitrate.
  wheel_.serve(kEject, [&](std::uint32_t e) { eject<kPlain>(e, kPlain ? step : cycle_of(step)); });
  if (!kPlain && virtual_queues()) {
    match_stages(step);
    return;
  }
  wheel_.serve(kLink1, [&](std::uint32_t l) { serve<kPlain>(last_stage(), l, step); });
  wheel_.serve(kLink0, [&](std::uint32_t l) { serve<kPlain>(0, l, step); });
}

template <bool kPlain>
void SwitchFabric::eject(std::uint32_t exit, Cycle cycle) {
  SwitchBuffer& f = exits_[exit];
  if (f.head == kNoPacket) return;
  if (unlikely(f.ready > (kPlain ? cycle : cycle * speedup_))) {
    wheel_.due(kEject, exit, f.ready);
    return;
  }
  // A copy, because the client can call inject() or exit_ready().
  const Packet packet = packets_[f.head];
  if (!client_.deliver(exit, packet, cycle)) return;
  stats_.latency.add(static_cast<std::uint32_t>(cycle + 1) - packet.arrived);
  ++stats_.packets;
  stats_.bytes += packet.bytes;
  stats_.flits += packet.flits;
  stats_.egress_bytes[exit] += packet.bytes;
  drop_packet(pop(f, kPlain ? cycle + 1 : (cycle + 1) * speedup_));
  if (f.head != kNoPacket) wheel_.due(kEject, exit, f.ready);
  if (kPlain) {
    serve_again(last_stage(), exit, cycle);
  } else {
    hold_credit(exit, packet.flits, cycle);
  }
}

/// The space that an exit releases in this cycle is available in the next one.
void SwitchFabric::hold_credit(std::uint32_t exit, std::uint32_t flits, Cycle cycle) {
  exits_[exit].used += flits;
  credits_.emplace_back(exit, flits);
  credit_cycle_ = cycle;
  wheel_.due(kLink1, exit, (cycle + 1) * speedup_);
}

void SwitchFabric::return_credits() {
  for (const auto& [exit, flits] : credits_) exits_[exit].used -= flits;
  credits_.clear();
}

// ---- FIFO inputs ----

Step SwitchFabric::next_ready(unsigned stage, const SwitchLink& link, Step step) const {
  Step soonest = kNever;
  for (std::uint64_t heads = link.waiting; heads != 0; heads &= heads - 1) {
    const Step ready = buffers_[stage][link.first_buffer + lowest_bit(heads)].ready;
    if (ready > step) soonest = std::min(soonest, ready);
  }
  return soonest;
}

std::uint32_t SwitchFabric::arbitrate(unsigned stage, const SwitchLink& link, std::uint64_t ready,
                                      Step step) {
  ArbitrationRequests requests{ready, link.last, nullptr};
  if (unlikely(by_age_)) {
    const Cycle cycle = cycle_of(step);
    for (std::uint64_t heads = ready; heads != 0; heads &= heads - 1) {
      const unsigned input = lowest_bit(heads);
      const Packet& p = packets_[buffers_[stage][link.first_buffer + input].head];
      // The low bits of the arrival, which is in the past, as a cycle.
      arrived_[input] = cycle - (static_cast<std::uint32_t>(cycle) - p.arrived);
    }
    requests.arrived = arrived_.data();
  }
  return arbiter_->choose(requests);
}

template <bool kPlain>
void SwitchFabric::serve(unsigned stage, std::uint32_t link, Step step) {
  SwitchLink& l = links_[stage][link];
  if (l.waiting == 0) return;
  if (l.free_at > step) {
    wheel_.due(link_work(stage), link, l.free_at);
    return;
  }
  // The heads that are ready compete.
  std::uint64_t ready = 0;
  for (std::uint64_t heads = l.waiting; heads != 0; heads &= heads - 1) {
    const unsigned head = lowest_bit(heads);
    ready |= std::uint64_t{buffers_[stage][l.first_buffer + head].ready <= step} << head;
  }
  if (ready == 0) {
    wheel_.due(link_work(stage), link, next_ready(stage, l, step));
    return;
  }
  const bool alone = (ready & (ready - 1)) == 0;
  const std::uint32_t input = alone ? lowest_bit(ready) : arbitrate(stage, l, ready, step);
  const std::uint32_t buffer = l.first_buffer + input;
  SwitchBuffer& source = buffers_[stage][buffer];
  const std::uint32_t index = source.head;
  if (unlikely(!fits_downstream(stage, link, index))) {
    l.blocked_since = std::min(l.blocked_since, step);
    // The link is served again when the buffer releases space or when another head is ready, which
    // can win and can fit. The other head is scheduled here, because this pass can have used its
    // event at the wheel's last slot.
    const Step other = next_ready(stage, l, step);
    if (other != kNever) wheel_.due(link_work(stage), link, other);
    return;
  }
  end_stall(l, step);
  l.last = static_cast<std::uint16_t>(input);
  l.waiting &= ~(std::uint64_t{1} << input);
  l.free_at = departure<kPlain>(index, step);
  if (l.waiting != 0) wheel_.due(link_work(stage), link, l.free_at);

  pop(source, l.free_at);
  if (source.head != kNoPacket) bid(stage, source);
  forward<kPlain>(stage, link, buffer, index, step);
}

// ---- virtual output queues ----

void SwitchFabric::match_stages(Step step) {
  for (unsigned stage = stages(); stage-- > 0;) {
    std::uint64_t switches = 0;
    wheel_.serve(link_work(stage), [&](std::uint32_t l) {
      switches |= std::uint64_t{1} << (l / shape_[stage].outputs);
    });
    for (; switches != 0; switches &= switches - 1) match(stage, lowest_bit(switches), step);
  }
}

void SwitchFabric::match(unsigned stage, std::uint32_t switch_index, Step step) {
  VirtualQueues& queues = virtual_queues_[stage];
  const std::uint32_t first = switch_index * shape_[stage].outputs;
  const auto end =
      std::min(first + shape_[stage].outputs, static_cast<std::uint32_t>(links_[stage].size()));
  const std::uint32_t first_buffer = switch_index * shape_[stage].inputs;
  SwitchBuffer* const inputs = &buffers_[stage][first_buffer];

  // 1. Free inputs request the free outputs for which they have a ready head.
  VirtualQueues::Matching m;
  for (std::uint32_t link = first; link < end; ++link) {
    const SwitchLink& l = links_[stage][link];
    if (l.free_at > step) continue;
    std::uint64_t requests = 0;
    for (std::uint64_t left = l.waiting; left != 0; left &= left - 1) {
      const unsigned i = lowest_bit(left);
      const Packet& head = packets_[queues.head(first_buffer + i, link - first)];
      requests |= std::uint64_t{inputs[i].ready <= step && head.ready <= step} << i;
    }
    m.requests[link - first] = requests;
    m.outputs |= std::uint64_t{requests != 0} << (link - first);
  }

  // 2. Grants and accepts.
  queues.match(m, first_buffer, first, cycle_of(step),
               [&](std::uint32_t output, std::uint32_t index) {
                 return fits_downstream(stage, first + output, index);
               });

  // 3. Matched inputs send.
  std::uint64_t sent = 0;
  for (std::uint64_t left = m.matched; left != 0; left &= left - 1) {
    const unsigned output = lowest_bit(left);
    const unsigned i = m.input_of[output];
    sent |= std::uint64_t{1} << i;
    SwitchLink& l = links_[stage][first + output];
    end_stall(l, step);
    const std::uint32_t index = queues.pop(first_buffer + i, output);
    if ((queues.occupied(first_buffer + i) >> output & 1) == 0) {
      l.waiting &= ~(std::uint64_t{1} << i);
    }
    inputs[i].used -= packets_[index].flits;
    inputs[i].ready = l.free_at = departure<false>(index, step);
    forward<false>(stage, first + output, first_buffer + i, index, step);
  }
  for (std::uint64_t left = m.stalled; left != 0; left &= left - 1) {
    SwitchLink& l = links_[stage][first + lowest_bit(left)];
    l.blocked_since = std::min(l.blocked_since, step);
  }

  // 4. The next matching. An output whose selected head has no space waits until there is space or
  // its requests change.
  for (std::uint32_t link = first; link < end; ++link) {
    const bool stalled =
        (m.stalled >> (link - first) & 1) != 0 && (m.requests[link - first] & sent) == 0;
    const Step next = next_request(stage, link, stalled, step);
    if (next != kNever) wheel_.due(link_work(stage), link, next);
  }
}

/// The earliest step after `step` in which an input can request the link; kNever if none.
Step SwitchFabric::next_request(unsigned stage, std::uint32_t link, bool stalled, Step step) const {
  const SwitchLink& l = links_[stage][link];
  const VirtualQueues& queues = virtual_queues_[stage];
  Step soonest = kNever;
  for (std::uint64_t left = l.waiting; left != 0; left &= left - 1) {
    const std::uint32_t buffer = l.first_buffer + lowest_bit(left);
    const std::uint32_t head = queues.head(buffer, link % shape_[stage].outputs);
    const Step ready = std::max({packets_[head].ready, buffers_[stage][buffer].ready, l.free_at});
    if (ready > step) {
      soonest = std::min(soonest, ready);
    } else if (!stalled) {
      return step + 1;
    }
  }
  return soonest;
}

}  // namespace tessera
