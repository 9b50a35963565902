// SPDX-License-Identifier: Apache-2.0
// Structure of a SwitchFabric, its reset, and the description of what waits.
#include <algorithm>

#include "modules/noc/switch_fabric.h"

namespace tessera {

SwitchFabric::Shape SwitchFabric::shape_of(const Config& c, unsigned entries, unsigned exits,
                                           NocDirection) {
  Shape s;
  s.entries = entries;
  s.exits = exits;
  s.radix = c.radix;
  s.stage_latency = c.stage_latency;
  s.buffer_flits = c.buffer_flits();
  s.arbitration = c.arbitration;
  s.internal_speedup = c.internal_speedup;
  s.output_buffer_flits = c.output_flits();
  s.input_queues = c.input_queues;
  s.arbitration_iterations = c.arbitration_iterations;
  return s;
}

SwitchFabric::SwitchFabric(const Shape& shape, Client& client, NocStats& stats)
    : client_(client),
      stats_(stats),
      speedup_(shape.internal_speedup),
      latency_(Step{shape.stage_latency} * shape.internal_speedup),
      capacity_(shape.buffer_flits),
      exit_capacity_(shape.buffer_flits + shape.output_buffer_flits),
      shape_(switch_stages(shape.entries, shape.exits, shape.radix)),
      two_stages_(shape_.size() == 2),
      plain_(shape.internal_speedup == 1 && shape.input_queues == InputQueues::kFifo),
      arbiter_(shape.arbitration.make({shape.radix})),
      by_age_(arbiter_->compares_age()),
      exit_group_(shape.exits, 0),
      exits_(shape.exits),
      entries_(shape.entries) {
  buffers_[0].resize(shape.entries);
  links_[last_stage()].resize(shape.exits);
  if (two_stages_) {
    build_two_stages();
  } else {
    for (std::uint32_t i = 0; i < shape.entries; ++i) buffers_[0][i].bit = i;
  }
  for (std::uint32_t i = 0; i < shape.entries; ++i) buffers_[0][i].upstream = i;
  for (std::uint32_t e = 0; e < shape.exits; ++e) {
    exits_[e].upstream = e;
    links_[last_stage()][e].downstream = static_cast<std::uint16_t>(e);
  }
  if (shape.input_queues == InputQueues::kVirtualOutput) {
    for (unsigned s = 0; s < stages(); ++s) {
      virtual_queues_.emplace_back(shape_[s], buffers_[s].size(), links_[s].size(),
                                   shape.arbitration_iterations, *arbiter_, packets_);
    }
  }
  if (!one_step()) exit_free_.assign(shape.exits, 0);
  // kLink1 is the last stage's work, kLink0 that of the stage before it.
  wheel_.lay_out({exits_.size(), exits_.size(), two_stages_ ? links_[0].size() : 0}, speedup_);
}

void SwitchFabric::build_two_stages() {
  const std::uint32_t ins = shape_[0].inputs;
  const std::uint32_t outs = shape_[1].outputs;
  const std::uint32_t firsts = shape_[0].switches;
  const std::uint32_t seconds = shape_[1].switches;
  links_[0].resize(std::size_t{firsts} * seconds);
  buffers_[1].resize(std::size_t{seconds} * firsts);
  for (std::uint32_t i = 0; i < buffers_[0].size(); ++i) {
    buffers_[0][i].link_base = i / ins * seconds;
    buffers_[0][i].bit = i % ins;
  }
  for (std::uint32_t a = 0; a < firsts; ++a) {
    for (std::uint32_t b = 0; b < seconds; ++b) {
      SwitchLink& link = links_[0][a * seconds + b];
      link.first_buffer = static_cast<std::uint16_t>(a * ins);
      link.downstream = static_cast<std::uint16_t>(b * firsts + a);
      buffers_[1][link.downstream].upstream = a * seconds + b;
      buffers_[1][link.downstream].bit = a;
    }
  }
  for (std::uint32_t e = 0; e < exits_.size(); ++e) {
    exit_group_[e] = e / outs;
    links_[1][e].first_buffer = static_cast<std::uint16_t>(e / outs * firsts);
  }
}

void SwitchFabric::clear() {
  const auto empty = [](SwitchBuffer& b) {
    b.head = b.tail = kNoPacket;
    b.used = 0;
    b.ready = 0;
  };
  for (auto& stage : buffers_) std::for_each(stage.begin(), stage.end(), empty);
  std::for_each(exits_.begin(), exits_.end(), empty);
  for (auto& stage : links_) {
    for (SwitchLink& l : stage) {
      l.waiting = 0;
      l.free_at = 0;
      l.blocked_since = kNever;
      l.last = 63;
    }
  }
  for (VirtualQueues& queues : virtual_queues_) queues.clear();
  for (SwitchEntry& e : entries_) e = SwitchEntry{};
  packets_.clear();
  free_packets_.clear();
  live_ = 0;
  tails_.clear();
  std::fill(exit_free_.begin(), exit_free_.end(), 0);
  credits_.clear();
  wheel_.clear();
}

void SwitchFabric::describe_waiting(const std::string& name, std::vector<Waiting>& out) const {
  const auto size = [this](std::uint32_t head) {
    std::size_t n = 0;
    for (; head != kNoPacket; head = packets_[head].next) ++n;
    return n;
  };
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].head == kNoPacket) continue;
    out.push_back({name + ".ingress" + std::to_string(i), size(entries_[i].head),
                   WaitKind::kQueueFull, "room in the first switch's input buffer"});
  }
  for (unsigned s = 0; s < stages(); ++s) {
    const auto add = [&](std::size_t buffer, const std::string& queue, std::uint32_t head) {
      if (head == kNoPacket) return;
      const SwitchBuffer& b = buffers_[s][buffer];
      const std::uint32_t link = link_of(s, b, packets_[head]);
      std::string waits_for = "output link " + std::to_string(link) + " (egress " +
                              std::to_string(packets_[head].exit) + ")";
      const bool blocked = links_[s][link].blocked_since != kNever;
      if (blocked) waits_for += ": no room in the buffer behind it";
      out.push_back({name + ".stage" + std::to_string(s) + ".switch" +
                         std::to_string(buffer / shape_[s].inputs) + ".in" + std::to_string(b.bit) +
                         queue,
                     size(head), blocked ? WaitKind::kQueueFull : WaitKind::kBandwidth, waits_for});
    };
    for (std::uint32_t b = 0; b < buffers_[s].size(); ++b) {
      if (virtual_queues_.empty()) add(b, "", buffers_[s][b].head);
      for (std::uint32_t o = 0; !virtual_queues_.empty() && o < shape_[s].outputs; ++o) {
        add(b, ".queue" + std::to_string(o), virtual_queues_[s].head(b, o));
      }
    }
  }
  for (std::size_t e = 0; e < exits_.size(); ++e) {
    if (exits_[e].head == kNoPacket) continue;
    out.push_back({name + ".egress" + std::to_string(e), size(exits_[e].head), WaitKind::kQueueFull,
                   "the receiver at egress " + std::to_string(e)});
  }
}

}  // namespace tessera
