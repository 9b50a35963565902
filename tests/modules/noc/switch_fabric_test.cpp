// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/switch_fabric.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "tests/modules/noc/switch_reference.h"

namespace tessera::switch_fabric_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

/// Every entry always has a packet ready; `exit_of(entry, n)` is its n-th packet's exit. Returns
/// delivered flits per cycle between two points of the run.
template <class ExitOf>
double saturate(const SwitchFabric::Shape& s, unsigned flits, ExitOf exit_of) {
  SwitchRig rig(s);
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
      SwitchRig rig(switch_shape(ports, ports));
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
      SwitchRig rig(switch_shape(in, out));
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
    SwitchRig rig(switch_shape(ports, ports));
    const auto a = rig.send({0, 3, 9, 10});
    const auto b = rig.send({1, 3, 1, 10});
    rig.run(1'000);
    const Cycle latency = rig.fabric.stages() * 4;
    CHECK(rig.tail_of(a) == 10 + latency + 9);
    CHECK(rig.tail_of(b) == 10 + latency + 9 + 1);
  }
}

TEST_CASE("an entry link carries one packet at a time") {
  SwitchRig rig(switch_shape(8, 8));
  const auto a = rig.send({0, 3, 9, 10});
  CHECK(rig.fabric.entry_free(0) == 19);
  const auto b = rig.send({0, 4, 1, 11});
  CHECK(rig.fabric.entry_free(0) == 20);
  rig.run(1'000);
  CHECK(rig.tail_of(a) == 10 + 4 + 9);
  CHECK(rig.tail_of(b) == 19 + 4 + 1);
}

TEST_CASE("an output serves its inputs in turn") {
  SwitchRig rig(switch_shape(8, 8));
  for (unsigned n = 0; n < 2; ++n) {
    for (unsigned i : {5U, 2U, 7U}) rig.send({i, 0, 1, 10});
  }
  rig.run(1'000);
  std::vector<unsigned> inputs;
  for (const DeliveredPacket& g : rig.got) inputs.push_back(rig.sent[g.packet].entry);
  CHECK(inputs == std::vector<unsigned>{2, 5, 7, 2, 5, 7});
  for (std::size_t i = 0; i < rig.got.size(); ++i) CHECK(rig.got[i].tail == 10 + 4 + 1 + i);
}

TEST_CASE("a head that waits holds up the packet behind it, not its neighbours") {
  SwitchRig rig(switch_shape(8, 8));
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
    SwitchFabric::Shape s = switch_shape(ports, ports);
    s.buffer_flits = 20;
    SwitchRig rig(s);
    rig.close(0, kNever);
    const unsigned buffers = rig.fabric.stages() + 1;
    const unsigned whole = 20 / 9 * buffers;  // packets of 9 flits: two a buffer
    for (unsigned i = 0; i < whole + 3; ++i) rig.send({0, 0, 9, 1 + 9 * i});
    rig.run(5'000);
    CHECK(rig.got.empty());
    CHECK(rig.in_switch == whole);
    CHECK(rig.at_entry == 3);
    CHECK(rig.fabric.next() == kNever);  // nothing polls
    std::vector<Waiting> waiting;
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
  SwitchFabric::Shape s = switch_shape(64, 64);
  s.buffer_flits = 9;
  SwitchRig rig(s);
  const auto a = rig.send({0, 9, 33, 10});
  const auto b = rig.send({0, 9, 33, 43});
  rig.run(1'000);
  CHECK(rig.tail_of(a) == 10 + 8 + 33);
  CHECK(rig.tail_of(b) >= rig.tail_of(a) + 33);
  CHECK(rig.fabric.empty());
}

TEST_CASE("an arrival far ahead, and one after a long silence, are served on time") {
  SwitchRig rig(switch_shape(64, 64));
  const auto a = rig.send({0, 1, 1, 777});
  rig.run(2'000);
  CHECK(rig.tail_of(a) == 777 + 8 + 1);
  rig.now = 1'000'000'003;
  const auto b = rig.send({0, 1, 1, rig.now + 1});
  rig.run(rig.now + 100);
  CHECK(rig.tail_of(b) == 1'000'000'004 + 8 + 1);
}

TEST_CASE("a head that arrives far ahead is served on time at an output that waits for room") {
  SwitchFabric::Shape s = switch_shape(8, 8);
  s.buffer_flits = 20;
  SwitchRig rig(s);
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
    compare_with_reference(switch_shape(8, 8), 600, seed);
    compare_with_reference(switch_shape(64, 64), 1'500, seed);
    compare_with_reference(switch_shape(13, 6), 600, seed);
    SwitchFabric::Shape tight = switch_shape(16, 16);
    tight.buffer_flits = 9;
    tight.stage_latency = 1;
    compare_with_reference(tight, 600, seed);
    SwitchFabric::Shape slow = switch_shape(1, 1);
    slow.stage_latency = 100;
    compare_with_reference(slow, 200, seed);
  }
}

TEST_CASE("the order of calls does not change the result") {
  std::vector<DeliveredPacket> results[2];
  for (int reversed = 0; reversed < 2; ++reversed) {
    SwitchRig rig(switch_shape(64, 64));
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
    for (const DeliveredPacket& g : rig.got) {
      const SentPacket& s = rig.sent[g.packet];
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
    check(saturate(switch_shape(8, 8), flits, [](unsigned e, unsigned) { return (e + 3) % 8; }), 8);
    // Two stages, a permutation without conflicts between the stages: every link is full.
    check(saturate(switch_shape(64, 64), flits,
                   [](unsigned e, unsigned) { return e % 8 * 8 + e / 8; }),
          64);
    // Two stages, all of a switch's inputs to one switch: the one link between them bounds each.
    check(saturate(switch_shape(64, 64), flits, [](unsigned e, unsigned) { return e; }), 8);
    // Every entry to one exit.
    check(saturate(switch_shape(64, 64), flits, [](unsigned, unsigned) { return 17U; }), 1);
    // More entries than exits, one switch: the exits bound.
    SwitchFabric::Shape narrow = switch_shape(16, 4);
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
  const double one = saturate(switch_shape(8, 8), 9, anywhere(8)) / 8;
  CAPTURE(one);
  CHECK(one > 0.55);
  CHECK(one < 0.66);
  const double two = saturate(switch_shape(64, 64), 9, anywhere(64)) / 64;
  CAPTURE(two);
  CHECK(two > 0.45);
  CHECK(two < 0.66);
}

TEST_CASE("a reset leaves nothing behind") {
  SwitchFabric::Shape s = switch_shape(64, 64);
  SwitchRig rig(s);
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

}  // namespace tessera::switch_fabric_test
