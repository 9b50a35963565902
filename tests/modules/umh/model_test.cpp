// SPDX-License-Identifier: Apache-2.0
// The sc_modules of the coherent hierarchy: exact times, limits, and random operations.
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/modules/umh/coherence_tester.h"
#include "tests/modules/umh/umh_model.h"
#include "tests/support/conformance.h"

namespace tessera::model_test {

using namespace tessera::umh;
using namespace tessera::umh::test;
using tessera::test::ScriptedRequest;

namespace {

/// One GPU with one CU and one stack, one CPU core, two lines per block.
Shape one_gpu() {
  Shape s;
  s.gpus = 1;
  s.cus = 1;
  s.cores = 1;
  return s;
}

ModelTiming timing_of_tests() {
  ModelTiming t;
  t.link.latency_ns = 20;
  return t;
}

/// A request of a core that arrives at the L1 in that cycle (of 1 ns).
ScriptedRequest arriving(std::uint64_t cycle, RequestKind kind, std::uint64_t line) {
  ScriptedRequest r;
  r.at = cycle * 1'000'000 - 1;
  r.command = kind == RequestKind::kLoad ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND;
  r.address = line * kLineBytes;
  r.bytes = kLineBytes;
  r.mask = ByteMask::first(4);
  r.data = {1, 2, 3, 4};
  r.prepare = [kind](Transaction& t) { t.request().kind = kind; };
  return r;
}

/// Keeps the time stamps of the last access that completed, in cycles of 1 ns; -1: none.
class LastStamps final : public CoherentAccessObserver {
 public:
  std::int64_t at(Hop hop) const { return stamps_[static_cast<std::size_t>(hop)]; }
  void on_lookup(const tlm::tlm_generic_payload&) override {}
  void on_completed(const tlm::tlm_generic_payload& payload, const CoherentOutcome&) override {
    const auto& stamps = payload.get_extension<MemoryRequest>()->stamps;
    for (std::size_t i = 0; i < stamps.size(); ++i) {
      stamps_[i] =
          stamps[i] == tessera::kNever ? -1 : static_cast<std::int64_t>(stamps[i] / 1'000'000);
    }
  }

