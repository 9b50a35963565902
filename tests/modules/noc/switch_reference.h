// SPDX-License-Identifier: Apache-2.0
#pragma once

// The hardware of a SwitchFabric, written as plainly as can be: every step, every queue.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <deque>
#include <random>
#include <utility>
#include <vector>

#include "tests/modules/noc/switch_rig.h"

namespace tessera::test {

class SwitchReference {
 public:
  /// `open`: [exit][cycle, modulo its size]: whether the receiver takes a packet.
  SwitchReference(const SwitchFabric::Shape& s, std::vector<SentPacket> sent,
                  std::vector<std::vector<bool>> open)
      : s_(s), steps_(s.internal_speedup), sent_(std::move(sent)), open_(std::move(open)) {
    const std::vector<SwitchStage> stages = switch_stages(s.entries, s.exits, s.radix);
    two_ = stages.size() == 2;
    for (const SwitchStage& stage : stages) {
      for (unsigned i = 0; i < stage.switches; ++i) {
        Switch sw;
        sw.inputs.resize(stage.inputs);
        sw.outputs.resize(stage.outputs);
        (stages_[&stage - stages.data()]).push_back(sw);
      }
    }
    entries_.resize(s.entries);
    entry_free_.resize(s.entries, 0);
    exits_.resize(s.exits);
    for (std::size_t i = 0; i < sent_.size(); ++i) entries_[sent_[i].entry].push_back(i);
  }

  std::vector<DeliveredPacket> run() {
    for (Cycle c = 0; got_.size() < sent_.size(); ++c) {
      REQUIRE(c < 1'000'000);
      for (unsigned e = 0; e < s_.exits; ++e) deliver(e, c);
      for (Step t = c * steps_; t < (c + 1) * steps_; ++t) {
        for (unsigned stage = two_ ? 2 : 1; stage-- > 0;) {
          for (unsigned i = 0; i < stages_[stage].size(); ++i) serve(stage, i, t);
        }
        // Entries last: what comes in now competes no sooner than it arrives.
        for (unsigned e = 0; e < s_.entries; ++e) enter(e, t);
      }
    }
    return got_;
  }

 private:
  struct Item {
    std::size_t packet;
    Step ready;
    Step tail;  ///< arrival of the last flit
  };
  struct Input {
    std::deque<Item> items;
    Step free_at = 0;
    unsigned last = 63;
  };
  struct Output {
    Step free_at = 0;
    unsigned last = 63;
  };
  struct Switch {
    std::vector<Input> inputs;
    std::vector<Output> outputs;
  };
  struct Exit {
    std::deque<Item> items;
    Cycle link_free = 0;
    unsigned released = 0;  ///< flits released in this cycle
    Cycle released_at = 0;
  };

  bool virtual_queues() const { return s_.input_queues == InputQueues::kVirtualOutput; }
  unsigned flits(std::size_t p) const { return sent_[p].flits; }
  /// The output of the stage's switch that a packet takes.
  unsigned output_of(unsigned stage, std::size_t p) const {
    const unsigned exits = static_cast<unsigned>(stages_[two_ ? 1 : 0][0].outputs.size());
    return two_ && stage == 0 ? sent_[p].exit / exits : sent_[p].exit % exits;
  }
  unsigned used(const std::deque<Item>& items) const {
    unsigned n = 0;
    for (const Item& i : items) n += flits(i.packet);
    return n;
  }
  bool fits(unsigned stage, unsigned sw, unsigned output, std::size_t p, Step t) {
    if (two_ && stage == 0) {
      const unsigned n = used(stages_[1][output].inputs[sw].items);
      return n == 0 || n + flits(p) <= s_.buffer_flits;
    }
    const Exit& exit = exits_[sent_[p].exit];
    // With a speedup or virtual queues, space is available from the next cycle.
    const bool waits = steps_ > 1 || virtual_queues();
    const unsigned n =
        used(exit.items) + (waits && exit.released_at == t / steps_ ? exit.released : 0);
    return n == 0 || n + flits(p) <= s_.buffer_flits + s_.output_buffer_flits;
  }

