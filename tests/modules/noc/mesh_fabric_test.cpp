// SPDX-License-Identifier: Apache-2.0
// Routers, virtual channels and credits of a mesh, in exact cycles and beside a plain reference.
#include "modules/noc/mesh_fabric.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/modules/noc/mesh_reference.h"
#include "tests/modules/noc/mesh_rig.h"

namespace tessera::mesh_fabric_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

/// Router and link latency of the defaults.
constexpr Cycle kHop = 4 + 1;

/// Columns and rows between two nodes of a mesh without concentration, and the router itself.
unsigned hops(unsigned width, unsigned from, unsigned to) {
  const auto apart = [](unsigned a, unsigned b) { return a > b ? a - b : b - a; };
  return 1 + apart(from % width, to % width) + apart(from / width, to / width);
}

MeshConfig with(MeshConfig c, unsigned vcs, unsigned vc_flits, unsigned router, unsigned link,
                unsigned credit) {
  c.vcs = vcs;
  c.vc_flits = vc_flits;
  c.router_latency = router;
  c.link_latency = link;
  c.credit_latency = credit;
  return c;
}

struct Traffic {
  std::vector<SentPacket> sent;         ///< in the order of their arrivals
  std::vector<std::vector<bool>> open;  ///< [exit][cycle]
};

/// Bursts of random packets of 1 to `longest` flits, and exits that are closed for `closed` of the
/// time.
Traffic random_traffic(unsigned entries, unsigned exits, unsigned packets, double rate,
                       unsigned longest, double closed, unsigned seed) {
  std::mt19937 random(seed);
  const auto chance = [&random](double p) { return random() % 1'000 < p * 1'000; };
  Traffic t;
  for (Cycle c = 1; t.sent.size() < packets; ++c) {
    // Every eighth exit is a hot spot.
    for (unsigned e = 0; e < entries && t.sent.size() < packets; ++e) {
      if (!chance(rate)) continue;
      const unsigned exit = chance(0.2) ? static_cast<unsigned>(random() % exits) / 8 * 8
                                        : static_cast<unsigned>(random() % exits);
      t.sent.push_back({e, exit, 1 + static_cast<unsigned>(random() % longest), c});
    }
  }
  t.open.assign(exits, std::vector<bool>(509, true));
  for (auto& exit : t.open) {
    for (std::size_t c = 0; c < exit.size();) {
      // Runs of a few cycles.
      const bool open = !chance(closed);
      for (unsigned n = 1 + random() % 12; n > 0 && c < exit.size(); --n) exit[c++] = open;
    }
    exit[0] = true;
  }
  return t;
}

/// When a closed exit opens again.
Cycle opens(const std::vector<bool>& open, Cycle cycle) {
  while (!open[cycle % open.size()]) ++cycle;
  return cycle;
}

/// A rig whose exits follow a pattern.
class PatternRig final : public MeshFabric::Client {
 public:
  PatternRig(const MeshConfig& c, unsigned entries, unsigned exits, const Traffic& t)
      : stats(exits),
        fabric(MeshFabric::shape_of(c, entries, exits, NocDirection::kRequests), *this, stats),
        t_(t),
        payloads_(t.sent.size()) {}

  /// `order`: 0: packets are injected before the cycle's work; 1: after it; 2: after it, by
  /// descending entries. Exits that open are announced in the cycle of the refusal (`order` 0), or
  /// in the cycle in which they open.
  std::vector<DeliveredPacket> run(unsigned order) {
    order_ = order;
    std::size_t next = 0;
    for (Cycle c = 0; got_.size() < t_.sent.size(); ++c) {
      REQUIRE(c < 1'000'000);
      std::vector<std::size_t> arriving;
      while (next < t_.sent.size() && t_.sent[next].arrival == c + 1) arriving.push_back(next++);
      if (order == 2) std::reverse(arriving.begin(), arriving.end());
      if (order == 0) inject(c, arriving);
      pass(c);
      if (order != 0) {
        for (unsigned e = 0; e < refused_at_.size(); ++e) {
          if (refused_at_[e] == kNever || !t_.open[e][c % t_.open[e].size()]) continue;
          refused_at_[e] = kNever;
          fabric.exit_ready(c, e, c);
          pass(c);  // a second pass of the cycle
        }
        inject(c, arriving);
      }
    }
    return in_order(got_);
  }
  bool deliver(unsigned exit, const NetworkPacket& p, Cycle cycle) override {
    if (!t_.open[exit][cycle % t_.open[exit].size()]) {
      if (order_ == 0) {
        fabric.exit_ready(cycle, exit, opens(t_.open[exit], cycle));
      } else {
        refused_at_.resize(t_.open.size(), kNever);
        refused_at_[exit] = cycle;
      }
      return false;
    }
    got_.push_back({static_cast<std::size_t>(p.payload->get_address()), exit, cycle + 1});
    return true;
  }
  void entered(unsigned, bool) override { --waiting; }

