// SPDX-License-Identifier: Apache-2.0
// Switches with an internal speedup, and with virtual output queues.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/modules/noc/switch_reference.h"

namespace tessera::switch_queues_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

SwitchFabric::Shape with_speedup(unsigned ports, unsigned speedup) {
  SwitchFabric::Shape s = switch_shape(ports, ports);
  s.internal_speedup = speedup;
  return s;
}

SwitchFabric::Shape with_virtual_queues(unsigned ports, unsigned iterations = 1) {
  SwitchFabric::Shape s = switch_shape(ports, ports);
  s.input_queues = InputQueues::kVirtualOutput;
  s.arbitration_iterations = iterations;
  return s;
}

/// The shapes of this file's tests: by speedup, queues and iterations.
std::vector<SwitchFabric::Shape> variants(unsigned entries, unsigned exits) {
  std::vector<SwitchFabric::Shape> all;
  for (const unsigned speedup : {1U, 2U, 3U, 8U}) {
    for (const unsigned iterations : {0U, 1U, 3U}) {  // 0: FIFO inputs
      if (speedup == 1 && iterations == 0) continue;
      SwitchFabric::Shape s = switch_shape(entries, exits);
      s.internal_speedup = speedup;
      if (iterations != 0) {
        s.input_queues = InputQueues::kVirtualOutput;
        s.arbitration_iterations = iterations;
      }
      all.push_back(s);
    }
  }
  return all;
}

/// Tails of the delivered packets, by entry, arrival and exit.
std::vector<DeliveredPacket> sorted_by_packet(const SwitchRig& rig) {
  std::vector<DeliveredPacket> all;
  for (const DeliveredPacket& d : rig.got) {
    const SentPacket& s = rig.sent[d.packet];
    // Named by entry and arrival, which do not depend on the order of calls.
    all.push_back({s.entry * 100'000 + s.arrival, d.exit, d.tail});
  }
  std::sort(all.begin(), all.end(), [](const DeliveredPacket& a, const DeliveredPacket& b) {
    return std::pair(a.packet, a.exit) < std::pair(b.packet, b.exit);
  });
  return all;
}

}  // namespace

TEST_CASE("with a speedup or virtual queues, a lone packet takes as long as without") {
  for (const unsigned ports : {8U, 64U}) {
    for (const SwitchFabric::Shape& s : variants(ports, ports)) {
      for (const unsigned flits : {1U, 9U}) {
        SwitchRig rig(s);
        rig.send({0, ports - 1, flits, 100});
        rig.run(1'000);
        REQUIRE(rig.got.size() == 1);
        CHECK(rig.got[0].tail == 100 + rig.fabric.stages() * 4 + flits);
        CHECK(rig.fabric.zero_load_latency(flits) == rig.fabric.stages() * 4 + flits);
        CHECK(rig.fabric.next() == kNever);
      }
    }
  }
}

TEST_CASE("speedups and virtual queues of small switches against a plain reference") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (const SwitchFabric::Shape& s : variants(8, 8)) compare_with_reference(s, 600, seed);
    for (SwitchFabric::Shape s : variants(13, 6)) {
      s.output_buffer_flits = 18;
      compare_with_reference(s, 600, seed);
    }
    for (SwitchFabric::Shape s : variants(16, 16)) {
      s.buffer_flits = 9;
      s.stage_latency = 1;
      compare_with_reference(s, 600, seed);
    }
    for (SwitchFabric::Shape s : variants(3, 2)) {
      s.stage_latency = 100;  // beyond the wheel's horizon
      compare_with_reference(s, 200, seed);
    }
  }
}

// One seed for each shape: the reference looks at every queue of 16 switches in every step.
TEST_CASE("speedups and virtual queues of 64x64 ports against a plain reference") {
  std::uint64_t seed = 1;
  for (const SwitchFabric::Shape& s : variants(64, 64)) compare_with_reference(s, 500, seed++);
}

