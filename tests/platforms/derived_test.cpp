// SPDX-License-Identifier: Apache-2.0
#include "platforms/derived.h"

#include <catch2/catch.hpp>

#include "common/json.h"

namespace tessera::derived_test {

using nlohmann::ordered_json;

namespace {

/// Two GPUs' RDMA engines, a decision engine that decided at cycle 250, and a fabric.
ordered_json two_gpus() {
  ordered_json m;
  m["system.gpu0.rdma"]["responses_per_packet"] = {{"count", 4}, {"sum", 10}, {"max", 7}};
  m["system.gpu1.rdma"]["responses_per_packet"] = {{"count", 1}, {"sum", 5}, {"max", 5}};
  m["system.decision"] = {{"decided", 1},
                          {"decided_at_cycle", 250},
                          {"verdict", 2},
                          {"golden_verdict", 3},
                          {"window_remote_loads", 100},
                          {"window_remote_load_hits", 30},
                          {"window_remote_load_words", 200},
                          {"run_remote_loads", 1000},
                          {"run_remote_load_hits", 500},
                          {"run_remote_load_words", 16000}};
  m["system.fabric"] = {{"bytes_0_1", 64}, {"bytes_1_0", 32}};
  return m;
}

GpuConfig multi_gpu() {
  GpuConfig c;
  c.system.topology = "multi-gpu";
  c.system.gpus = 2;
  c.system.line_bytes = 64;
  c.system.transfer = "decision-engine";
  c.sm.clock_hz = 1'000'000'000;
  c.decision.clock_hz = 500'000'000;
  return c;
}

ordered_json remote(const ordered_json& modules) {
  return derive(modules, multi_gpu(), 1000, {0, 0}).at("remote");
}

}  // namespace

TEST_CASE("derived.remote has the fullest packet of all GPUs, and the mean") {
  const ordered_json r = remote(two_gpus());
  CHECK(r.at("most_responses_per_packet") == 7);
  CHECK(r.at("responses_per_packet") == 3);
}

TEST_CASE("the headroom is what remains if every slot issues or waits for a fixed latency") {
  GpuConfig c;
  c.system.sms = 4;
  c.sm.schedulers = 2;
  ordered_json m;
  // 800 slots in 100 cycles.
  m["system.gpu0.sm0"] = {{"issued_slots", 60},     {"idle_slots", 0},    {"structural_slots", 10},
                          {"dependency_slots", 30}, {"memory_slots", 90}, {"barrier_slots", 10}};
  m["system.gpu0.sm1"] = {{"issued_slots", 100}, {"dependency_slots", 10}, {"memory_slots", 70}};
  const ordered_json d = derive(m, c, 100, std::vector<std::uint64_t>(c.system.channels, 0));
  CHECK(d.at("memory_stall_fraction") == 0.2);
  CHECK(d.at("memory_headroom") == 4);
}

TEST_CASE("derived.probing counts misses of all engines, and only where cores probe each other") {
  GpuConfig c;
  c.system.sms = 4;
  c.system.miss_routing = "dp";
  ordered_json m;
  m["system.gpu0.probe0"] = {{"read_misses", 60},      {"shared", 40},   {"predicted", 30},
                             {"predicted_shared", 25}, {"supplied", 20}, {"failed", 4},
                             {"timeouts", 6},          {"forwarded", 9}};
  m["system.gpu0.probe3"] = {{"read_misses", 40},     {"shared", 10},  {"predicted", 10},
                             {"predicted_shared", 5}, {"supplied", 5}, {"failed", 4},
                             {"timeouts", 1}};
  m["system.gpu0.noc"] = {{"request_packets", 80}, {"response_packets", 70}};
  const std::vector<std::uint64_t> pages(c.system.channels, 0);
  const ordered_json d = derive(m, c, 100, pages).at("probing");
  CHECK(d.at("remote_hit_rate") == 0.25);
  CHECK(d.at("probed_fraction") == 0.4);
  CHECK(d.at("shared_fraction") == 0.5);
  CHECK(d.at("precision") == 0.75);
  CHECK(d.at("recall") == 0.6);
  CHECK(d.at("failed_fraction") == 0.2);
  CHECK(d.at("timeout_fraction") == 0.175);
  CHECK(d.at("remote_replies_per_cycle") == 0.25);
  CHECK(d.at("requests_per_cycle") == 0.8);
  c.system.miss_routing = "home";
  CHECK_FALSE(derive(m, c, 100, pages).contains("probing"));
}

TEST_CASE("derived.mesh is the mean over the links between routers") {
  GpuConfig c;
  c.system.sms = 4;
  c.system.channels = 2;
  c.system.slices_per_channel = 2;
  const std::vector<std::uint64_t> pages(c.system.channels, 0);
  CHECK_FALSE(derive({}, c, 100, pages).contains("mesh"));
  // 8 nodes on 4 x 2 routers have 20 links in a direction; a clock of the SMs gives 100 cycles.
  c.noc_kind = NetworkKind::kMesh;
  c.mesh.width = 4;
  c.mesh.height = 2;
  c.mesh.clock_hz = c.sm.clock_hz;
  ordered_json m;
  m["system.gpu0.noc"] = {{"request_router0_east_busy_cycles", 100},
                          {"request_router7_north_busy_cycles", 60},
                          {"response_router5_west_busy_cycles", 20}};
  const ordered_json d = derive(m, c, 100, pages).at("mesh");
  CHECK(d.at("request_link_utilisation") == Approx(0.08));
  CHECK(d.at("response_link_utilisation") == Approx(0.01));
}

TEST_CASE("what merging would save is reported only where it was counted") {
  ordered_json m = two_gpus();
  m["system.gpu0.rdma"]["reads_out"] = 12;
  m["system.gpu0.rdma"]["mergeable_reads"] = 5;
  m["system.gpu1.rdma"]["reads_out"] = 8;
  m["system.gpu1.rdma"]["mergeable_reads"] = 0;
  CHECK(remote(m).at("mergeable_fraction").is_null());
  GpuConfig counting = multi_gpu();
  counting.rdma.ideal_coalescing = true;
  CHECK(derive(m, counting, 1000, {0, 0}).at("remote").at("mergeable_fraction") == 0.25);
}

TEST_CASE("derived.remote has what the decision engine saw, in its window and in the run") {
  const ordered_json r = remote(two_gpus());
  // Of 100 and of 1000 lines of 16 pieces.
  CHECK(r.at("window_utilisation") == 0.125);
  CHECK(r.at("run_utilisation") == 1);
  CHECK(r.at("window_hit_rate") == 0.3);
  CHECK(r.at("run_hit_rate") == 0.5);
  CHECK(r.at("verdict") == 2);
  CHECK(r.at("golden_verdict") == 3);
  // 250 cycles of 2 ns, of 1000 of 1 ns.
  CHECK(r.at("undecided_fraction") == 0.5);
}

TEST_CASE("without a verdict the whole run is undecided") {
  ordered_json modules = two_gpus();
  modules["system.decision"]["decided"] = 0;
  modules["system.decision"]["decided_at_cycle"] = 0;
  CHECK(remote(modules).at("undecided_fraction") == 1);
  modules.erase("system.decision");
  CHECK(remote(modules).at("undecided_fraction") == 1);
  CHECK(remote(modules).at("window_utilisation") == 0);
}

TEST_CASE("of several GPUs, a miss is local whose line is the own GPU's, and no TLB sees all SMs") {
  ordered_json m = two_gpus();
  m["system.gpu0.l1_0"] = {{"load_misses", 30}, {"remote_load_misses", 12}};
  m["system.gpu1.l1_0"] = {{"load_misses", 10}, {"remote_load_misses", 8}};
  m["system.gpu0.l2_tlb"] = {{"pages_of_1_sm", 3}, {"pages_of_2_to_10_sms", 1}};
  const ordered_json several = derive(m, multi_gpu(), 1000, {0, 0});
  CHECK(several.at("l1_miss_local_fraction") == 0.5);
  CHECK(several.at("page_sharing").is_null());
  const ordered_json one = derive(m, GpuConfig(), 1000, {0, 0});
  CHECK(one.at("l1_miss_local_fraction") == 0);
  CHECK(one.at("page_sharing").at("1") == 0.75);
  CHECK(one.at("page_sharing").at("2-10") == 0.25);
  CHECK(one.at("page_sharing").at("26-64") == 0);
}

}  // namespace tessera::derived_test
