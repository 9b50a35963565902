// SPDX-License-Identifier: Apache-2.0
// Which counter each statistic of the RDMA engine, and of the decision engine, shows.
#include <catch2/catch.hpp>

#include "modules/kernel/sc_time.h"
#include "modules/rdma/decision_engine.h"
#include "tests/modules/rdma/rdma_rig.h"
#include "tests/support/statistics_table.h"

namespace tessera::statistics_test {

using namespace tessera::test;

TEST_CASE("an RDMA engine's statistics show its counters", "[statistics]") {
  RdmaRig rig;
  const RdmaEngine& rdma = rig.rdma(0);
  StatisticsTable table;
  RdmaStats& s = table.fields_of(rdma.stats());
  table.counter("requests_out", s.requests_out);
  table.counter("requests_in", s.requests_in);
  table.counter("reads_out", s.reads_out);
  table.counter("writes_out", s.writes_out);
  table.counter("atomics_out", s.atomics_out);
  table.counter("packets_out_request", s.packets_out_request);
  table.counter("packets_out_response", s.packets_out_response);
  table.counter("bytes_out_request", s.bytes_out_request);
  table.counter("bytes_out_line", s.bytes_out_line);
  table.counter("bytes_out_fine_grained", s.bytes_out_fine_grained);
  table.counter("bytes_out_coalesced", s.bytes_out_coalesced);
  table.counter("bytes_out_ack", s.bytes_out_ack);
  table.counter("coalesced_packets", s.coalesced_packets);
  table.counter("coalesced_responses", s.coalesced_responses);
  table.counter("timeouts", s.timeouts);
  table.histogram("responses_per_packet", s.responses_per_packet);
  table.histogram("remote_read_words", s.remote_read_words);
  table.counter("pre_link_cycles", s.pre_link_cycles);
  table.counter("link_request_cycles", s.link_request_cycles);
  table.counter("link_response_cycles", s.link_response_cycles);
  table.counter("remote_reads_served", s.remote_reads_served);
  table.counter("mergeable_reads", s.mergeable_reads);
  table.check(rdma);
}

TEST_CASE("the decision engine's statistics show the window, the run and what followed of them",
          "[statistics]") {
  DecisionConfig config;
  config.warmup_accesses = 3;
  config.window_accesses = 11;
  const auto policy = make_policy<TransferPolicy>("decision-engine");
  RemoteAccessMode transfer;
  DecisionEngine engine("decision", config, *policy, {64, {&transfer}, {}});
  const auto access = [&engine](unsigned times, bool remote, bool hit, std::uint32_t word_mask,
                                RequestKind kind = RequestKind::kLoad) {
    MemoryRequest request;
    request.kind = kind;
    request.word_mask = word_mask;
    for (unsigned i = 0; i < times; ++i)
      engine.monitor(GpuId(0)).on_l1_access(request, remote, hit);
  };
  const ClockDomain clock(config.clock_hz);
  const auto run_to = [&clock](std::uint64_t cycle) {
    sc_core::sc_start(to_sc_time(clock.time_of(cycle) - now()));
  };
  run_to(0);
  access(3, true, false, 0xFFFF);  // warms up
  run_to(4);
  access(7, false, false, 1);
  access(8, true, false, 1);
  access(1, true, true, 3);
  access(2, true, false, 1, RequestKind::kStore);  // fills the window of 11
  run_to(10);
  access(19, true, true, 0xFFFF);
  run_to(11);
  StatisticsTable table;
  table.value("decided", 1);
  table.value("decided_at_cycle", 5);
  table.value("verdict", 2);         // 10 of 144 pieces, 1 hit of 9: coalescing
  table.value("golden_verdict", 3);  // nearly all pieces: the remote cache
  table.value("window_accesses", 18);
  table.value("window_remote_accesses", 11);
  table.value("window_remote_loads", 9);
  table.value("window_remote_load_hits", 1);
  table.value("window_remote_load_words", 10);
  table.value("run_accesses", 40);
  table.value("run_remote_accesses", 33);
  table.value("run_remote_loads", 31);
  table.value("run_remote_load_hits", 20);
  table.value("run_remote_load_words", 3 * 16 + 10 + 19 * 16);
  table.check(engine);
}

}  // namespace tessera::statistics_test
