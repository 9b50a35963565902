// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/gpu_fabric.h"

#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "common/json.h"
#include "modules/kernel/parameters.h"
#include "modules/kernel/sc_time.h"
#include "tests/modules/noc/gpu_fabric_rig.h"
#include "tests/support/expect_report.h"

namespace tessera::gpu_fabric_test {

namespace {

using namespace tessera::test;  // NOLINT

constexpr PacketClass kReq = PacketClass::kRequest;
constexpr PacketClass kResp = PacketClass::kResponse;
/// 140 ns at 4 GHz.
constexpr Cycle kLatency = 560;

/// A short and narrow fabric: 20 cycles of latency.
GpuFabricConfig small() {
  GpuFabricConfig c;
  c.latency_ns = 5;
  c.port_packets = 4;
  c.switch_packets = 3;
  return c;
}

}  // namespace

TEST_CASE("the fabric's defaults are DualOpt's link: 64 GB/s, 16-byte flits") {
  GpuFabricConfig c;
  CHECK(c.bandwidth() == 64e9);
  CHECK(c.latency_cycles() == kLatency);
  CHECK(c.validate(4).empty());
  CHECK(c.validate(2).empty());
  CHECK(c.validate(32).empty());
  CHECK(c.validate(1).size() == 1);
  CHECK(c.validate(33).size() == 1);
  c.clock_hz = 3'000'000'000;
  c.latency_ns = 1;
  CHECK(c.latency_cycles() == 3);
  c.clock_hz = 1'500'000'000;
  CHECK(c.latency_cycles() == 2);  // 1.5, rounded up
  c = {0, 0, 0, 0, 0};
  CHECK(c.validate().size() == 5);
}

TEST_CASE("every parameter of the fabric has a unit and a source") {
  GpuFabricConfig c;
  ParameterLister lister;
  describe(lister, c);
  REQUIRE(lister.parameters().size() == 5);
  for (const ListedParameter& p : lister.parameters()) {
    CHECK_FALSE(p.info.unit.empty());
    CHECK(p.info.description.back() == ')');
  }
}

TEST_CASE("a lone packet between GPUs takes latency and its flits, and no cycle more") {
  struct Size {
    std::uint32_t bytes;
    std::array<Cycle, 3> flits;  // of 16, 32 and 64 bytes
  };
  const std::vector<Size> sizes = {{1, {1, 1, 1}},  {16, {1, 1, 1}}, {17, {2, 1, 1}},
                                   {64, {4, 2, 1}}, {76, {5, 3, 2}}, {4108, {257, 129, 65}}};
  std::vector<std::unique_ptr<FabricRig>> rigs;
  for (std::uint32_t flit : {16U, 32U, 64U}) {
    GpuFabricConfig c;
    c.flit_bytes = flit;
    rigs.push_back(
        std::make_unique<FabricRig>(3, c, FabricRig::kAmple, "_" + std::to_string(flit)));
    Cycle at = 100;
    for (const Size& s : sizes) {
      rigs.back()->send(at, 2, 0, kReq, s.bytes);
      rigs.back()->send(at + 1000, 0, 1, kResp, s.bytes);
      at += 2000;
    }
  }
  rigs[0]->run_to(20'000);
  for (std::size_t r = 0; r < 3; ++r) {
    Cycle at = 100;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      CHECK(rigs[r]->cycle(0, kReq, i) == at + kLatency + sizes[i].flits[r]);
      CHECK(rigs[r]->cycle(1, kResp, i) == at + 1000 + kLatency + sizes[i].flits[r]);
      CHECK(rigs[r]->dut->zero_load_latency(sizes[i].bytes) == kLatency + sizes[i].flits[r]);
      at += 2000;
    }
    CHECK(rigs[r]->delivered() == 2 * sizes.size());
    rigs[r]->check_drained();
  }
}

TEST_CASE("a packet that arrives between edges counts from the next") {
  FabricRig rig(2);
  rig.send_at(rig.clock.time_of(100) + 1, 0, 1, kReq, 16);
  rig.send_at(rig.clock.time_of(300) - 1, 0, 1, kResp, 16);
  rig.run_to(1000);
  CHECK(rig.cycle(1, kReq, 0) == 101 + kLatency + 1);
  CHECK(rig.cycle(1, kResp, 0) == 300 + kLatency + 1);
}

TEST_CASE("a stream between two GPUs fills the link, whatever its packets' size") {
  FabricRig rig(2);
  constexpr std::size_t kCount = 2000;
  for (std::size_t i = 0; i < kCount; ++i) {
    rig.send(100, 0, 1, kReq, 76);  // 5 flits
    rig.send(100, 1, 0, kResp, 12);
  }
  rig.run_to(20'000);
  REQUIRE(rig.delivered() == 2 * kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    CHECK(rig.cycle(1, kReq, i) == 100 + kLatency + 5 * (i + 1));
    CHECK(rig.cycle(0, kResp, i) == 100 + kLatency + i + 1);
  }
  CHECK(rig.dut->stats().egress_busy == std::vector<Counter>{5 * kCount, kCount});
  CHECK(rig.dut->stats().ingress_busy == std::vector<Counter>{kCount, 5 * kCount});
  CHECK(rig.dut->bytes(0, 1) == 76 * kCount);
  CHECK(rig.dut->bytes(1, 0) == 12 * kCount);
  CHECK(rig.dut->stats().series.total() == 88 * kCount);
  rig.check_drained();
}

TEST_CASE("requests and responses take turns on one wire") {
  FabricRig rig(2);
  constexpr std::size_t kCount = 500;
  for (std::size_t i = 0; i < kCount; ++i) {
    rig.send(100, 0, 1, kReq, 12);
    rig.send(100, 0, 1, kResp, 76);
  }
  rig.run_to(10'000);
  REQUIRE(rig.arrivals(1, kReq).size() == kCount);
  REQUIRE(rig.arrivals(1, kResp).size() == kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    CHECK(rig.cycle(1, kReq, i) == 100 + kLatency + 6 * i + 1);
    CHECK(rig.cycle(1, kResp, i) == 100 + kLatency + 6 * i + 6);
  }
  CHECK(rig.dut->stats().egress_busy[0] == 6 * kCount);
  CHECK(rig.dut->stats().ingress_busy[1] == 6 * kCount);
}

TEST_CASE("two GPUs that send to a third share its link fairly") {
  FabricRig rig(3);
  constexpr std::size_t kCount = 400;
  std::vector<std::uint64_t> of_0;
  std::vector<std::uint64_t> of_2;
  for (std::size_t i = 0; i < kCount; ++i) {
    of_0.push_back(rig.send(100, 0, 1, kResp, 76));
    of_2.push_back(rig.send(100, 2, 1, kResp, 76));
  }
  rig.run_to(10'000);
  REQUIRE(rig.arrivals(1, kResp).size() == 2 * kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    CHECK(rig.arrivals(1, kResp)[2 * i].id == of_0[i]);
    CHECK(rig.arrivals(1, kResp)[2 * i + 1].id == of_2[i]);
    CHECK(rig.cycle(1, kResp, 2 * i) == 100 + kLatency + 5 * (2 * i + 1));
    CHECK(rig.cycle(1, kResp, 2 * i + 1) == 100 + kLatency + 5 * (2 * i + 2));
  }
}

TEST_CASE("requests that nobody takes stop neither responses nor other GPUs' requests") {
  FabricRig rig(3, small(), 1);
  rig.sink->hold = [](unsigned port) { return port == FabricRig::port(1, kReq) ? kNever : 0; };
  for (unsigned i = 0; i < 100; ++i) rig.send(100, 0, 1, kReq, 16);
  rig.run_to(1000);
  // One is at the sink, uncompleted; 3 + 2 * 20 in the switch; 4 at the port, the last uncompleted.
  CHECK(rig.arrivals(1, kReq).size() == 1);
  CHECK(rig.source->unsent(FabricRig::port(0, kReq)) == 100 - 1 - 43 - 4);
  CHECK_FALSE(rig.dut->idle());
  std::vector<Waiting> waiting;
  rig.dut->describe_waiting(waiting);
  REQUIRE(waiting.size() == 3);
  CHECK(waiting[0].queue == "fabric.egress.gpu0.request");
  CHECK(waiting[0].items == 4);
  CHECK(waiting[0].waits_for == "room in the switch");
  CHECK(waiting[1].queue == "fabric.ingress.gpu1.request");
  CHECK(waiting[1].items == 1);
  CHECK(waiting[1].waits_for == "GPU 1 to take a request");
  CHECK(waiting[2].queue == "fabric.switch.gpu1.request.from0");
  CHECK(waiting[2].items == 43);
  CHECK(waiting[2].waits_for == "GPU 1 to take a request");

  rig.send(1100, 0, 1, kResp, 76);
  rig.send(1200, 2, 1, kResp, 76);
  rig.send(1300, 2, 0, kReq, 76);
  rig.send(1400, 1, 0, kReq, 76);
  rig.send(1500, 0, 2, kReq, 76);  // behind those that cannot leave GPU 0
  rig.run_to(2000);
  CHECK(rig.cycle(1, kResp, 0) == 1100 + 20 + 5);
  CHECK(rig.cycle(1, kResp, 1) == 1200 + 20 + 5);
  CHECK(rig.cycle(0, kReq, 0) == 1300 + 20 + 5);
  CHECK(rig.cycle(0, kReq, 1) == 1400 + 20 + 5);
  CHECK(rig.arrivals(2, kReq).empty());

  rig.sink->resume();
  rig.run_to(4000);
  CHECK(rig.arrivals(1, kReq).size() == 100);
  CHECK(rig.arrivals(2, kReq).size() == 1);
  rig.check_drained();
}

TEST_CASE("responses that nobody takes do not stop requests") {
  FabricRig rig(2, small(), 1);
  rig.sink->hold = [](unsigned port) { return port == FabricRig::port(1, kResp) ? kNever : 0; };
  for (unsigned i = 0; i < 100; ++i) rig.send(100, 0, 1, kResp, 16);
  rig.send(1000, 0, 1, kReq, 76);
  rig.run_to(2000);
  CHECK(rig.arrivals(1, kResp).size() == 1);
  CHECK(rig.cycle(1, kReq, 0) == 1000 + 20 + 5);
  rig.sink->resume();
  rig.run_to(3000);
  CHECK(rig.arrivals(1, kResp).size() == 100);
  rig.check_drained();
}

TEST_CASE("a receiver's completion frees its channel at the next edge") {
  FabricRig rig(2, small(), 1);
  // Held until 7 cycles after arrival: completed then, so that the next begins a cycle later.
  rig.sink->hold = [&](unsigned) { return rig.clock.time_of(7); };
  for (unsigned i = 0; i < 3; ++i) rig.send(100, 0, 1, kReq, 40);  // 3 flits
  rig.run_to(1000);
  CHECK(rig.cycle(1, kReq, 0) == 100 + 20 + 3);
  CHECK(rig.cycle(1, kReq, 1) == 123 + 7 + 1 + 3);
  CHECK(rig.cycle(1, kReq, 2) == 134 + 7 + 1 + 3);
  rig.check_drained();
}

TEST_CASE("a packet begins so that it arrives when its receiver's channel is free") {
  FabricRig rig(2, small());
  rig.sink->occupancy = rig.clock.time_of(8);
  for (std::uint32_t bytes : {48U, 16U, 160U, 48U}) rig.send(100, 0, 1, kReq, bytes);
  rig.send(112, 0, 1, kResp, 16);
  rig.run_to(1000);
  CHECK(rig.cycle(1, kReq, 0) == 100 + 20 + 3);
  CHECK(rig.cycle(1, kReq, 1) == 123 + 8);   // its flit begins at 130
  CHECK(rig.cycle(1, kReq, 2) == 131 + 10);  // 10 flits, longer than the receiver needs
  CHECK(rig.cycle(1, kReq, 3) == 141 + 8);   // begins at 146
  CHECK(rig.cycle(1, kResp, 0) == 141 + 1);  // reaches the output while the long one passes
  rig.check_drained();
}

TEST_CASE("a reset fabric holds nothing and serves as if new") {
  FabricRig rig(3, small(), 1);
  rig.sink->hold = [](unsigned port) { return port == FabricRig::port(1, kReq) ? kNever : 0; };
  for (unsigned i = 0; i < 60; ++i) {
    rig.send(100, 0, 1, kReq, 76);
    rig.send(100, 2, 1, kReq, 76);
    rig.send(100, 1, 2, kResp, 76);
  }
  rig.run_to(203);  // in every queue, and on the way
  CHECK_FALSE(rig.dut->idle());
  rig.reset();
  rig.sink->hold = nullptr;
  rig.check_drained();
  CHECK(rig.dut->bytes(1, 2) == 0);
  rig.run_to(500);
  CHECK(rig.delivered() == 0);
  for (unsigned i = 0; i < 60; ++i) rig.send(600, 0, 1, kReq, 76);
  rig.send(600, 0, 2, kResp, 16);
  rig.run_to(2000);
  REQUIRE(rig.arrivals(1, kReq).size() == 60);
  CHECK(rig.cycle(1, kReq, 0) == 600 + 20 + 5);
  CHECK(rig.cycle(2, kResp, 0) == 600 + 5 + 20 + 1);  // requests first, as at the beginning
  CHECK(rig.dut->packets(0, 1) == 60);
  CHECK(rig.dut->bytes(0, 1) == 60 * 76);
  rig.check_drained();
}

TEST_CASE("the fabric names and counts what it carries") {
  FabricRig rig(3);
  check_statistics(*rig.dut);
  rig.send(100, 0, 1, kReq, 12);
  rig.send(1000, 0, 1, kResp, 76);
  rig.send(2000, 2, 0, kResp, 33);
  rig.run_to(4000);
  StatisticsRegistry registry;
  rig.dut->register_statistics(registry);
  const auto all = registry.to_json().at("fabric");
  CHECK(all.at("bytes_0_1") == 88);
  CHECK(all.at("packets_0_1") == 2);
  CHECK(all.at("bytes_2_0") == 33);
  CHECK(all.at("bytes_1_0") == 0);
  CHECK_FALSE(all.contains("bytes_1_1"));
  CHECK(all.at("egress_busy_0") == 1 + 5);
  CHECK(all.at("egress_busy_2") == 3);
  CHECK(all.at("ingress_busy_1") == 1 + 5);
  CHECK(all.at("ingress_busy_0") == 3);
  CHECK(rig.dut->stats().packet_latency.count() == 3);
  CHECK(rig.dut->stats().packet_latency.sum() == 3 * kLatency + 1 + 5 + 3);
}

TEST_CASE("a packet at the wrong port of the fabric is an error") {
  FabricRig rig(3);
  sc_core::sc_start(to_sc_time(1000));
  struct Wrong {
    unsigned from, to;
    PacketClass c;
    std::uint32_t bytes;
  };
  // Port 0 takes requests from GPU 0 to 1 and 2.
  for (const Wrong& w : {Wrong{1, 2, kReq, 16}, Wrong{0, 0, kReq, 16}, Wrong{0, 3, kReq, 16},
                         Wrong{0, 1, kResp, 16}, Wrong{0, 1, kReq, 0}}) {
    LinkPacket& p = rig.packet(w.from, w.to, w.c, w.bytes);
    ExpectReport expected("/tessera/noc/misaddressed_packet");
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = to_sc_time(1);
    CHECK(rig.source->socket(0)->nb_transport_fw(p, phase, delay) == tlm::TLM_COMPLETED);
    CHECK(p.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(p.get_ref_count() == 1);
    p.release();
    sc_core::sc_start(to_sc_time(10));
  }
  CHECK(rig.dut->idle());
}

TEST_CASE("the fabric takes no blocking accesses and sees nothing of debug ones") {
  FabricRig rig(2);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  LinkPacket& p = rig.packet(0, 1, kReq, 16);
  CHECK(rig.source->socket(0)->transport_dbg(p) == 0);
  tlm::tlm_dmi dmi;
  CHECK_FALSE(rig.source->socket(0)->get_direct_mem_ptr(p, dmi));
  ExpectReport expected("/tessera/noc/posted_only");
  sc_core::sc_time delay;
  rig.source->socket(0)->b_transport(p, delay);
  CHECK(p.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE);
  p.release();
}

TEST_CASE("a fabric with faults in its configuration is refused") {
  GpuFabricConfig c;
  c.flit_bytes = 0;
  CHECK_THROWS_WITH(GpuFabric("fabric", c, 1),
                    Catch::Contains("flit_bytes is 0") && Catch::Contains("1 GPUs"));
}

}  // namespace tessera::gpu_fabric_test
