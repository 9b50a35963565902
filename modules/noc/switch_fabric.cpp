// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/switch_fabric.h"

#include <algorithm>
#include <cassert>

#include "modules/core/prefetch.h"
#include "modules/core/unlikely.h"

namespace tessera {
namespace {

std::uint64_t rotate_right(std::uint64_t word, unsigned n) {
  return n == 0 ? word : (word >> n) | (word << (64 - n));
}

unsigned lowest_bit(std::uint64_t word) { return static_cast<unsigned>(__builtin_ctzll(word)); }

}  // namespace

SwitchFabric::SwitchFabric(const Shape& shape, Client& client, NocStats& stats)
    : client_(client),
      stats_(stats),
      latency_(shape.stage_latency),
      capacity_(shape.buffer_flits),
      arbiter_(shape.arbitration.make({shape.radix})),
      by_age_(arbiter_->compares_age()),
      exit_group_(shape.exits, 0),
      exits_(shape.exits),
      entries_(shape.entries) {
  const std::vector<SwitchStage> stages = switch_stages(shape.entries, shape.exits, shape.radix);
  two_stages_ = stages.size() == 2;
  if (two_stages_) {
    build_double(shape, stages[0], stages[1]);
  } else {
    build_single(shape);
  }
  for (std::uint32_t e = 0; e < shape.exits; ++e) {
    exits_[e].upstream = e;
    links_[last_stage()][e].downstream = static_cast<std::uint16_t>(e);
  }
  lay_out_wheel();
}

void SwitchFabric::build_single(const Shape& shape) {
  buffers_[0].resize(shape.entries);
  links_[0].resize(shape.exits);
  for (std::uint32_t i = 0; i < shape.entries; ++i) {
    buffers_[0][i].upstream = i;
    buffers_[0][i].bit = i;
  }
}

void SwitchFabric::build_double(const Shape& shape, const SwitchStage& first,
                                const SwitchStage& second) {
  const std::uint32_t ins = first.inputs;
  const std::uint32_t outs = second.outputs;
  const std::uint32_t firsts = first.switches;
  const std::uint32_t seconds = second.switches;
  buffers_[0].resize(shape.entries);
  links_[0].resize(std::size_t{firsts} * seconds);
  buffers_[1].resize(std::size_t{seconds} * firsts);
  links_[1].resize(shape.exits);
  for (std::uint32_t i = 0; i < shape.entries; ++i) {
    buffers_[0][i].upstream = i;
    buffers_[0][i].link_base = i / ins * seconds;
    buffers_[0][i].bit = i % ins;
  }
  for (std::uint32_t a = 0; a < firsts; ++a) {
    for (std::uint32_t b = 0; b < seconds; ++b) {
      OutputLink& link = links_[0][a * seconds + b];
      link.first_buffer = static_cast<std::uint16_t>(a * ins);
      link.downstream = static_cast<std::uint16_t>(b * firsts + a);
      buffers_[1][link.downstream].upstream = a * seconds + b;
      buffers_[1][link.downstream].bit = a;
    }
  }
  for (std::uint32_t e = 0; e < shape.exits; ++e) {
    exit_group_[e] = e / outs;
    links_[1][e].first_buffer = static_cast<std::uint16_t>(e / outs * firsts);
  }
}

void SwitchFabric::lay_out_wheel() {
  // kLink1 is the last stage's work, kLink0 that of the stage before it.
  const std::array<std::size_t, kWorkKinds> items = {exits_.size(), exits_.size(),
                                                     two_stages_ ? links_[0].size() : 0};
  for (unsigned w = 0; w < kWorkKinds; ++w) {
    first_word_[w + 1] = first_word_[w] + static_cast<std::uint32_t>((items[w] + 63) / 64);
  }
  words_ = first_word_[kWorkKinds];
  active_.assign(words_, 0);
  wheel_.assign(words_ * kSlots, 0);
}

void SwitchFabric::clear() {
  for (auto& stage : buffers_) {
    for (Fifo& f : stage) {
      f.head = f.tail = kNone;
      f.used = 0;
      f.ready = 0;
    }
  }
  for (auto& stage : links_) {
    for (OutputLink& l : stage) {
      l.waiting = 0;
      l.free_at = 0;
      l.blocked_since = kNever;
      l.last = 63;
    }
  }
  for (Fifo& f : exits_) {
    f.head = f.tail = kNone;
    f.used = 0;
    f.ready = 0;
  }
  for (Entry& e : entries_) e = Entry{};
  packets_.clear();
  free_packets_.clear();
  live_ = 0;
  std::fill(wheel_.begin(), wheel_.end(), 0);
  std::fill(active_.begin(), active_.end(), 0);
  busy_slots_ = 0;
}

std::uint32_t SwitchFabric::handle_packet() {
  ++live_;
  if (free_packets_.empty()) {
    packets_.emplace_back();
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

bool SwitchFabric::push(Fifo& fifo, std::uint32_t index) {
  Packet& p = packets_[index];
  p.next = kNone;
  fifo.used += p.flits;
  const bool first = fifo.head == kNone;
  if (first) {
    fifo.head = index;
    fifo.ready = std::max(fifo.ready, p.ready);
  } else {
    packets_[fifo.tail].next = index;
  }
  fifo.tail = index;
  return first;
}

std::uint32_t SwitchFabric::pop(Fifo& fifo, Cycle free) {
  const std::uint32_t index = fifo.head;
  fifo.head = packets_[index].next;
  fifo.used -= packets_[index].flits;
  fifo.ready = fifo.head == kNone ? free : std::max(free, packets_[fifo.head].ready);
  return index;
}

void SwitchFabric::due(Work work, std::uint32_t index, Cycle cycle) {
  // Events beyond the wheel's horizon are rescheduled at its last slot.
  if (unlikely(cycle - current_ >= kSlots)) cycle = current_ + kSlots - 1;
  const std::size_t slot = cycle % kSlots;
  wheel_[slot * words_ + first_word_[work] + index / 64] |= std::uint64_t{1} << (index % 64);
  busy_slots_ |= std::uint64_t{1} << slot;
}

Cycle SwitchFabric::next() const {
  if (busy_slots_ == 0) return kNever;
  return current_ + lowest_bit(rotate_right(busy_slots_, current_ % kSlots));
}

bool SwitchFabric::inject(Cycle current, unsigned entry, unsigned exit,
                          tlm::tlm_generic_payload& payload, std::uint32_t bytes,
                          std::uint32_t flits, Cycle arrival, bool counted) {
  current_ = current;
  Entry& e = entries_[entry];
  const Cycle start = std::max(arrival, e.free_at);
  e.free_at = start + flits;

  const std::uint32_t index = handle_packet();
  Packet& p = packets_[index];
  p.payload = &payload;
  p.arrived = static_cast<std::uint32_t>(arrival);
  p.ready = start;
  p.bytes = static_cast<std::uint16_t>(bytes);
  p.flits = static_cast<std::uint16_t>(flits);
  p.exit = static_cast<std::uint16_t>(exit);
  p.counted = counted;

  Fifo& buffer = buffers_[0][entry];
  if (e.head == kNone && fits(buffer, flits)) {
    if (push(buffer, index)) bid(0, buffer);
    return true;
  }
  p.next = kNone;
  if (e.head == kNone) {
    e.head = index;
  } else {
    packets_[e.tail].next = index;
  }
  e.tail = index;
  return false;
}

void SwitchFabric::exit_ready(Cycle current, unsigned exit, Cycle at) {
  current_ = current;
  if (exits_[exit].head != kNone) due(kEject, exit, std::max(at, current));
}

template <class F>
void SwitchFabric::for_each_active(Work work, F&& f) {
  for (std::uint32_t w = first_word_[work]; w < first_word_[work + 1]; ++w) {
    std::uint64_t word = active_[w];
    active_[w] = 0;
    for (; word != 0; word &= word - 1) f((w - first_word_[work]) * 64 + lowest_bit(word));
  }
}

void SwitchFabric::process(Cycle cycle) {
  current_ = cycle;
  const std::size_t slot = cycle % kSlots;
  if ((busy_slots_ >> slot & 1) == 0) return;
  busy_slots_ &= ~(std::uint64_t{1} << slot);
  std::uint64_t* words = &wheel_[slot * words_];
  for (std::size_t w = 0; w < words_; ++w) {
    active_[w] = words[w];
    words[w] = 0;
  }
  // 1. Exits deliver. 2. The last stage's outputs arbitrate. 3. The first stage's outputs
  // arbitrate.
  for_each_active(kEject, [&](std::uint32_t e) { eject(e, cycle); });
  for_each_active(kLink1, [&](std::uint32_t l) { serve(last_stage(), l, cycle); });
  for_each_active(kLink0, [&](std::uint32_t l) { serve(0, l, cycle); });
}

/// Registers the buffer's new head at its output and schedules arbitration for its departure.
void SwitchFabric::bid(unsigned stage, const Fifo& buffer) {
  const std::uint32_t link = link_of(stage, buffer, packets_[buffer.head]);
  OutputLink& l = links_[stage][link];
  l.waiting |= std::uint64_t{1} << buffer.bit;
  due(link_work(stage), link, std::max(buffer.ready, l.free_at));
}

void SwitchFabric::eject(std::uint32_t exit, Cycle cycle) {
  Fifo& f = exits_[exit];
  if (f.head == kNone) return;
  if (unlikely(f.ready > cycle)) {
    due(kEject, exit, f.ready);
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
  drop_packet(pop(f, cycle + 1));
  if (f.head != kNone) due(kEject, exit, f.ready);
  serve_again(last_stage(), exit, cycle);
}

Cycle SwitchFabric::next_ready(unsigned stage, const OutputLink& link, Cycle cycle) const {
  Cycle soonest = kNever;
  for (std::uint64_t heads = link.waiting; heads != 0; heads &= heads - 1) {
    const Cycle ready = buffers_[stage][link.first_buffer + lowest_bit(heads)].ready;
    if (ready > cycle) soonest = std::min(soonest, ready);
  }
  return soonest;
}

std::uint32_t SwitchFabric::arbitrate(unsigned stage, const OutputLink& link, std::uint64_t ready,
                                      Cycle cycle) {
  ArbitrationRequests requests{ready, link.last, nullptr};
  if (unlikely(by_age_)) {
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

void SwitchFabric::serve(unsigned stage, std::uint32_t link, Cycle cycle) {
  OutputLink& l = links_[stage][link];
  if (l.waiting == 0) return;
  if (l.free_at > cycle) {
    due(link_work(stage), link, l.free_at);
    return;
  }
  // The heads that are ready compete.
  std::uint64_t ready = 0;
  for (std::uint64_t heads = l.waiting; heads != 0; heads &= heads - 1) {
    const unsigned head = lowest_bit(heads);
    ready |= std::uint64_t{buffers_[stage][l.first_buffer + head].ready <= cycle} << head;
  }
  if (ready == 0) {
    due(link_work(stage), link, next_ready(stage, l, cycle));
    return;
  }
  const bool alone = (ready & (ready - 1)) == 0;
  const std::uint32_t input = alone ? lowest_bit(ready) : arbitrate(stage, l, ready, cycle);
  const std::uint32_t buffer = l.first_buffer + input;
  Fifo& source = buffers_[stage][buffer];
  const bool last = stage == last_stage();
  Fifo& sink = last ? exits_[l.downstream] : buffers_[1][l.downstream];
  const std::uint32_t flits = packets_[source.head].flits;
  if (unlikely(!fits(sink, flits))) {
    l.blocked_since = std::min(l.blocked_since, cycle);
    // The link is served again when the buffer releases space or when another head is ready, which
    // can win and can fit. The other head is scheduled here, because this pass can have used its
    // event at the wheel's last slot.
    const Cycle other = next_ready(stage, l, cycle);
    if (other != kNever) due(link_work(stage), link, other);
    return;
  }
  if (unlikely(l.blocked_since != kNever)) {
    stats_.buffer_full_cycles += cycle - l.blocked_since;
    l.blocked_since = kNever;
  }
  l.last = static_cast<std::uint16_t>(input);
  l.waiting &= ~(std::uint64_t{1} << input);
  l.free_at = cycle + flits;
  if (l.waiting != 0) due(link_work(stage), link, l.free_at);

  const std::uint32_t index = pop(source, l.free_at);
  if (source.head != kNone) bid(stage, source);
  Packet& p = packets_[index];
  if (last) {
    stats_.egress_busy_cycles[link] += flits;
    p.ready = cycle + latency_ + flits - 1;  // delivered one cycle ahead of the tail
    prefetch_payload(p.payload);
    if (push(sink, index)) due(kEject, link, sink.ready);
  } else {
    p.ready = cycle + latency_;
    if (push(sink, index)) bid(1, sink);
  }
  if (stage != 0) {
    serve_again(0, source.upstream, cycle);
  } else {
    if (entries_[buffer].head != kNone) refill(buffer, cycle);
  }
}

void SwitchFabric::refill(std::uint32_t entry, Cycle cycle) {
  while (true) {
    const std::uint32_t index = entries_[entry].head;
    if (index == kNone || !fits(buffers_[0][entry], packets_[index].flits)) return;
    Packet& p = packets_[index];
    const bool counted = p.counted;
    entries_[entry].head = p.next;
    if (cycle > p.ready) {
      stats_.ingress_wait_cycles += cycle - p.ready;
      p.ready = cycle;
    }
    Fifo& buffer = buffers_[0][entry];
    if (push(buffer, index)) bid(0, buffer);
    client_.entered(entry, counted);
  }
}

std::size_t SwitchFabric::switch_of(unsigned stage, std::size_t buffer) const {
  if (!two_stages_) return 0;
  const std::size_t seconds = exit_group_.back() + 1;
  if (stage == 0) return buffers_[0][buffer].link_base / seconds;
  return buffer / (buffers_[1].size() / seconds);
}

void SwitchFabric::describe_waiting(const std::string& name, std::vector<Waiting>& out) const {
  const auto size = [this](std::uint32_t head) {
    std::size_t n = 0;
    for (; head != kNone; head = packets_[head].next) ++n;
    return n;
  };
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].head == kNone) continue;
    out.push_back({name + ".ingress" + std::to_string(i), size(entries_[i].head),
                   "room in the first switch's input buffer"});
  }
  for (unsigned s = 0; s < stages(); ++s) {
    for (std::size_t b = 0; b < buffers_[s].size(); ++b) {
      const Fifo& f = buffers_[s][b];
      if (f.head == kNone) continue;
      const std::uint32_t link = link_of(s, f, packets_[f.head]);
      const OutputLink& l = links_[s][link];
      std::string waits_for = "output link " + std::to_string(link) + " (egress " +
                              std::to_string(packets_[f.head].exit) + ")";
      if (l.blocked_since != kNever) waits_for += ": no room in the buffer behind it";
      out.push_back({name + ".stage" + std::to_string(s) + ".switch" +
                         std::to_string(switch_of(s, b)) + ".in" + std::to_string(f.bit),
                     size(f.head), waits_for});
    }
  }
  for (std::size_t e = 0; e < exits_.size(); ++e) {
    if (exits_[e].head == kNone) continue;
    out.push_back({name + ".egress" + std::to_string(e), size(exits_[e].head),
                   "the receiver at egress " + std::to_string(e)});
  }
}

}  // namespace tessera
