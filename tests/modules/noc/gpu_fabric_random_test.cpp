// SPDX-License-Identifier: Apache-2.0
// Random traffic through the fabric: against a model that steps cycle by cycle, and against
// receivers that stall.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "modules/noc/gpu_fabric.h"
#include "tests/modules/noc/gpu_fabric_traffic.h"

namespace tessera::gpu_fabric_random_test {

namespace {

using namespace tessera::test;  // NOLINT

/// The contract of gpu_fabric.h, one cycle at a time, for receivers that take everything and ports
/// that never fill. Returns when each packet is delivered.
std::vector<Cycle> stepped(const std::vector<Sent>& all, unsigned gpus, std::uint32_t flit,
                           Cycle latency, std::size_t switch_packets) {
  struct Wire {
    Cycle free_at = 0;
    unsigned turn = 0;  ///< served first
  };
  const unsigned n = gpus * 2;
  std::vector<std::deque<std::size_t>> ports(n);
  std::vector<std::vector<std::deque<std::pair<Cycle, std::size_t>>>> outputs(
      gpus, std::vector<std::deque<std::pair<Cycle, std::size_t>>>(n));
  std::vector<std::size_t> credits(n, switch_packets + 2 * latency);
  std::vector<std::deque<Cycle>> returning(n);  ///< credits
  std::vector<Wire> up(gpus);
  std::vector<Wire> down(gpus);
  std::vector<Cycle> delivered(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) ports[all[i].from * 2 + all[i].c].push_back(i);
  std::size_t left = all.size();
  for (Cycle cycle = 0; left != 0; ++cycle) {
    for (unsigned g = 0; g < gpus; ++g) {
      for (unsigned k = 0; k < n && down[g].free_at <= cycle; ++k) {
        const unsigned q = (down[g].turn + k) % n;
        if (outputs[g][q].empty() || outputs[g][q].front().first > cycle) continue;
        const std::size_t i = outputs[g][q].front().second;
        outputs[g][q].pop_front();
        returning[q].push_back(cycle + latency);
        down[g] = {cycle + (all[i].bytes + flit - 1) / flit, (q + 1) % n};
        delivered[i] = down[g].free_at;
        --left;
      }
    }
    for (unsigned g = 0; g < gpus; ++g) {
      for (unsigned k = 0; k < 2 && up[g].free_at <= cycle; ++k) {
        const unsigned c = (up[g].turn + k) % 2;
        const unsigned q = g * 2 + c;
        if (ports[q].empty() || all[ports[q].front()].at > cycle) continue;
        for (; !returning[q].empty() && returning[q].front() <= cycle; returning[q].pop_front()) {
          ++credits[q];
        }
        if (credits[q] == 0) continue;
        const std::size_t i = ports[q].front();
        ports[q].pop_front();
        --credits[q];
        outputs[all[i].to][q].push_back({cycle + latency, i});
        up[g] = {cycle + (all[i].bytes + flit - 1) / flit, (c + 1) % 2};
      }
    }
  }
  return delivered;
}

/// Each packet once, at the right port, in order between each pair and class, and counted.
void check_conserved(const FabricRig& rig, const std::vector<Sent>& all) {
  REQUIRE(rig.delivered() == all.size());
  std::vector<std::vector<std::uint64_t>> bytes(rig.gpus, std::vector<std::uint64_t>(rig.gpus));
  std::vector<std::vector<std::uint64_t>> packets = bytes;
  for (const Sent& s : all) {
    bytes[s.from][s.to] += s.bytes;
    ++packets[s.from][s.to];
  }
  for (unsigned from = 0; from < rig.gpus; ++from) {
    for (unsigned to = 0; to < rig.gpus; ++to) {
      CHECK(rig.dut->bytes(from, to) == bytes[from][to]);
      CHECK(rig.dut->packets(from, to) == packets[from][to]);
    }
  }
  std::map<std::tuple<unsigned, unsigned, unsigned>, std::uint64_t> last;
  for (unsigned port = 0; port < rig.gpus * kPacketClasses; ++port) {
    Tick before = 0;
    for (const PacketSink::Arrival& a : rig.sink->arrivals(port)) {
      const Sent& s = all.at(a.id);
      CHECK(s.to * kPacketClasses + s.c == port);
      const auto [place, first] = last.insert({{s.from, s.to, s.c}, a.id});
      if (!first) CHECK(place->second < a.id);
      place->second = a.id;
      // The wire carries one packet at a time, and none is faster than alone.
      const Tick own = rig.clock.time_of(rig.dut->config().flits(s.bytes));
      CHECK(a.at >= before + own);
      CHECK(a.at >= rig.clock.time_of(s.at + rig.dut->zero_load_latency(s.bytes)));
      before = a.at;
    }
  }
  rig.check_drained();
}

void check_under_stalls(unsigned gpus, unsigned packets_per_port) {
  FabricRig rig(gpus, tight(), 2);
  rig.sink->hold = stalls(gpus * kPacketClasses, 40'000'000);
  const std::vector<Sent> all = random_traffic(gpus, gpus, packets_per_port);
  send_all(rig, all);
  rig.run_to(2'000'000);
  check_conserved(rig, all);
}

}  // namespace

TEST_CASE("random packets arrive when a model that steps by cycles says") {
  struct Shape {
    unsigned gpus;
    std::uint32_t flit;
    std::uint64_t latency_ns;
    std::uint32_t switch_packets;
  };
  const std::vector<Shape> shapes = {{2, 16, 140, 64}, {4, 16, 1, 1}, {16, 32, 5, 2}};
  std::vector<std::unique_ptr<FabricRig>> rigs;
  for (const Shape& s : shapes) {
    GpuFabricConfig c;
    c.flit_bytes = s.flit;
    c.latency_ns = s.latency_ns;
    c.switch_packets = s.switch_packets;
    c.port_packets = 65'535;
    rigs.push_back(
        std::make_unique<FabricRig>(s.gpus, c, FabricRig::kAmple, "_" + std::to_string(s.gpus)));
    send_all(*rigs.back(), random_traffic(7, s.gpus, 400));
  }
  rigs[0]->run_to(30'000);
  for (std::size_t r = 0; r < rigs.size(); ++r) {
    const FabricRig& rig = *rigs[r];
    const Shape& s = shapes[r];
    const std::vector<Sent> all = random_traffic(7, s.gpus, 400);
    REQUIRE(rig.delivered() == all.size());
    const std::vector<Cycle> expected =
        stepped(all, s.gpus, s.flit, 4 * s.latency_ns, s.switch_packets);
    std::size_t wrong = 0;
    for (unsigned port = 0; port < s.gpus * kPacketClasses; ++port) {
      for (const PacketSink::Arrival& a : rig.sink->arrivals(port)) {
        if (a.at != rig.clock.time_of(expected.at(a.id))) ++wrong;
      }
    }
    CHECK(wrong == 0);
    rig.check_drained();
  }
}

TEST_CASE("2 GPUs: nothing is lost or overtaken behind receivers that stall") {
  check_under_stalls(2, 1000);
}

TEST_CASE("4 GPUs: nothing is lost or overtaken behind receivers that stall") {
  check_under_stalls(4, 500);
}

TEST_CASE("16 GPUs: nothing is lost or overtaken behind receivers that stall") {
  check_under_stalls(16, 150);
}

TEST_CASE("the fabric's times do not depend on the order in which processes run") {
  FabricRig one(4, tight(), 2, "_one");
  FabricRig other(4, tight(), 2, "_other", true);
  const std::vector<Sent> all = random_traffic(3, 4, 400);
  for (FabricRig* rig : {&one, &other}) {
    rig->sink->hold = stalls(4 * kPacketClasses, 40'000'000);
    send_all(*rig, all);
  }
  one.run_to(2'000'000);
  check_same_arrivals(one, other);
  check_conserved(one, all);
  check_conserved(other, all);
}

}  // namespace tessera::gpu_fabric_random_test