  NocStats stats;
  MeshFabric fabric;
  std::size_t waiting = 0;

 private:
  void pass(Cycle c) {
    while (fabric.next() <= c) {
      REQUIRE(fabric.next() == c);
      fabric.process(c);
    }
  }
  void inject(Cycle c, const std::vector<std::size_t>& packets) {
    for (const std::size_t p : packets) {
      const SentPacket& s = t_.sent[p];
      payloads_[p].set_address(p);
      if (!fabric.inject(c, s.entry, s.exit, payloads_[p], s.flits * 32, s.flits, s.arrival)) {
        ++waiting;
      }
    }
  }

  const Traffic& t_;
  std::vector<tlm::tlm_generic_payload> payloads_;
  std::vector<DeliveredPacket> got_;
  std::vector<Cycle> refused_at_;
  unsigned order_ = 0;
};

void check_against_reference(const MeshConfig& c, unsigned entries, unsigned exits,
                             const Traffic& t) {
  REQUIRE(c.validate(entries, exits).empty());
  CAPTURE(c.width, c.height, c.vcs, c.vc_flits, c.router_latency, c.link_latency, c.credit_latency);
  MeshReference reference(c, entries, exits, t.sent, t.open);
  const std::vector<DeliveredPacket> expected = reference.run();
  PatternRig rig(c, entries, exits, t);
  const std::vector<DeliveredPacket> got = rig.run(0);
  const auto first = std::mismatch(got.begin(), got.end(), expected.begin()).first;
  const auto at = static_cast<std::size_t>(first - got.begin());
  CAPTURE(at);
  if (at != got.size()) {
    CAPTURE(got[at], expected[at]);
    CHECK(got[at] == expected[at]);
  }
  CHECK(std::vector<std::uint64_t>(rig.stats.link_busy_cycles.begin(),
                                   rig.stats.link_busy_cycles.end()) == reference.busy);
  CHECK(rig.stats.buffer_full_cycles == reference.blocked);
  CHECK(rig.stats.ingress_wait_cycles == reference.ingress_wait);
  CHECK(rig.fabric.empty());
  CHECK(rig.waiting == 0);
}

}  // namespace