  void deliver(unsigned e, Cycle c) {
    Exit& exit = exits_[e];
    if (exit.items.empty() || exit.items.front().ready > c || !open_[e][c % open_[e].size()]) {
      return;
    }
    const std::size_t p = exit.items.front().packet;
    got_.push_back({p, e, c + 1});
    exit.items.pop_front();
    exit.released = flits(p);
    exit.released_at = c;
  }

  /// The position in an input of the packet that it offers to an output; its size if there is none.
  std::size_t offer(unsigned stage, const Input& input, unsigned output, Step t) const {
    if (input.free_at > t) return input.items.size();
    for (std::size_t k = 0; k < input.items.size(); ++k) {
      const bool wanted = output_of(stage, input.items[k].packet) == output;
      if (wanted) return input.items[k].ready <= t ? k : input.items.size();
      if (!virtual_queues()) break;
    }
    return input.items.size();
  }

  void serve(unsigned stage, unsigned index, Step t) {
    Switch& sw = stages_[stage][index];
    const auto inputs = static_cast<unsigned>(sw.inputs.size());
    const auto outputs = static_cast<unsigned>(sw.outputs.size());
    constexpr unsigned kNone = ~0U;
    std::vector<unsigned> match(outputs, kNone);
    std::vector<bool> taken(inputs, false);
    for (unsigned k = 0; k < (virtual_queues() ? s_.arbitration_iterations : 1); ++k) {
      std::vector<unsigned> grant(outputs, kNone);
      for (unsigned o = 0; o < outputs; ++o) {
        if (match[o] != kNone || sw.outputs[o].free_at > t) continue;
        for (unsigned d = 1; d <= 64 && grant[o] == kNone; ++d) {
          const unsigned i = (sw.outputs[o].last + d) % 64;
          if (i >= inputs || taken[i]) continue;
          const std::size_t at = offer(stage, sw.inputs[i], o, t);
          if (at == sw.inputs[i].items.size()) continue;
          if (!fits(stage, index, o, sw.inputs[i].items[at].packet, t)) break;
          grant[o] = i;
        }
      }
      for (unsigned i = 0; i < inputs; ++i) {
        for (unsigned d = 1; d <= 64 && !taken[i]; ++d) {
          const unsigned o = (sw.inputs[i].last + d) % 64;
          if (o >= outputs || grant[o] != i) continue;
          match[o] = i;
          taken[i] = true;
          if (k != 0) continue;
          sw.outputs[o].last = i;
          if (virtual_queues()) sw.inputs[i].last = o;
        }
      }
    }
    for (unsigned o = 0; o < outputs; ++o) {
      if (match[o] != kNone) send(stage, index, match[o], o, t);
    }
  }

  void send(unsigned stage, unsigned index, unsigned i, unsigned o, Step t) {
    Switch& sw = stages_[stage][index];
    Input& input = sw.inputs[i];
    const std::size_t at = offer(stage, input, o, t);
    const Item item = input.items[at];
    input.items.erase(input.items.begin() + static_cast<std::ptrdiff_t>(at));
    const Step end = std::max(t + flits(item.packet), item.tail + 1);
    input.free_at = sw.outputs[o].free_at = end;
    const Step latency = Step{s_.stage_latency} * steps_;
    if (two_ && stage == 0) {
      stages_[1][o].inputs[index].items.push_back({item.packet, t + latency, end - 1 + latency});
      return;
    }
    Exit& exit = exits_[sent_[item.packet].exit];
    const Cycle start = std::max((t + latency + steps_ - 1) / steps_, exit.link_free);
    exit.link_free = start + flits(item.packet);
    exit.items.push_back({item.packet, exit.link_free - 1, 0});
  }

