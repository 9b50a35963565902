// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/switch_fabric.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <memory>
#include <ostream>
#include <random>
#include <vector>

namespace {

using tessera::Cycle;
using tessera::kNever;
using tessera::NocStats;
using tessera::SwitchFabric;

struct Sent {
  unsigned entry, exit, flits;
  Cycle arrival;
};
struct Got {
  std::size_t packet;  ///< number in the order of sending
  unsigned exit;
  Cycle tail;
  bool operator==(const Got& o) const {
    return packet == o.packet && exit == o.exit && tail == o.tail;
  }
  friend std::ostream& operator<<(std::ostream& out, const Got& g) {
    return out << "packet " << g.packet << " at exit " << g.exit << ", tail at " << g.tail;
  }
};

/// Drives a fabric as DuplexNetwork does: stops only where the fabric asks for it.
class Rig final : public SwitchFabric::Client {
 public:
  explicit Rig(const SwitchFabric::Shape& shape)
      : shape_(shape),
        stats(shape.exits),
        fabric(shape, *this, stats),
        waiting(shape.entries, 0),
        closed_(shape.exits, 0) {}

  std::size_t send(const Sent& s) {
    payloads_.push_back(std::make_unique<tlm::tlm_generic_payload>());
    payloads_.back()->set_address(payloads_.size() - 1);
    sent.push_back(s);
    if (fabric.inject(now, s.entry, s.exit, *payloads_.back(), s.flits * 16, s.flits, s.arrival)) {
      ++in_switch;
    } else {
      ++at_entry;
      ++waiting[s.entry];
    }
    return sent.size() - 1;
  }
  /// The exit takes nothing that would be sent before `until`.
  void close(unsigned exit, Cycle until) { closed_[exit] = until; }
  void run(Cycle until) {
    for (Cycle next = fabric.next(); next <= until; next = fabric.next()) {
      REQUIRE(next >= now);
      now = next;
      fabric.process(now);
      ++passes;
    }
    now = std::max(now, until);
  }
  bool deliver(unsigned exit, const SwitchFabric::Packet& p, Cycle cycle) override {
    if (closed_[exit] > cycle) {
      if (closed_[exit] != kNever) fabric.exit_ready(cycle, exit, closed_[exit]);
      return false;
    }
    got.push_back({static_cast<std::size_t>(p.payload->get_address()), exit, cycle + 1});
    if (on_deliver) on_deliver(exit, cycle);
    return true;
  }
  void entered(unsigned entry, bool) override {
    --at_entry;
    --waiting[entry];
    ++in_switch;
  }
  void open(unsigned exit) {
    closed_[exit] = 0;
    fabric.exit_ready(now, exit, now);
  }
  Cycle tail_of(std::size_t packet) const {
    for (const Got& g : got) {
      if (g.packet == packet) return g.tail;
    }
    return kNever;
  }

  const SwitchFabric::Shape shape_;
  NocStats stats;
  SwitchFabric fabric;
  Cycle now = 0;
  std::vector<Sent> sent;
  std::vector<Got> got;
  std::size_t at_entry = 0;
  std::size_t in_switch = 0;
  std::vector<unsigned> waiting;  ///< by entry
  std::size_t passes = 0;
  std::function<void(unsigned, Cycle)> on_deliver;

 private:
  std::vector<Cycle> closed_;
  std::vector<std::unique_ptr<tlm::tlm_generic_payload>> payloads_;
};

SwitchFabric::Shape shape(unsigned entries, unsigned exits) {
  SwitchFabric::Shape s;
  s.entries = entries;
  s.exits = exits;
  return s;
}

/// The same hardware, written as plainly as can be: every cycle, every queue.
class Reference {
 public:
  Reference(const SwitchFabric::Shape& s, std::vector<Sent> sent,
            std::vector<std::vector<bool>> open)
      : s_(s), sent_(std::move(sent)), open_(std::move(open)) {
    two_ = std::max(s.entries, s.exits) > s.radix;
    ins_ = outs_ = 1;
    while (ins_ * ins_ < s.entries) ++ins_;
    while (outs_ * outs_ < s.exits) ++outs_;
    groups_in_ = (s.entries + ins_ - 1) / ins_;
    groups_out_ = (s.exits + outs_ - 1) / outs_;
    if (!two_) {
      ins_ = s.entries;
      groups_in_ = 1;
    }
    entry_.resize(s.entries);
    first_.resize(s.entries);
    middle_.resize(two_ ? groups_out_ * groups_in_ : 0);
    exit_.resize(s.exits);
    first_link_.resize(two_ ? groups_in_ * groups_out_ : 0);
    exit_link_.resize(s.exits);
    for (std::size_t i = 0; i < sent_.size(); ++i) entry_[sent_[i].entry].push_back(i);
    entry_free_.resize(s.entries, 0);
  }