TEST_CASE("with speedups and virtual queues, the order of calls does not change the result") {
  for (const SwitchFabric::Shape& s : variants(64, 64)) {
    std::vector<DeliveredPacket> results[2];
    for (int reversed = 0; reversed < 2; ++reversed) {
      SwitchRig rig(s);
      for (Cycle c = 1; c < 300; ++c) {
        for (unsigned i = 0; i < 64; ++i) {
          const unsigned e = reversed != 0 ? 63 - i : i;
          if ((c * 7 + e * 13) % 5 != 0) continue;
          rig.send({e, static_cast<unsigned>((c * 31 + e * 17) % 64), c % 2 == 0 ? 9U : 1U, c + 1});
        }
        rig.run(c);
      }
      rig.run(100'000);
      REQUIRE(rig.fabric.empty());
      results[reversed] = sorted_by_packet(rig);
    }
    CHECK(results[0] == results[1]);
  }
}

TEST_CASE("an exit that is freed before or after a cycle's pass gives the same result") {
  for (const SwitchFabric::Shape& s : variants(8, 8)) {
    std::vector<DeliveredPacket> results[2];
    for (int after = 0; after < 2; ++after) {
      SwitchRig rig(s);
      rig.close(0, kNever);
      for (unsigned i = 0; i < 8; ++i) {
        for (unsigned n = 0; n < 6; ++n) rig.send({i, (i + n) % 3, 9, 1 + n * 9});
      }
      for (Cycle c = 1; c < 400; ++c) {
        rig.now = c;
        // Work for the cycle's first pass, at another exit.
        rig.send({c % 2 == 0 ? 6U : 7U, 5, 1, c + 1});
        const bool opens = c >= 60 && c % 7 == 0;
        if (opens && after == 0) rig.open(0);
        rig.run(c);
        if (opens && after != 0) rig.open(0);
        rig.run(c);
        rig.close(0, kNever);
      }
      rig.open(0);
      rig.run(100'000);
      REQUIRE(rig.fabric.empty());
      results[after] = sorted_by_packet(rig);
    }
    CAPTURE(s.internal_speedup, static_cast<int>(s.input_queues), s.arbitration_iterations);
    CHECK(results[0] == results[1]);
  }
}

TEST_CASE("a buffered packet leaves a switch at the internal speed, and its link at its own") {
  SwitchRig rig(with_speedup(8, 2));
  const auto a = rig.send({0, 0, 9, 10});
  const auto b = rig.send({1, 0, 9, 10});  // waits for the output
  const auto c = rig.send({1, 1, 9, 19});  // waits behind b
  rig.run(1'000);
  // a's last flit arrives in cycle 18 and leaves in its first half.
  CHECK(rig.tail_of(a) == 10 + 4 + 9);
  // b leaves from 18.5 to 23, c after it; c is at the exit link, in whole cycles, at 27.
  CHECK(rig.tail_of(b) == 10 + 4 + 9 + 9);
  CHECK(rig.tail_of(c) == 23 + 4 + 9);

  SwitchRig without(switch_shape(8, 8));
  for (const SentPacket& s : rig.sent) without.send(s);
  without.run(1'000);
  CHECK(without.tail_of(c) == 28 + 4 + 9);
}

TEST_CASE("a link between stages carries as many flits a cycle as the switches") {
  for (const unsigned speedup : {1U, 2U, 4U}) {
    SwitchFabric::Shape s = with_speedup(64, speedup);
    s.buffer_flits = 90;
    SwitchRig rig(s);
    // All eight inputs of a switch to the exits of one second-stage switch, over one link.
    for (unsigned n = 0; n < 40; ++n) {
      for (unsigned i = 0; i < 8; ++i) rig.send({i, i, 9, 1 + n * 9});
    }
    rig.run(100'000);
    REQUIRE(rig.fabric.empty());
    Cycle last = 0;
    for (const DeliveredPacket& d : rig.got) last = std::max(last, d.tail);
    const double rate = 40 * 8 * 9 / static_cast<double>(last - 1 - 8);
    CAPTURE(speedup, rate);
    CHECK(rate <= speedup);
    CHECK(rate > 0.9 * speedup);
  }
}

TEST_CASE("an output buffer adds its size to the space at an exit") {
  for (const unsigned more : {0U, 18U, 36U}) {
    SwitchFabric::Shape s = with_speedup(8, 2);
    s.output_buffer_flits = more;
    SwitchRig rig(s);
    rig.close(0, kNever);
    for (unsigned i = 0; i < 20; ++i) rig.send({0, 0, 9, 1 + 9 * i});
    rig.run(5'000);
    CHECK(rig.in_switch == 2 + 2 + more / 9);
    CHECK(rig.fabric.next() == kNever);  // nothing polls
    rig.open(0);
    rig.run(10'000);
    CHECK(rig.fabric.empty());
    CHECK(rig.stats.buffer_full_cycles > 0);
    CHECK(rig.stats.ingress_wait_cycles > 0);
  }
}

TEST_CASE("with virtual queues, a head that waits holds up no packet for another output") {
  SwitchRig rig(with_virtual_queues(8));
  rig.send({1, 0, 9, 10});                      // takes output 0
  const auto waits = rig.send({2, 0, 1, 11});   // wants it too
  const auto behind = rig.send({2, 5, 1, 12});  // its own output is free
  const auto other = rig.send({3, 5, 1, 12});
  rig.run(1'000);
  CHECK(rig.tail_of(waits) == 19 + 4 + 1);
  CHECK(rig.tail_of(behind) == 12 + 4 + 1);
  CHECK(rig.tail_of(other) == 13 + 4 + 1);
}

TEST_CASE("an input accepts one of its grants, and an output that lost is matched a step later") {
  // Inputs 0 and 1 each have heads for outputs 0 and 1. Both outputs grant input 0.
  for (const unsigned iterations : {1U, 2U}) {
    SwitchRig rig(with_virtual_queues(8, iterations));
    // The entry links carry one packet at a time: the heads wait until 13, when the outputs are
    // free.
    rig.send({6, 0, 9, 4});
    rig.send({7, 1, 9, 4});
    const auto a = rig.send({0, 0, 1, 10});
    const auto b = rig.send({0, 1, 1, 11});
    const auto c = rig.send({1, 0, 1, 10});
    const auto d = rig.send({1, 1, 1, 11});
    rig.run(1'000);
    // The pointers of the outputs are after 6 and 7: at 13, input 0 has two grants and accepts
    // output 0. With a second iteration, output 1 then grants input 1.
    CHECK(rig.tail_of(a) == 13 + 4 + 1);
    CHECK(rig.tail_of(d) == (iterations == 1 ? 15 : 13) + 4 + 1);
    CHECK(rig.tail_of(b) == 14 + 4 + 1);
    CHECK(rig.tail_of(c) == 14 + 4 + 1);
  }
}

TEST_CASE("oldest-first, outputs grant and inputs accept the oldest heads") {
  SwitchFabric::Shape s = with_virtual_queues(8);
  s.arbitration.name = "oldest-first";
  SwitchRig rig(s);
  rig.send({6, 0, 9, 4});  // the outputs are free at 13
  rig.send({7, 1, 9, 4});
  rig.send({5, 2, 9, 4});
  const auto a = rig.send({0, 0, 1, 10});
  const auto b = rig.send({0, 1, 1, 11});
  const auto c = rig.send({1, 0, 1, 9});
  const auto d = rig.send({1, 1, 1, 12});
  const auto f = rig.send({2, 0, 1, 8});
  const auto e = rig.send({2, 2, 1, 10});
  rig.run(1'000);
  // At 13, output 0 grants f, output 1 grants b, output 2 grants e: input 2 accepts f before e.
  CHECK(rig.tail_of(f) == 13 + 4 + 1);
  CHECK(rig.tail_of(b) == 13 + 4 + 1);
  CHECK(rig.tail_of(c) == 14 + 4 + 1);
  CHECK(rig.tail_of(e) == 14 + 4 + 1);
  CHECK(rig.tail_of(a) == 15 + 4 + 1);
  CHECK(rig.tail_of(d) == 15 + 4 + 1);
}

TEST_CASE("the virtual queues of an input share its buffer") {
  SwitchFabric::Shape s = with_virtual_queues(8);
  s.buffer_flits = 18;
  SwitchRig rig(s);
  rig.close(0, kNever);
  for (unsigned i = 0; i < 4; ++i) rig.send({0, 0, 9, 1 + 9 * i});  // two at the exit, two here
  const auto free = rig.send({0, 1, 1, 40});                        // no space for it
  rig.run(1'000);
  CHECK(rig.got.empty());
  CHECK(rig.at_entry == 1);
  CHECK(rig.fabric.next() == kNever);
  std::vector<Waiting> waiting;
  rig.fabric.describe_waiting("x", waiting);
  REQUIRE(waiting.size() == 3);
  CHECK(waiting[1].queue == "x.stage0.switch0.in0.queue0");
  CHECK(waiting[1].items == 2);
  rig.open(0);
  rig.run(2'000);
  CHECK(rig.fabric.empty());
  // The exit's space is available at 1001. The third packet then leaves the input for 9 cycles.
  CHECK(rig.tail_of(free) == 1'001 + 9 + 4 + 1);
}

TEST_CASE("a packet longer than a buffer passes through empty ones, at every speed") {
  for (SwitchFabric::Shape s : variants(64, 64)) {
    s.buffer_flits = 9;
    SwitchRig rig(s);
    const auto a = rig.send({0, 9, 33, 10});
    const auto b = rig.send({0, 9, 33, 43});
    rig.run(1'000);
    CHECK(rig.tail_of(a) == 10 + 8 + 33);
    CHECK(rig.tail_of(b) >= rig.tail_of(a) + 33);
    CHECK(rig.fabric.empty());
  }
}

TEST_CASE("with speedups and virtual queues, a reset leaves nothing behind") {
  for (const SwitchFabric::Shape& s : variants(64, 64)) {
    SwitchRig rig(s);
    rig.close(0, kNever);
    for (unsigned i = 0; i < 200; ++i) rig.send({i % 64, i % 2, 9, 1 + i});
    rig.run(60);
    std::size_t dropped = 0;
    const std::size_t held = rig.fabric.packets();
    REQUIRE(held > 0);
    rig.fabric.reset([&](tlm::tlm_generic_payload&) { ++dropped; });
    CHECK(dropped == held);
    CHECK(rig.fabric.empty());
    CHECK(rig.fabric.next() == kNever);
    rig.close(0, 0);
    const auto p = rig.send({0, 0, 9, rig.now + 1});
    const Cycle at = rig.now + 1;
    rig.run(1'000);
    CHECK(rig.tail_of(p) == at + 8 + 9);
  }
}

}  // namespace tessera::switch_queues_test
