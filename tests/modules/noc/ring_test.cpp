// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/ring.h"

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "tests/modules/noc/noc_rig.h"

namespace tessera::ring_test {

namespace {

using namespace tessera::test;  // NOLINT

constexpr unsigned kReadFlits = 1;  // 8 B
constexpr unsigned kLineFlits = 9;  // 136 B over 16 B

RingConfig ring_of(std::uint32_t hop_latency, std::uint32_t buffer_packets = 4) {
  RingConfig c;
  c.hop_latency = hop_latency;
  c.buffer_packets = buffer_packets;
  return c;
}

/// A lone read from node 0 and its response, cycle by cycle.
void check_lone_read(unsigned nodes, unsigned to, unsigned hops) {
  RingRig rig(nodes, nodes, ring_of(5));
  const auto i = rig.send(1'000, 0, to);
  rig.run_for(3'000);
  REQUIRE(rig.slice.arrivals().size() == 1);
  const auto& arrival = rig.slice.arrivals()[0];
  CHECK(arrival.port == to);
  CHECK(arrival.at == rig.clock.time_of(1'000 + hops * 5 + kReadFlits));
  CHECK(rig.sm.result(i).end_req == rig.clock.time_of(1'000 + kReadFlits));
  const Tick response = arrival.at + rig.slice.config().latency + rig.slice.config().response_delay;
  const Cycle head = rig.clock.cycle_from(response);
  CHECK(rig.sm.result(i).begin_resp == rig.clock.time_of(head + hops * 5 + kLineFlits));
  CHECK(rig.sm.result(i).request.route_depth() == 0);
  check_drained(rig.conformance());
  CHECK(rig.dut.zero_load_latency(136, 0, to) == rig.clock.time_of(hops * 5 + kLineFlits));
  CHECK(rig.dut.requests().latency.sum() == hops * 5 + kReadFlits);
  CHECK(rig.dut.requests().segment_bytes == hops * 8);
  CHECK(rig.dut.responses().segment_bytes == hops * 136);
  CHECK(rig.dut.responses().egress_busy_cycles[0] == kLineFlits);
}

/// Entries that always have a packet, exits that always take one.
class Saturated final : public RingFabric::Client {
 public:
  Saturated(unsigned nodes, std::function<unsigned(unsigned entry, unsigned n)> exit_of)
      : stats(nodes), fabric({nodes, 4, 4}, *this, stats), exit_of_(std::move(exit_of)) {
    sent_.resize(nodes, 0);
    waiting_.resize(nodes, 0);
  }

  /// Flits delivered in a cycle, on average.
  double run(Cycle warm_up, Cycle cycles) {
    for (Cycle c = 0; c < warm_up + cycles; ++c) {
      if (c == warm_up) stats.reset();
      for (unsigned e = 0; e < sent_.size(); ++e) feed(e, c);
      fabric.process(c);
    }
    return static_cast<double>(stats.flits) / static_cast<double>(cycles);
  }
  bool deliver(unsigned, const RingFabric::Packet&, Cycle) override { return true; }
  void entered(unsigned entry, bool) override { --waiting_[entry]; }

  NocStats stats;
  RingFabric fabric;

 private:
  void feed(unsigned entry, Cycle cycle) {
    while (waiting_[entry] < 2 && fabric.entry_free(entry) <= cycle + 1) {
      const unsigned exit = exit_of_(entry, sent_[entry]++);
      const Cycle at = std::max(cycle + 1, fabric.entry_free(entry));
      if (!fabric.inject(cycle, entry, exit, payload_, 136, kLineFlits, at)) ++waiting_[entry];
    }
  }

  std::function<unsigned(unsigned, unsigned)> exit_of_;
  tlm::tlm_generic_payload payload_;
  std::vector<unsigned> sent_;
  std::vector<unsigned> waiting_;
};

/// All others, one after the other.
Saturated uniform(unsigned nodes) {
  return {nodes, [nodes](unsigned e, unsigned n) { return (e + 1 + n % (nodes - 1)) % nodes; }};
}

/// In flits a cycle.
double uniform_bound(unsigned nodes) {
  const RingConfig c;
  return c.uniform_bandwidth(nodes) / c.bandwidth(1);
}

}  // namespace

TEST_CASE("a lone read on a ring takes its hops clockwise") { check_lone_read(4, 1, 1); }

TEST_CASE("a lone read on a ring goes the shorter way round") { check_lone_read(7, 5, 2); }

TEST_CASE("a lone read to the opposite node passes half of the ring") { check_lone_read(8, 4, 4); }

TEST_CASE("what is as far both ways goes clockwise") {
  RingRig rig(4, 4, ring_of(5));
  // The clockwise segments of nodes 0 and 1 are taken, by lines to the node after next.
  rig.send(100, 0, 2, true);
  rig.send(100, 1, 2, true);
  rig.run_for(1'000);
  REQUIRE(rig.slice.arrivals().size() == 2);
  CHECK(rig.slice.arrivals()[0].at == rig.clock.time_of(100 + 5 + kLineFlits));
  // Through node 1 in five cycles, when its segment has been busy for five of nine; then the exit.
  CHECK(rig.slice.arrivals()[1].at == rig.clock.time_of(100 + 9 + 5 + kLineFlits));
}

TEST_CASE("a node's request to itself takes its serialisation only") {
  RingRig rig(4, 4, ring_of(5));
  rig.send(100, 2, 2, true);
  rig.run_for(1'000);
  REQUIRE(rig.slice.arrivals().size() == 1);
  CHECK(rig.slice.arrivals()[0].at == rig.clock.time_of(100 + kLineFlits));
}

TEST_CASE("both directions of a ring carry at once") {
  RingRig rig(4, 4, ring_of(5));
  rig.send(100, 0, 1, true);
  rig.send(100, 0, 3, true);
  rig.run_for(1'000);
  REQUIRE(rig.slice.arrivals().size() == 2);
  CHECK(rig.slice.arrivals()[0].at == rig.clock.time_of(100 + 5 + kLineFlits));
  // Behind the other at the entry, which is as wide as a segment.
  CHECK(rig.slice.arrivals()[1].at == rig.clock.time_of(100 + 9 + 5 + kLineFlits));
}

TEST_CASE("each to its next node fills every clockwise segment") {
  Saturated s(8, [](unsigned e, unsigned) { return (e + 1) % 8; });
  CHECK(s.run(1'000, 9'000) == Approx(8).epsilon(0.01));
}

TEST_CASE("each to the opposite node fills the clockwise ring and no more") {
  Saturated s(8, [](unsigned e, unsigned) { return (e + 4) % 8; });
  const double flits = s.run(2'000, 20'000);
  CHECK(flits <= 8.0 / 4 * 1.01);
  CHECK(flits >= 8.0 / 4 * 0.9);
}

TEST_CASE("uniform traffic comes near the bound of the clockwise segments, and not above") {
  for (const unsigned nodes : {4U, 5U, 6U, 8U}) {
    CAPTURE(nodes);
    Saturated s = uniform(nodes);
    const double flits = s.run(2'000, 20'000);
    // An entry is as wide as a segment, too.
    const double bound = std::min<double>(uniform_bound(nodes), nodes);
    CHECK(flits <= 1.01 * bound);
    CHECK(flits >= 0.8 * bound);
  }
}

TEST_CASE("the bound of uniform traffic counts the clockwise segments of a packet") {
  CHECK(uniform_bound(2) == 2);  // one hop
  CHECK(uniform_bound(3) == 6);  // the other goes the other way
  CHECK(uniform_bound(4) == 4);  // 1 + 2 hops of three packets
  CHECK(uniform_bound(8) == Approx(5.6));
}

TEST_CASE("a ring conforms under random traffic, stalls and styles") {
  check_conformance<RingRig>(5, 5, ring_of(3));
}

TEST_CASE("a ring with the least buffers conforms under random traffic, stalls and styles") {
  check_conformance<RingRig>(4, 4, ring_of(1, 2));
}

TEST_CASE("requests of one node to another stay in order on a ring under random stalls") {
  check_order_under_stalls<RingRig>(6, ring_of(2, 2), 2'000);
}

TEST_CASE("a full ring with the least buffers goes on: what enters leaves room for what is on it") {
  RingRig rig(4, 4, ring_of(1, 2));
  rig.slice.stall_until(rig.clock.time_of(2'000));
  for (unsigned n = 0; n < 200; ++n) rig.send(10, n % 4, (n % 4 + 2) % 4, true, n);
  rig.run_for(1'500);
  std::vector<Waiting> waiting;
  rig.dut.describe_waiting(waiting);
  CHECK_FALSE(waiting.empty());
  REQUIRE(run_until_done(rig.conformance(), us(1'000)));
  check_each_completed_once(rig.conformance(), tlm::TLM_OK_RESPONSE);
  check_drained(rig.conformance());
}

TEST_CASE("a ring's faults are reported: nodes, buffers, latency") {
  RingConfig c;
  CHECK(c.validate(4, 4).empty());
  CHECK(c.validate(4, 3).size() == 1);
  CHECK(c.validate(1, 1).size() == 1);
  c.buffer_packets = 1;
  c.hop_latency = 0;
  CHECK(c.validate().size() == 2);
}

}  // namespace tessera::ring_test