  std::vector<Got> run() {
    for (Cycle c = 0; got_.size() < sent_.size(); ++c) {
      REQUIRE(c < 1'000'000);
      cycle(c);
    }
    return got_;
  }

 private:
  struct Item {
    std::size_t packet;
    Cycle ready;
  };
  struct Queue {
    std::deque<Item> items;
    Cycle free_at = 0;
  };
  struct Link {
    Cycle free_at = 0;
    unsigned last = 63;
  };

  unsigned flits(std::size_t p) const { return sent_[p].flits; }
  bool fits(const Queue& q, unsigned n) const {
    unsigned used = 0;
    for (const Item& i : q.items) used += flits(i.packet);
    return used == 0 || used + n <= s_.buffer_flits;
  }

  template <class Buffer, class Wants>
  void arbitrate(Link& link, unsigned inputs, Buffer buffer, Wants wants, Queue& sink, bool last,
                 Cycle c) {
    if (link.free_at > c) return;
    for (unsigned k = 1; k <= 64; ++k) {
      const unsigned i = (link.last + k) % 64;
      if (i >= inputs) continue;
      Queue* q = buffer(i);
      if (q == nullptr || q->items.empty() || q->items.front().ready > c || q->free_at > c ||
          !wants(q->items.front().packet)) {
        continue;
      }
      const std::size_t p = q->items.front().packet;
      if (!fits(sink, flits(p))) return;
      q->items.pop_front();
      q->free_at = c + flits(p);
      link.free_at = c + flits(p);
      link.last = i;
      sink.items.push_back({p, c + s_.stage_latency + (last ? flits(p) - 1 : 0)});
      return;
    }
  }

  void cycle(Cycle c) {
    for (unsigned e = 0; e < s_.exits; ++e) {
      Queue& q = exit_[e];
      if (q.items.empty() || q.items.front().ready > c || !open_[e][c % open_[e].size()]) continue;
      got_.push_back({q.items.front().packet, e, c + 1});
      q.items.pop_front();
    }
    for (unsigned e = 0; e < s_.exits; ++e) {
      const auto wants = [&](std::size_t p) { return sent_[p].exit == e; };
      if (two_) {
        const auto buffer = [&](unsigned i) { return &middle_[e / outs_ * groups_in_ + i]; };
        arbitrate(exit_link_[e], groups_in_, buffer, wants, exit_[e], true, c);
      } else {
        const auto buffer = [&](unsigned i) { return &first_[i]; };
        arbitrate(exit_link_[e], s_.entries, buffer, wants, exit_[e], true, c);
      }
    }
    for (unsigned l = 0; l < first_link_.size(); ++l) {
      const unsigned a = l / groups_out_, b = l % groups_out_;
      const auto wants = [&](std::size_t p) { return sent_[p].exit / outs_ == b; };
      const auto buffer = [&](unsigned i) {
        return a * ins_ + i < s_.entries ? &first_[a * ins_ + i] : nullptr;
      };
      arbitrate(first_link_[l], ins_, buffer, wants, middle_[b * groups_in_ + a], false, c);
    }
    // Entries last: what comes in now competes no sooner than it arrives.
    for (unsigned e = 0; e < s_.entries; ++e) {
      while (!entry_[e].empty()) {
        const std::size_t p = entry_[e].front();
        if (!fits(first_[e], flits(p))) break;
        const Cycle start = std::max(sent_[p].arrival, entry_free_[e]);
        entry_free_[e] = start + flits(p);
        first_[e].items.push_back({p, std::max(start, c)});
        entry_[e].pop_front();
      }
    }
  }