  void enter(unsigned e, Step t) {
    const auto ports = static_cast<unsigned>(stages_[0][0].inputs.size());
    Input& input = stages_[0][e / ports].inputs[e % ports];
    while (!entries_[e].empty()) {
      const std::size_t p = entries_[e].front();
      const unsigned n = used(input.items);
      if (n != 0 && n + flits(p) > s_.buffer_flits) return;
      const Cycle start = std::max(sent_[p].arrival, entry_free_[e]);
      entry_free_[e] = start + flits(p);
      input.items.push_back({p, std::max(start * steps_, t), (entry_free_[e] - 1) * steps_});
      entries_[e].pop_front();
    }
  }

  SwitchFabric::Shape s_;
  Step steps_;
  std::vector<SentPacket> sent_;
  std::vector<std::vector<bool>> open_;
  bool two_ = false;
  std::array<std::vector<Switch>, 2> stages_;
  std::vector<std::deque<std::size_t>> entries_;
  std::vector<Cycle> entry_free_;
  std::vector<Exit> exits_;
  std::vector<DeliveredPacket> got_;
};

/// Random packets, all known from the start, exits that close at random; both models, same result.
inline void compare_with_reference(const SwitchFabric::Shape& s, unsigned packets,
                                   std::uint64_t seed) {
  CAPTURE(s.entries, s.exits, s.internal_speedup, static_cast<int>(s.input_queues),
          s.arbitration_iterations, seed);
  std::mt19937_64 random(seed);
  std::vector<SentPacket> sent;
  std::vector<Cycle> at(s.entries, 1);
  for (unsigned i = 0; i < packets; ++i) {
    const auto entry = static_cast<unsigned>(random() % s.entries);
    const auto exit = static_cast<unsigned>(random() % 3 == 0 ? random() % std::min(2U, s.exits)
                                                              : random() % s.exits);
    at[entry] += random() % 4 == 0 ? random() % 150 : random() % 12;
    sent.push_back({entry, exit, random() % 2 == 0 ? 1U : 9U, at[entry]});
  }
  std::vector<std::vector<bool>> open(s.exits, std::vector<bool>(509));
  for (auto& e : open) {
    for (std::size_t c = 0; c < e.size(); ++c) e[c] = random() % 3 != 0;
  }

  SwitchRig rig(s);
  for (const SentPacket& x : sent) rig.send(x);
  // An exit that is closed in a cycle opens with the next open one.
  const auto set_exits = [&](Cycle c) {
    for (unsigned e = 0; e < s.exits; ++e) {
      Cycle o = c;
      while (!open[e][o % 509]) ++o;
      rig.close(e, o);
    }
  };
  for (Cycle c = rig.fabric.next(); c != kNever; c = rig.fabric.next()) {
    REQUIRE(c < 1'000'000);
    rig.now = c;
    set_exits(c);
    rig.fabric.process(c);
  }
  REQUIRE(rig.fabric.empty());

  std::vector<DeliveredPacket> expected = SwitchReference(s, sent, open).run();
  const auto order = [](const DeliveredPacket& a, const DeliveredPacket& b) {
    return std::pair(a.tail, a.exit) < std::pair(b.tail, b.exit);
  };
  std::sort(rig.got.begin(), rig.got.end(), order);
  std::sort(expected.begin(), expected.end(), order);
  REQUIRE(rig.got.size() == sent.size());
  const auto differs = std::mismatch(expected.begin(), expected.end(), rig.got.begin());
  if (differs.first != expected.end()) CHECK(*differs.second == *differs.first);

  // Conservation, and first in first out between each pair of ports.
  std::vector<unsigned> times(sent.size(), 0);
  std::vector<std::vector<std::size_t>> last(s.entries, std::vector<std::size_t>(s.exits, 0));
  for (const DeliveredPacket& g : rig.got) {
    ++times[g.packet];
    CHECK(sent[g.packet].exit == g.exit);
    std::size_t& before = last[sent[g.packet].entry][g.exit];
    CHECK(g.packet + 1 > before);
    before = g.packet + 1;
  }
  CHECK(std::all_of(times.begin(), times.end(), [](unsigned n) { return n == 1; }));
  CHECK(rig.stats.packets == sent.size());
}

}  // namespace tessera::test