 private:
  std::array<std::int64_t, static_cast<std::size_t>(Hop::kCount)> stamps_{};
};

/// Cycles from the arrival at the L1 to the response.
std::uint64_t cycles(UmhModel& m, unsigned device, const ScriptedRequest& r) {
  const std::size_t i = m.core(device, 0).add(r);
  while (m.step()) {
  }
  REQUIRE(m.core(device, 0).result(i).responded_at());
  REQUIRE(m.core(device, 0).result(i).status == tlm::TLM_OK_RESPONSE);
  return (m.core(device, 0).result(i).begin_resp - r.at) / 1'000'000;
}

}  // namespace

// The latencies of ModelTiming: L1 2, L2 4, SMD 3, HMD 1 cycles. A message of 8 bytes takes one
// cycle to the next block, one with a line (72 bytes) two. A core's response takes one cycle.
TEST_CASE("a load that hits the L1 takes its latency") {
  UmhModel m(one_gpu(), timing_of_tests());
  cycles(m, 0, arriving(10, RequestKind::kLoad, 0));
  CHECK(cycles(m, 0, arriving(1000, RequestKind::kLoad, 0)) == 2);
}

TEST_CASE("a load that hits the L2 takes a request and a grant") {
  Shape s = one_gpu();
  s.l1_ways = 1;
  UmhModel m(s, timing_of_tests());
  cycles(m, 0, arriving(10, RequestKind::kLoad, 0));
  cycles(m, 0, arriving(1000, RequestKind::kLoad, 1));  // evicts line 0 from the L1
  const CoherentAccessStats before = m.l1(0, 0).stats();
  LastStamps stamps;
  m.l1(0, 0).observe(stamps);
  // Lookup 1, request 1, L2 4, grant 2, L1 2, response 1.
  CHECK(cycles(m, 0, arriving(2000, RequestKind::kLoad, 0)) == 11);
  const CoherentAccessStats& s1 = m.l1(0, 0).stats();
  CHECK(s1.miss_latency.sum() - before.miss_latency.sum() == 1 + 4 + 2 + 2);
  CHECK(s1.request_network_cycles - before.request_network_cycles == 1 + 4);
  CHECK(stamps.at(Hop::kIssued) == 2001);
  CHECK(stamps.at(Hop::kAtLlc) == 2006);
  CHECK(stamps.at(Hop::kToDram) == -1);
  CHECK(stamps.at(Hop::kFromLlc) == 2006);
  CHECK(s1.l2_cycles == before.l2_cycles);
  CHECK(s1.below_l2_cycles == before.below_l2_cycles);
  CHECK(s1.response_network_cycles - before.response_network_cycles == 2 + 2);
}

TEST_CASE("an access to a block that another access fetches waits for it") {
  UmhModel m(one_gpu(), timing_of_tests());
  m.core(0, 0).add(arriving(10, RequestKind::kLoad, 0));
  m.core(0, 0).add(arriving(11, RequestKind::kLoad, 0));
  while (m.step()) {
  }
  const CoherentAccessStats& s = m.l1(0, 0).stats();
  // The first is looked up a cycle after its arrival, and its line arrives at 97 - 1. The second is
  // looked up a cycle later.
  CHECK(s.miss_latency.sum() == 95 + 94);
  CHECK(s.merge_cycles == 94);
  CHECK(s.request_network_cycles + s.below_l2_cycles + s.response_network_cycles == 95);
}

TEST_CASE("a load that hits the SMD reads the line from the stack") {
  UmhModel m(one_gpu(), timing_of_tests());
  cycles(m, 0, arriving(10, RequestKind::kLoad, 0));
  // Up to the L2's lookup 6, request 1, SMD 3, to the channel 1, open row 1 + CL 7 + burst 1, grant
  // 2, L2 4, grant 2, L1 2, response 1.
  const CoherentAccessStats before = m.l1(0, 0).stats();
  LastStamps stamps;
  m.l1(0, 0).observe(stamps);
  CHECK(cycles(m, 0, arriving(1000, RequestKind::kLoad, 1)) == 31);
  // Looked up in the cycle after its arrival.
  CHECK(stamps.at(Hop::kIssued) == 1001);
  CHECK(stamps.at(Hop::kAtLlc) == 1001 + 5);
  CHECK(stamps.at(Hop::kToDram) == 1006);
  CHECK(stamps.at(Hop::kFromDram) == 1006 + 20);
  CHECK(stamps.at(Hop::kFromLlc) == 1026);
  const CoherentAccessStats& s = m.l1(0, 0).stats();
  CHECK(s.request_network_cycles - before.request_network_cycles == 1 + 4);
  CHECK(s.below_l2_cycles - before.below_l2_cycles == 1 + 3 + 1 + 9 + 2 + 4);
  CHECK(s.response_network_cycles - before.response_network_cycles == 2 + 2);
  CHECK(s.unstamped_cycles == 0);
  CHECK(m.smd(0, 0).memory_stats().lines_written == 2);
  CHECK(m.smd(0, 0).memory_stats().lines_read == 1);
}

TEST_CASE("a load that misses everywhere fetches the secondary block from the host") {
  UmhModel m(one_gpu(), timing_of_tests());
  // Up to the SMD's lookup 10; request to the link 1, link 1 + 20, HMD 1; to the channel 1, closed
  // bank RCD 7 + 1 + CL 7 + burst 1, second line 1; grant of 136 bytes to the link 3, link 9 + 20;
  // SMD 3, grant 2, L2 4, grant 2, L1 2, response 1.
  CHECK(cycles(m, 0, arriving(10, RequestKind::kLoad, 0)) == 97);
  CHECK(m.link().stats().bytes[static_cast<std::size_t>(MessageType::kGrant)] == 136);
}

TEST_CASE("a shared copy that is stored to coherently obtains exclusive access from the host") {
  UmhModel m(one_gpu(), timing_of_tests());
  cycles(m, 1, arriving(10, RequestKind::kLoad, 0));  // the CPU shares the block
  cycles(m, 0, arriving(1000, RequestKind::kLoad, 0));
  CHECK(m.l1(0, 0).cache().state(0) == State::kS);
  CHECK(m.smd(0, 0).cache().state(0) == State::kS);
  m.core(0, 0).add(arriving(2000, RequestKind::kCoherentStore, 0));
  while (m.step()) {
  }
  CHECK(m.l1(0, 0).cache().state(0) == State::kM);
  CHECK(m.holder(0) == "gpu0_l1_0");
  CHECK(m.l1(1, 0).cache().state(0) == State::kI);
}

TEST_CASE("a slow link delays a fetch by its transfer time") {
  ModelTiming t = timing_of_tests();
  t.link.bytes_per_cycle = 1;
  UmhModel m(one_gpu(), t);
  // The request takes 8 cycles instead of 1, the grant 136 instead of 9.
  CHECK(cycles(m, 0, arriving(10, RequestKind::kLoad, 0)) == 97 + 7 + 127);
}

TEST_CASE("devices with a shared link wait for each other") {
  Shape s = one_gpu();
  s.gpus = 2;
  ModelTiming t = timing_of_tests();
  t.link.shared = true;
  UmhModel m(s, t);
  const std::size_t a = m.core(0, 0).add(arriving(10, RequestKind::kLoad, 0));
  const std::size_t b = m.core(1, 0).add(arriving(10, RequestKind::kLoad, 2));
  while (m.step()) {
  }
  // The second request waits one cycle for the link. Its grant is ready two cycles after the first
  // one (two lines of an open row), and waits for the end of the first transfer.
  const Tick first = m.core(0, 0).result(a).begin_resp;
  const Tick second = m.core(1, 0).result(b).begin_resp;
  CHECK((first - (10'000'000 - 1)) / 1'000'000 == 97);
  CHECK((second - first) / 1'000'000 == 9);
}

TEST_CASE("a fence makes a core's stores visible to the other devices") {
  Shape s = one_gpu();
  s.gpus = 2;
  UmhModel m(s, timing_of_tests());
  cycles(m, 1, arriving(10, RequestKind::kLoad, 0));  // GPU 1 has a copy
  m.core(0, 0).add(arriving(1000, RequestKind::kStore, 0));
  while (m.step()) {
  }
  CHECK(m.l1(0, 0).cache().state(0) == State::kN);
  m.l1(0, 0).flush();
  while (m.step()) {
  }
  CHECK(m.l1(0, 0).cache().state(0) == State::kM);
  CHECK(m.holder(0) == "gpu0_l1_0");
  const std::size_t i = m.core(1, 0).add(arriving(5000, RequestKind::kLoad, 0));
  while (m.step()) {
  }
  CHECK(m.core(1, 0).result(i).data[3] == 4);
  CHECK(m.l1(0, 0).stats().fences == 1);
}

TEST_CASE("untimed accesses without a platform are refused") {
  UmhModel m(one_gpu(), timing_of_tests());
  tlm::tlm_generic_payload p;
  unsigned char byte = 0;
  p.set_read();
  p.set_data_ptr(&byte);
  p.set_data_length(1);
  p.set_streaming_width(1);
  sc_core::sc_time delay;
  m.core(0, 0).socket()->b_transport(p, delay);
  CHECK(p.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE);
  CHECK(m.core(0, 0).socket()->transport_dbg(p) == 0);
}

namespace {

/// An episode through sockets. Limits depend on the seed.
void run_episode(std::uint64_t seed, std::size_t operations, const ModelTiming& timing) {
  const Episode e = random_episode(seed, operations);
  UmhModel model(e.shape, timing);
  std::vector<std::string> trace;
  const Outcome outcome = run_on(model, e, &trace);
  std::string last;
  for (std::size_t i = trace.size() < 40 ? 0 : trace.size() - 40; i < trace.size(); ++i) {
    last += trace[i] + "\n";
  }
  INFO(last);
  CHECK(outcome.fault.empty());
  CHECK(outcome.issued == operations);
  CHECK(model.idle());
  CHECK(model.describe_waiting().empty());
  CHECK(model.pool().live() == 0);
}

template <std::uint64_t kSeed>
using Seed = std::integral_constant<std::uint64_t, kSeed>;

}  // namespace

TEMPLATE_TEST_CASE("random operations through sockets keep the contract of the protocol", "",
                   Seed<0>, Seed<1>, Seed<2>, Seed<3>, Seed<4>, Seed<5>, Seed<6>, Seed<7>) {
  ModelTiming t;
  t.link.bytes_per_cycle = 1U << (TestType::value % 7);
  t.link.shared = TestType::value % 2 == 0;
  t.l1_transactions = t.l2_transactions = t.directory_transactions = 2 + TestType::value;
  t.entries = 1 + TestType::value % 4;
  run_episode(TestType::value, 500, t);
}

// The least limits that are legal: one transaction, one entry of each queue.
TEMPLATE_TEST_CASE("random operations end with every limit at one", "", Seed<10>, Seed<11>,
                   Seed<12>, Seed<13>) {
  ModelTiming t;
  t.link.entries = 1;
  t.link.shared = TestType::value % 2 == 0;
  t.l1_transactions = t.l2_transactions = t.directory_transactions = 1;
  t.entries = 1;
  t.memory_accesses = 1;
  run_episode(TestType::value, 500, t);
}

// Six cores flood few lines. Each queue has one entry, also at the ends of the link, which cover no
// latency.
TEST_CASE("every queue fills, and every access receives its response") {
  Shape s;
  s.block_lines = 4;
  s.l1_ways = 4;
  s.l2_ways = 6;
  s.smd_blocks = 8;
  s.llc_ways = 2;
  ModelTiming t;
  t.link.entries = 1;
  t.link.latency_ns = 0;
  t.link.shared = true;
  t.l1_transactions = 4;
  t.l2_transactions = 4;
  t.directory_transactions = 12;
  t.smd_latency = t.hmd_latency = 40;
  t.entries = 1;
  t.memory_accesses = 1;
  UmhModel m(s, t);
  std::mt19937_64 random(7);
  constexpr unsigned kEach = 300;
  const std::vector<RequestKind> kinds = {RequestKind::kLoad, RequestKind::kStore,
                                          RequestKind::kStore, RequestKind::kCoherentStore};
  for (unsigned d = 0; d < m.devices(); ++d) {
    for (unsigned i = 0; i < m.l1s(d); ++i) {
      for (unsigned n = 0; n < kEach; ++n) {
        m.core(d, i).add(arriving(10, kinds[random() % kinds.size()], random() % 64));
      }
    }
  }
  while (m.step()) {
  }
  CHECK(m.describe_waiting().empty());
  CHECK(m.idle());
  CreditStalls credit{};
  const auto add = [&credit](const CreditStalls& stalls) {
    for (std::size_t c = 0; c < kMessageClasses; ++c) credit[c] += stalls[c];
  };
  for (unsigned d = 0; d < m.devices(); ++d) {
    for (unsigned i = 0; i < m.l1s(d); ++i) {
      CHECK(m.core(d, i).done());
      CHECK(m.l1(d, i).stats().stalls_mshr > 0);
      add(m.l1(d, i).message_stats().stalls_credit);
    }
  }
  for (unsigned g = 0; g < s.gpus; ++g) {
    CHECK(m.l2(g, 0).message_stats().stalls_transactions > 0);
    CHECK(m.smd(g, 0).message_stats().stalls_transactions > 0);
    add(m.l2(g, 0).message_stats().stalls_credit);
    add(m.smd(g, 0).message_stats().stalls_credit);
  }
  CHECK(m.hmd().message_stats().stalls_transactions > 0);
  add(m.hmd().message_stats().stalls_credit);
  for (std::size_t c = 0; c < kMessageClasses; ++c) {
    INFO(name_of(static_cast<MessageClass>(c)));
    CHECK(credit[c] > 0);
    CHECK(m.link().stats().stalls_credit[c] > 0);
  }
}

TEST_CASE("the core's side stands random traffic, stalls and a reset in the middle") {
  Shape s = one_gpu();
  s.cus = 2;
  ModelTiming t = timing_of_tests();
  t.l1_transactions = 4;
  UmhModel m(s, t);
  tessera::test::ConformanceRig rig;
  rig.block = &m.l1(0, 0);
  rig.pool = &m.pool();
  rig.initiators = {&m.core(0, 0), &m.core(0, 1), &m.core(1, 0)};
  rig.checkers = m.checkers();
  rig.reset_others = [&m] {
    for (Block* b : m.blocks()) b->reset();
  };
  tessera::test::ConformanceTraffic traffic;
  traffic.lines = 12;
  traffic.line_bytes = kLineBytes;
  traffic.prepare = [](Transaction& r) {
    if (r.is_write() && r.get_address() % 128 == 0) r.request().kind = RequestKind::kCoherentStore;
  };
  run_conformance(rig, traffic);
  for (const Block* b : m.blocks()) {
    CHECK(b->idle());
    tessera::test::check_statistics(*b);
  }
}

TEST_CASE("a reset restores the state after elaboration") {
  UmhModel m(one_gpu(), timing_of_tests());
  m.core(0, 0).add(arriving(10, RequestKind::kLoad, 0));
  sc_core::sc_start(50, sc_core::SC_NS);  // the request is on the link
  CHECK_FALSE(m.idle());
  CHECK(m.describe_waiting().find("read-request") != std::string::npos);
  m.core(0, 0).reset();
  for (ProtocolChecker* c : m.checkers()) c->reset();
  for (Block* b : m.blocks()) b->reset();
  CHECK(m.idle());
  CHECK(m.describe_waiting().empty());
  CHECK(cycles(m, 0, arriving(1000, RequestKind::kLoad, 0)) == 97);
}

}  // namespace tessera::model_test
