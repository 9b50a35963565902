// SPDX-License-Identifier: Apache-2.0
// Parts of the fabric between GPUs in different domains, against a fabric in one domain.
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/json.h"
#include "modules/kernel/domain.h"
#include "modules/kernel/report.h"
#include "modules/noc/gpu_fabric.h"
#include "tests/modules/noc/gpu_fabric_traffic.h"
#include "tests/support/expect_report.h"

namespace tessera::gpu_fabric_domains_test {

namespace {

using namespace tessera::test;  // NOLINT

/// The same traffic through a fabric in one domain and through one whose GPUs are in two in turn.
class Pair {
 public:
  explicit Pair(unsigned gpus, const GpuFabricConfig& config)
      : whole_(gpus, config, 2, "_whole"), cut_(gpus, config, 2, "_cut", false, in_turn(gpus)) {}

  Domain d0{"d0"};
  Domain d1{"d1"};

  Tick latency() const { return DomainRunner::instance().lookahead(); }

  /// 10^4 packets.
  void run_and_compare() {
    const std::vector<Sent> all =
        random_traffic(11, whole_.gpus, 10'000 / (whole_.gpus * kPacketClasses));
    for (FabricRig* rig : {&whole_, &cut_}) {
      rig->sink->hold = stalls(whole_.gpus * kPacketClasses, 10'000'000);
      send_all(*rig, all);
    }
    whole_.run_to(1'000'000);
    CHECK(whole_.delivered() == all.size());
    check_same_arrivals(whole_, cut_);
    CHECK(statistics(whole_) == statistics(cut_));
    whole_.check_drained();
    cut_.check_drained();
  }

  FabricRig& cut() { return cut_; }

 private:
  std::vector<Domain*> in_turn(unsigned gpus) {
    std::vector<Domain*> domains;
    for (unsigned g = 0; g < gpus; ++g) domains.push_back(g % 2 == 0 ? &d0 : &d1);
    return domains;
  }
  static nlohmann::ordered_json statistics(const FabricRig& rig) {
    StatisticsRegistry registry;
    rig.dut->register_statistics(registry);
    return registry.to_json().front();
  }

  FabricRig whole_;
  FabricRig cut_;
};

GpuFabricConfig wide() {
  GpuFabricConfig c = tight();
  c.switch_packets = 8;
  c.latency_ns = 7;
  c.clock_hz = 3'000'000'000;  // edges are rounded
  return c;
}

}  // namespace

TEST_CASE("two GPUs' parts in two domains run instant by instant like one domain") {
  Pair pair(2, tight());
  pair.run_and_compare();
  CHECK(DomainRunner::instance().windows() == 0);
}

TEST_CASE("parts in two domains run instant by instant in the opposite order like one domain") {
  Pair pair(4, wide());
  DomainRunner::instance().run_in_reverse(true);
  pair.run_and_compare();
}

TEST_CASE("two domains that run alone for the fabric's latency are exact") {
  Pair pair(2, tight());
  CHECK(pair.latency() == 5'000'000 - 1);
  DomainRunner::instance().run_ahead({&pair.d0, &pair.d1}, {pair.latency(), 1});
  pair.run_and_compare();
  CHECK(DomainRunner::instance().windows() > 1000);
}

TEST_CASE("two domains that run alone for a third of the fabric's latency are exact") {
  Pair pair(2, tight());
  DomainRunner::instance().run_ahead({&pair.d0, &pair.d1}, {pair.latency() / 3, 1});
  pair.run_and_compare();
  CHECK(DomainRunner::instance().windows() > 1000);
}

TEST_CASE("four GPUs in two domains that run alone are exact, whose clock's edges are rounded") {
  Pair pair(4, wide());
  DomainRunner::instance().run_ahead({&pair.d0, &pair.d1}, {pair.latency(), 1});
  DomainRunner::instance().run_in_reverse(true);
  pair.run_and_compare();
  CHECK(DomainRunner::instance().windows() > 100);
}

TEST_CASE("two domains of the fabric that run on two threads are exact") {
  Pair pair(4, wide());
  DomainRunner::instance().run_ahead({&pair.d0, &pair.d1}, {pair.latency(), 2});
  pair.run_and_compare();
}

TEST_CASE("domains of the fabric cannot run alone for longer than its latency") {
  Pair pair(2, tight());
  CHECK_THROWS_WITH(
      DomainRunner::instance().run_ahead({&pair.d0, &pair.d1}, {pair.latency() + 1, 1}),
      Catch::Contains("fabric_cut.gpu0 to fabric_cut.gpu1"));
}

TEST_CASE("a link between GPUs in two domains sustains one packet a cycle") {
  Domain d0("d0");
  Domain d1("d1");
  GpuFabricConfig c;
  c.switch_packets = 1;
  FabricRig rig(2, c, FabricRig::kAmple, "", false, {&d0, &d1});
  DomainRunner::instance().run_ahead({&d0, &d1}, {DomainRunner::instance().lookahead(), 1});
  constexpr std::size_t kCount = 3000;
  for (std::size_t i = 0; i < kCount; ++i) rig.send(100, 0, 1, PacketClass::kRequest, 16);
  rig.run_to(10'000);
  REQUIRE(rig.delivered() == kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    CHECK(rig.cycle(1, PacketClass::kRequest, i) == 100 + c.latency_cycles() + i + 1);
  }
  rig.check_drained();
}

TEST_CASE("a credit is back a latency after the start of ingress, and used in that cycle") {
  GpuFabricConfig c = tight();  // 1 + 2 * 20 credits
  c.port_packets = 100;
  FabricRig rig(2, c, 1);
  // The receiver keeps the first packet, which it has from cycle 121, until cycle 1000.
  rig.sink->hold = [&](unsigned port) {
    return rig.sink->arrivals(port).size() == 1 ? rig.clock.time_of(1000 - 121) : Tick{0};
  };
  for (unsigned i = 0; i < 60; ++i) rig.send(100, 0, 1, PacketClass::kRequest, 16);
  const auto at_port = [&] {
    std::vector<Waiting> waiting;
    rig.dut->describe_waiting(waiting);
    return waiting.front().items;
  };
  // 41 have left by their credits, and one by that of the first. run_to() stops before its cycle.
  rig.run_to(1021);
  CHECK(at_port() == 60 - 42);
  // The second begins in cycle 1001, the third two cycles later.
  rig.run_to(1022);
  CHECK(at_port() == 60 - 43);
  rig.run_to(1023);
  CHECK(at_port() == 60 - 43);
  rig.run_to(1024);
  CHECK(at_port() == 60 - 44);
  rig.run_to(3000);
  CHECK(rig.delivered() == 60);
  rig.check_drained();
}

}  // namespace tessera::gpu_fabric_domains_test