TEST_CASE("a lone packet takes its hops and its flits, for every pair of nodes of every size") {
  const struct {
    unsigned width, height, router, link, flits;
  } cases[] = {{1, 1, 4, 1, 1}, {2, 1, 4, 1, 5}, {1, 3, 4, 1, 1}, {4, 4, 4, 1, 5}, {6, 6, 4, 1, 1},
               {6, 6, 3, 1, 5}, {5, 3, 6, 2, 9}, {8, 8, 4, 1, 5}, {3, 7, 3, 4, 2}};
  for (const auto& k : cases) {
    CAPTURE(k.width, k.height, k.router, k.link, k.flits);
    MeshRig rig(with(mesh_of(k.width, k.height), 1, 16, k.router, k.link, 2));
    const unsigned nodes = k.width * k.height;
    for (unsigned from = 0; from < nodes; ++from) {
      for (unsigned to = 0; to < nodes; ++to) {
        const Cycle arrival = rig.now + 3;
        const std::size_t p = rig.send({from, to, k.flits, arrival});
        rig.run(arrival + 1'000);
        const Cycle expected = Cycle{hops(k.width, from, to)} * (k.router + k.link) + k.flits;
        if (rig.tail_of(p) - arrival != expected) {
          CAPTURE(from, to);
          CHECK(rig.tail_of(p) - arrival == expected);
        }
        if (rig.fabric.zero_load_latency(k.flits, from, to) != expected) {
          CHECK(rig.fabric.zero_load_latency(k.flits, from, to) == expected);
        }
        rig.got.clear();
      }
    }
    CHECK(rig.fabric.empty());
    CHECK(rig.stats.packets == std::uint64_t{nodes} * nodes);
  }
}

TEST_CASE("a long packet through small buffers moves at the pace of credits") {
  // Between routers a flit and its credit take 4 + 1 + 2 cycles: 4 flits in 7 cycles.
  MeshRig rig(with(mesh_of(3, 1), 1, 4, 4, 1, 2));
  const std::size_t p = rig.send({0, 2, 12, 10});
  rig.run(1'000);
  // Of 12 flits, the last is the fourth of the third group.
  CHECK(rig.tail_of(p) == 10 + 3 * kHop + 1 + 2 * 7 + 3);
}

TEST_CASE("a VC is allocated again in the cycle after its tail has won the switch") {
  MeshRig rig(mesh_of(2, 1));
  const std::size_t first = rig.send({0, 1, 1, 10});
  const std::size_t second = rig.send({0, 1, 1, 11});
  rig.run(1'000);
  CHECK(rig.tail_of(first) == 10 + 2 * kHop + 1);
  // A packet of n flits occupies the VC for n + 1 cycles.
  CHECK(rig.tail_of(second) == rig.tail_of(first) + 2);
}

TEST_CASE("with two VCs, packets of different pairs follow each other without a gap") {
  MeshConfig c = mesh_of(2, 1);
  c.vcs = 2;
  MeshRig rig(c);
  // (0 + 0) and (0 + 1) differ modulo 2; the second takes its own VC.
  const std::size_t first = rig.send({0, 0, 1, 10});
  const std::size_t second = rig.send({0, 1, 1, 11});
  rig.run(1'000);
  CHECK(rig.tail_of(first) == 10 + kHop + 1);
  CHECK(rig.tail_of(second) == 11 + 2 * kHop + 1);
}

TEST_CASE("wormhole: a blocked packet holds its VCs, and a packet behind it waits") {
  // Buffers of 8 flits at each router and at the egress.
  MeshRig rig(mesh_of(3, 1));
  rig.close(2, 500);
  const std::size_t lone = rig.send({0, 2, 1, 10});
  const std::size_t worm = rig.send({0, 2, 32, 11});
  const std::size_t behind = rig.send({0, 1, 1, 50});  // to another egress
  rig.run(400);
  CHECK(rig.got.empty());
  std::vector<Waiting> waiting;
  rig.fabric.describe_waiting("noc.request", waiting);
  std::vector<std::string> lines;
  for (const Waiting& w : waiting) {
    lines.push_back(w.queue + " " + std::to_string(w.items) + ": " + w.waits_for);
  }
  const std::string body = "packet ingress 0 -> egress 2 (body flit): a credit of ";
  CHECK(lines == std::vector<std::string>{
                     "noc.request.ingress0 2: packet to egress 2 (flit 31 of 32): room in "
                     "router0.ingress0.vc0",
                     "noc.request.router0.ingress0.vc0 8: " + body + "router1.west.vc0",
                     "noc.request.router1.west.vc0 8: " + body + "router2.west.vc0",
                     "noc.request.router2.west.vc0 8: " + body + "egress2.vc0",
                     "noc.request.egress2 1: packet of ingress 0: the receiver at egress 2"});
  rig.run(2'000);
  // The egress is free at 501, its credits come back at 503. Router 2 sends from 503 on, router 1
  // from 505, router 0 from 507, the entry in 509. The last flit leaves router 0 in 515, router 1
  // in 521 and router 2 in 527, each time after 8 others.
  CHECK(rig.tail_of(lone) == 501);
  CHECK(rig.tail_of(worm) == 527 + 3);
  // At the front of router 1 after 521: VC allocation, switch allocation.
  CHECK(rig.tail_of(behind) == 523 + 3);
  CHECK(rig.fabric.empty());
  CHECK(rig.at_entry == 0);
}

TEST_CASE("a router without flits, and one that waits for credits, costs nothing") {
  MeshRig rig(mesh_of(6, 6));
  CHECK(rig.fabric.next() == kNever);
  rig.close(35, kNever);
  for (unsigned n = 0; n < 40; ++n) rig.send({0, 35, 5, 10});
  rig.run(10'000);
  const std::size_t passes = rig.passes;
  CHECK(rig.fabric.next() == kNever);
  CHECK_FALSE(rig.fabric.empty());
  CHECK(passes < 500);
  rig.open(35);
  rig.run(20'000);
  CHECK(rig.got.size() == 40);
  CHECK(rig.fabric.empty());
  CHECK(rig.fabric.next() == kNever);
}

TEST_CASE("each link counts its flits, along the row first") {
  MeshRig rig(mesh_of(3, 2));
  rig.send({0, 5, 5, 10});  // (0, 0) to (2, 1)
  rig.send({5, 0, 2, 10});  // and back
  rig.run(1'000);
  std::vector<Counter> expected(6 * 4, 0);
  expected[0 * 4 + 0] = expected[1 * 4 + 0] = expected[2 * 4 + 2] = 5;  // east, east, south
  expected[5 * 4 + 1] = expected[4 * 4 + 1] = expected[3 * 4 + 3] = 2;  // west, west, north
  CHECK(rig.stats.link_busy_cycles == expected);
  CHECK(rig.stats.egress_busy_cycles[5] == 5);
  CHECK(rig.stats.segment_bytes == 4 * (5 + 2) * 32);
}

TEST_CASE("a mesh does as its hardware written plainly, under random traffic and stalls") {
  const MeshConfig meshes[] = {mesh_of(4, 4),
                               with(mesh_of(3, 3), 2, 8, 4, 1, 2),
                               with(mesh_of(4, 3), 1, 1, 3, 1, 1),
                               with(mesh_of(5, 2), 2, 3, 5, 2, 3),
                               with(mesh_of(3, 4), 4, 2, 3, 3, 1),
                               with(mesh_of(1, 6), 3, 5, 4, 1, 7),
                               with(mesh_of(2, 2), 1, 8, 40, 30, 20)};
  unsigned seed = 1;
  for (const MeshConfig& c : meshes) {
    for (const double rate : {0.02, 0.15, 0.6}) {
      for (const double closed : {0.0, 0.5}) {
        const Traffic t = random_traffic(nodes_of(c), nodes_of(c), 900, rate, 9, closed, seed++);
        check_against_reference(c, nodes_of(c), nodes_of(c), t);
      }
    }
  }
}

TEST_CASE("a mesh with several nodes at a router does as its hardware written plainly") {
  for (const unsigned vcs : {1U, 2U}) {
    MeshConfig c = with(mesh_of(3, 3), vcs, 4, 4, 1, 2);
    c.concentration = 3;
    const Traffic t = random_traffic(27, 27, 1'500, 0.1, 6, 0.3, 70 + vcs);
    check_against_reference(c, 27, 27, t);
    // Ingress and egress ports of different nodes.
    c.shared_nodes = false;
    const Traffic apart = random_traffic(20, 7, 1'500, 0.05, 6, 0.3, 80 + vcs);
    check_against_reference(c, 20, 7, apart);
  }
}

TEST_CASE("a mesh's result does not depend on the order of calls in a cycle") {
  for (const unsigned vcs : {1U, 2U}) {
    const MeshConfig c = with(mesh_of(4, 4), vcs, 4, 4, 1, 2);
    const Traffic t = random_traffic(16, 16, 4'000, 0.3, 6, 0.4, 90 + vcs);
    const std::vector<DeliveredPacket> before = PatternRig(c, 16, 16, t).run(0);
    CHECK(PatternRig(c, 16, 16, t).run(1) == before);
    CHECK(PatternRig(c, 16, 16, t).run(2) == before);
  }
}

TEST_CASE("full queues and exits that stall neither lose, nor reorder, nor lock up packets") {
  for (const unsigned vcs : {1U, 2U}) {
    const MeshConfig c = with(mesh_of(6, 6), vcs, 2, 4, 1, 2);
    // Far more than the mesh carries: every entry has a queue until the end.
    const Traffic t = random_traffic(36, 36, 60'000, 0.9, 8, 0.7, 7 + vcs);
    PatternRig rig(c, 36, 36, t);
    const std::vector<DeliveredPacket> got = rig.run(0);
    REQUIRE(got.size() == t.sent.size());
    std::vector<bool> seen(t.sent.size(), false);
    std::vector<std::size_t> last(36 * 36, 0);
    for (const DeliveredPacket& g : got) {
      const SentPacket& s = t.sent[g.packet];
      if (seen[g.packet] || g.exit != s.exit) FAIL("packet " << g);
      seen[g.packet] = true;
      std::size_t& before = last[s.entry * 36 + s.exit];
      if (g.packet + 1 <= before) FAIL("out of order: " << g);
      before = g.packet + 1;
    }
    CHECK(rig.fabric.empty());
  }
}

TEST_CASE("a mesh's reset drops all packets and restores the state after construction") {
  MeshRig rig(mesh_of(4, 4));
  const auto run = [&rig] {
    rig.got.clear();
    const Cycle begin = rig.now;
    for (unsigned n = 0; n < 200; ++n) rig.send({n % 16, n * 7 % 16, 1 + n % 5, begin + 1 + n / 8});
    rig.run(begin + 20);
    return begin;
  };
  run();
  CHECK_FALSE(rig.fabric.empty());
  std::size_t dropped = 0;
  rig.fabric.reset([&dropped](tlm::tlm_generic_payload&) { ++dropped; });
  CHECK(dropped == 200 - rig.got.size());
  CHECK(rig.fabric.empty());
  CHECK(rig.fabric.next() == kNever);
  rig.now += 100;
  const Cycle begin = run();
  rig.run(begin + 5'000);
  CHECK(rig.got.size() == 200);
  MeshRig fresh(mesh_of(4, 4));
  fresh.now = begin;
  const std::size_t first = rig.sent.size() - 200;
  for (std::size_t n = 0; n < 200; ++n) fresh.send(rig.sent[first + n]);
  fresh.run(begin + 5'000);
  std::vector<DeliveredPacket> again = rig.got;
  for (DeliveredPacket& g : again) g.packet -= first;
  CHECK(in_order(again) == in_order(fresh.got));
}

}  // namespace tessera::mesh_fabric_test