  SwitchFabric::Shape s_;
  std::vector<Sent> sent_;
  std::vector<std::vector<bool>> open_;
  bool two_ = false;
  unsigned ins_ = 1, outs_ = 1, groups_in_ = 1, groups_out_ = 1;
  std::vector<std::deque<std::size_t>> entry_;
  std::vector<Cycle> entry_free_;
  std::vector<Queue> first_, middle_, exit_;
  std::vector<Link> first_link_, exit_link_;
  std::vector<Got> got_;
};

/// Random packets, all known from the start, exits that close at random; both models, same result.
void compare_with_reference(const SwitchFabric::Shape& s, unsigned packets, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Sent> sent;
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

  Rig rig(s);
  for (const Sent& x : sent) rig.send(x);
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

  std::vector<Got> expected = Reference(s, sent, open).run();
  const auto order = [](const Got& a, const Got& b) {
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
  for (const Got& g : rig.got) {
    ++times[g.packet];
    CHECK(sent[g.packet].exit == g.exit);
    std::size_t& before = last[sent[g.packet].entry][g.exit];
    CHECK(g.packet + 1 > before);
    before = g.packet + 1;
  }
  CHECK(std::all_of(times.begin(), times.end(), [](unsigned n) { return n == 1; }));
  CHECK(rig.stats.packets == sent.size());
}

/// Every entry always has a packet ready; `exit_of(entry, n)` is its n-th packet's exit. Returns
/// delivered flits per cycle between two points of the run.
template <class ExitOf>
double saturate(const SwitchFabric::Shape& s, unsigned flits, ExitOf exit_of) {
  Rig rig(s);
  std::vector<unsigned> sent(s.entries, 0);
  std::vector<unsigned> open(s.entries, 0);
  const Cycle warm = 2'000, end = 22'000;
  std::uint64_t counted = 0;
  rig.on_deliver = [&](unsigned, Cycle c) {
    if (c >= warm) counted += flits;
  };
  for (Cycle c = 0; c < end; ++c) {
    for (unsigned e = 0; e < s.entries; ++e) {
      if (rig.fabric.entry_free(e) > c + 1 || rig.waiting[e] > 1) continue;
      rig.send({e, exit_of(e, sent[e]), flits, c + 1});
      ++sent[e];
    }
    rig.run(c);
  }
  return static_cast<double>(counted) / static_cast<double>(end - warm);
}

}  // namespace

TEST_CASE("a lone packet takes its stages' latency and its serialisation") {
  for (const auto& [ports, stages] : {std::pair{8U, 1U}, {64U, 2U}, {12U, 2U}, {1U, 1U}}) {
    for (unsigned flits : {1U, 9U}) {
      Rig rig(shape(ports, ports));
      CHECK(rig.fabric.stages() == stages);
      rig.send({0, ports - 1, flits, 100});
      rig.run(1'000);
      REQUIRE(rig.got.size() == 1);
      CHECK(rig.got[0].exit == ports - 1);
      CHECK(rig.got[0].tail == 100 + stages * 4 + flits);
      CHECK(rig.fabric.zero_load_latency(flits) == stages * 4 + flits);
      CHECK(rig.fabric.empty());
    }
  }
}

TEST_CASE("every entry reaches every exit, ports in any number") {
  for (const auto& [in, out] : {std::pair{64U, 64U}, {8U, 16U}, {33U, 5U}, {5U, 33U}, {7U, 8U}}) {
    for (unsigned i = 0; i < in; ++i) {
      Rig rig(shape(in, out));
      for (unsigned o = 0; o < out; ++o) {
        const std::size_t p = rig.send({i, o, 1, rig.now + 1});
        rig.run(rig.now + 100);
        REQUIRE(rig.got.size() == o + 1);
        CHECK(rig.got[o].packet == p);
        CHECK(rig.got[o].exit == o);
      }
    }
  }
}

TEST_CASE("of two packets to one output the second is later by the first one's serialisation") {
  for (unsigned ports : {8U, 64U}) {
    Rig rig(shape(ports, ports));
    const auto a = rig.send({0, 3, 9, 10});
    const auto b = rig.send({1, 3, 1, 10});
    rig.run(1'000);
    const Cycle latency = rig.fabric.stages() * 4;
    CHECK(rig.tail_of(a) == 10 + latency + 9);
    CHECK(rig.tail_of(b) == 10 + latency + 9 + 1);
  }
}

TEST_CASE("an entry link carries one packet at a time") {
  Rig rig(shape(8, 8));
  const auto a = rig.send({0, 3, 9, 10});
  CHECK(rig.fabric.entry_free(0) == 19);
  const auto b = rig.send({0, 4, 1, 11});
  CHECK(rig.fabric.entry_free(0) == 20);
  rig.run(1'000);
  CHECK(rig.tail_of(a) == 10 + 4 + 9);
  CHECK(rig.tail_of(b) == 19 + 4 + 1);
}

TEST_CASE("an output serves its inputs in turn") {
  Rig rig(shape(8, 8));
  for (unsigned n = 0; n < 2; ++n) {
    for (unsigned i : {5U, 2U, 7U}) rig.send({i, 0, 1, 10});
  }
  rig.run(1'000);
  std::vector<unsigned> inputs;
  for (const Got& g : rig.got) inputs.push_back(rig.sent[g.packet].entry);
  CHECK(inputs == std::vector<unsigned>{2, 5, 7, 2, 5, 7});
  for (std::size_t i = 0; i < rig.got.size(); ++i) CHECK(rig.got[i].tail == 10 + 4 + 1 + i);
}

TEST_CASE("a head that waits holds up the packet behind it, not its neighbours") {
  Rig rig(shape(8, 8));
  rig.send({1, 0, 9, 10});                      // takes output 0
  const auto waits = rig.send({2, 0, 1, 11});   // wants it too
  const auto behind = rig.send({2, 5, 1, 12});  // its own output is free
  const auto other = rig.send({3, 5, 1, 12});
  rig.run(1'000);
  CHECK(rig.tail_of(waits) == 19 + 4 + 1);
  CHECK(rig.tail_of(behind) == 20 + 4 + 1);
  CHECK(rig.tail_of(other) == 12 + 4 + 1);
}

TEST_CASE("a closed exit fills every buffer on the way to its capacity, then lets them drain") {
  for (unsigned ports : {8U, 64U}) {
    SwitchFabric::Shape s = shape(ports, ports);
    s.buffer_flits = 20;
    Rig rig(s);
    rig.close(0, kNever);
    const unsigned buffers = rig.fabric.stages() + 1;
    const unsigned whole = 20 / 9 * buffers;  // packets of 9 flits: two a buffer
    for (unsigned i = 0; i < whole + 3; ++i) rig.send({0, 0, 9, 1 + 9 * i});
    rig.run(5'000);
    CHECK(rig.got.empty());
    CHECK(rig.in_switch == whole);
    CHECK(rig.at_entry == 3);
    CHECK(rig.fabric.next() == kNever);  // nothing polls
    std::vector<tessera::Waiting> waiting;
    rig.fabric.describe_waiting("x", waiting);
    CHECK(waiting.size() == buffers + 1);

    rig.open(0);
    rig.run(10'000);
    REQUIRE(rig.got.size() == whole + 3);
    for (std::size_t i = 0; i < rig.got.size(); ++i) CHECK(rig.got[i].packet == i);
    CHECK(rig.got[0].tail == 5'001);
    CHECK(rig.at_entry == 0);
    CHECK(rig.fabric.empty());
    CHECK(rig.stats.buffer_full_cycles > 0);
    CHECK(rig.stats.ingress_wait_cycles > 0);
  }
}

TEST_CASE("a packet longer than a buffer passes through empty ones") {
  SwitchFabric::Shape s = shape(64, 64);
  s.buffer_flits = 9;
  Rig rig(s);
  const auto a = rig.send({0, 9, 33, 10});
  const auto b = rig.send({0, 9, 33, 43});
  rig.run(1'000);
  CHECK(rig.tail_of(a) == 10 + 8 + 33);
  CHECK(rig.tail_of(b) >= rig.tail_of(a) + 33);
  CHECK(rig.fabric.empty());
}

TEST_CASE("an arrival far ahead, and one after a long silence, are served on time") {
  Rig rig(shape(64, 64));
  const auto a = rig.send({0, 1, 1, 777});
  rig.run(2'000);
  CHECK(rig.tail_of(a) == 777 + 8 + 1);
  rig.now = 1'000'000'003;
  const auto b = rig.send({0, 1, 1, rig.now + 1});
  rig.run(rig.now + 100);
  CHECK(rig.tail_of(b) == 1'000'000'004 + 8 + 1);
}

TEST_CASE("a head that arrives far ahead is served on time at an output that waits for room") {
  SwitchFabric::Shape s = shape(8, 8);
  s.buffer_flits = 20;
  Rig rig(s);
  rig.close(0, 500);
  for (unsigned i = 0; i < 2; ++i) rig.send({5, 0, 9, 1 + 9 * i});  // 18 flits stand at the exit
  rig.send({2, 0, 9, 30});                                          // waits for room
  const auto small = rig.send({7, 0, 1, 190});  // fits, and its turn is before 2's
  rig.run(400);
  CHECK(rig.in_switch == 4);
  CHECK(rig.got.empty());
  CHECK(rig.stats.egress_busy_cycles[0] == 9 + 9 + 1);
  rig.run(1'000);
  REQUIRE(rig.got.size() == 4);
  CHECK(rig.got[2].packet == small);
}

TEST_CASE("a random test against a reference that looks at every queue in every cycle") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    compare_with_reference(shape(8, 8), 600, seed);
    compare_with_reference(shape(64, 64), 1'500, seed);
    compare_with_reference(shape(13, 6), 600, seed);
    SwitchFabric::Shape tight = shape(16, 16);
    tight.buffer_flits = 9;
    tight.stage_latency = 1;
    compare_with_reference(tight, 600, seed);
    SwitchFabric::Shape slow = shape(1, 1);
    slow.stage_latency = 100;
    compare_with_reference(slow, 200, seed);
  }
}

TEST_CASE("the order of calls does not change the result") {
  std::vector<Got> results[2];
  for (int reversed = 0; reversed < 2; ++reversed) {
    Rig rig(shape(64, 64));
    for (Cycle c = 1; c < 400; ++c) {
      for (unsigned i = 0; i < 64; ++i) {
        const unsigned e = reversed != 0 ? 63 - i : i;
        if ((c * 7 + e * 13) % 5 != 0) continue;
        rig.send({e, static_cast<unsigned>((c * 31 + e * 17) % 64), c % 2 == 0 ? 9U : 1U, c + 1});
      }
      rig.run(c);
    }
    rig.run(100'000);
    REQUIRE(rig.fabric.empty());
    for (const Got& g : rig.got) {
      const Sent& s = rig.sent[g.packet];
      // Named by entry and arrival, which do not depend on the order of calls.
      results[reversed].push_back({s.entry * 100'000 + s.arrival, g.exit, g.tail});
    }
  }
  CHECK(results[0] == results[1]);
}

TEST_CASE("saturating streams reach the narrowest link's bound and never exceed it") {
  const auto check = [](double rate, double bound) {
    CAPTURE(rate, bound);
    CHECK(rate <= bound * 1.0001);
    CHECK(rate >= 0.9 * bound);
  };
  for (unsigned flits : {1U, 9U}) {
    CAPTURE(flits);
    // One switch, a permutation: every exit link is full.
    check(saturate(shape(8, 8), flits, [](unsigned e, unsigned) { return (e + 3) % 8; }), 8);
    // Two stages, a permutation without conflicts between the stages: every link is full.
    check(saturate(shape(64, 64), flits, [](unsigned e, unsigned) { return e % 8 * 8 + e / 8; }),
          64);
    // Two stages, all of a switch's inputs to one switch: the one link between them bounds each.
    check(saturate(shape(64, 64), flits, [](unsigned e, unsigned) { return e; }), 8);
    // Every entry to one exit.
    check(saturate(shape(64, 64), flits, [](unsigned, unsigned) { return 17U; }), 1);
    // More entries than exits, one switch: the exits bound.
    SwitchFabric::Shape narrow = shape(16, 4);
    narrow.radix = 16;
    check(saturate(narrow, flits, [](unsigned e, unsigned) { return e % 4; }), 4);
  }
}

TEST_CASE("random destinations saturate where first-in-first-out inputs are known to") {
  std::mt19937_64 random(1);
  const auto anywhere = [&](unsigned n) {
    return [&random, n](unsigned, unsigned) { return static_cast<unsigned>(random() % n); };
  };
  // Karol, Hluchyj, Morgan 1987: 0.6184 for eight inputs with unbounded queues. Queues of finite
  // length and an input that is read while its tail drains cost a little.
  const double one = saturate(shape(8, 8), 9, anywhere(8)) / 8;
  CAPTURE(one);
  CHECK(one > 0.55);
  CHECK(one < 0.66);
  const double two = saturate(shape(64, 64), 9, anywhere(64)) / 64;
  CAPTURE(two);
  CHECK(two > 0.45);
  CHECK(two < 0.66);
}

TEST_CASE("a reset leaves nothing behind") {
  SwitchFabric::Shape s = shape(64, 64);
  Rig rig(s);
  rig.close(0, kNever);
  for (unsigned i = 0; i < 40; ++i) rig.send({i % 64, 0, 9, 1 + i});
  rig.run(20);
  std::size_t dropped = 0;
  const std::size_t held = rig.fabric.packets();
  rig.fabric.reset([&](tlm::tlm_generic_payload&) { ++dropped; });
  CHECK(dropped == held);
  CHECK(rig.fabric.empty());
  CHECK(rig.fabric.next() == kNever);
  rig.close(0, 0);
  const auto p = rig.send({0, 0, 1, rig.now + 1});
  const Cycle at = rig.now + 1;
  rig.run(1'000);
  CHECK(rig.tail_of(p) == at + 8 + 1);
}
