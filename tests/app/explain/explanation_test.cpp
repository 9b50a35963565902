// SPDX-License-Identifier: Apache-2.0
#include "app/explain/explanation.h"

#include <catch2/catch.hpp>

#include "app/explain/network_resources.h"
#include "app/explain/prediction.h"
#include "common/error.h"
#include "common/json.h"

namespace tessera::explanation_test {

using namespace tessera::app;
using Catch::Contains;
using nlohmann::ordered_json;

namespace {

/// 1000 cycles of a kernel on SMs of two schedulers, and 100 outside. Half of the slots waited for
/// memory: 300 of the stalled 500 cycles in the response network.
ordered_json run() {
  ordered_json stats;
  stats["cycles"] = 1100;
  stats["config"] = {
      {"system", {{"sms", 2}, {"line_bytes", 128}}},
      {"sm", {{"clock_hz", 1e9}, {"alu_latency", 4}}},
      {"l1", {{"clock_hz", 1e9}, {"latency_cycles", 30}}},
      {"llc", {{"clock_hz", 1e9}, {"latency_cycles", 100}}},
      {"noc", {{"clock_hz", 1e9}, {"link_bytes", 16}, {"stage_latency", 4}, {"radix", 8}}},
      {"dram",
       {{"clock_hz", 5e8},
        {"t_rcd", 7},
        {"t_cl", 7},
        {"burst_clocks", 1},
        {"pipeline_clocks", 4}}}};
  stats["critical_path"] = {{{"kernels", "k"},
                             {"spans", 1},
                             {"cycles", 1000},
                             {"issue_slots",
                              {{"issued", 400},
                               {"idle", 200},
                               {"structural", 160},
                               {"dependency", 240},
                               {"memory", 1000},
                               {"barrier", 0}}},
                             {"memory_stall_cycles",
                              {{"translation", 0},
                               {"l1_hit", 0},
                               {"l1_miss", 0},
                               {"request_network", 20},
                               {"llc", 180},
                               {"dram", 0},
                               {"llc_return", 0},
                               {"response_network", 300}}},
                             {"wait_ages", {{"llc", {1, 0, 0, 0, 0, 0, 0, 0, 0, 2}}}},
                             {"wait_age_cycles", {{"llc", {300, 0, 0, 0, 0, 0, 0, 0, 0, 200}}}}}};
  stats["modules"] = {{"system.gpu0.noc",
                       {{"request_packets", 100},
                        {"request_latency", {{"count", 100}, {"sum", 600}}},
                        {"request_egress0_busy_cycles", 110},
                        {"response_packets", 100},
                        {"response_latency", {{"count", 100}, {"sum", 20'500}}},
                        {"response_bytes", 13'600},
                        {"response_egress0_busy_cycles", 880},
                        {"response_egress1_busy_cycles", 220}}},
                      {"system.gpu0.llc0", {{"reads", 60}, {"bytes_read", 7'680}}},
                      {"system.gpu0.llc1", {{"reads", 40}, {"bytes_read", 5'120}}},
                      {"system.gpu0.sm0", {{"ctas", 1}}},
                      {"system.gpu0.sm1", {{"ctas", 1}}}};
  return stats;
}

}  // namespace

TEST_CASE("the parts of the critical time add up to the run") {
  const CriticalTime t = critical_time_of(run());
  CHECK(t.issued == 200);
  CHECK(t.idle == 100);
  CHECK(t.structural == 80);
  CHECK(t.dependency == 120);
  CHECK(t.outside == 100);
  CHECK(t.memory.at("llc") == 180);
  CHECK(t.memory.at("response_network") == 300);
  double all = 0;
  for (const auto& [name, cycles] : parts_of(t)) all += cycles;
  CHECK(all == 1100);
}

TEST_CASE("a load that is younger than its path's latency exposes the rest of it") {
  const CriticalTime t = critical_time_of(run());
  // One load of age 0; two of about 384 cycles, which have arrived without contention.
  const auto exposed = exposed_latency(
      t, {{"llc", {{"request_network", 5}, {"llc", 100}, {"response_network", 5}}}});
  CHECK(exposed.at("llc") == Approx(100));
  CHECK(exposed.at("request_network") == Approx(5));
  // Of a path of 480 cycles, each of these two exposes another 96: the middle of 256 to 512 is
  // 384. The first load did not wait for more than 300.
  CHECK(exposed_latency(t, {{"llc", {{"llc", 480}}}}).at("llc") == Approx(300 + 2 * 96));
  // The rest of a load's way are its last stages.
  const auto late =
      exposed_latency(t, {{"llc", {{"request_network", 400}, {"response_network", 80}}}});
  CHECK(late.at("response_network") == Approx(80 + 2 * 80));
  CHECK(late.at("request_network") == Approx(220 + 2 * 16));
}

TEST_CASE("a slice that waits for the response network belongs to it") {
  const Explanation e = explain(run());
  REQUIRE_FALSE(e.bottlenecks.empty());
  const Bottleneck& b = e.bottlenecks.front();
  CHECK(b.resource.name == "crossbar (responses)");
  CHECK(b.resource.use == Approx(0.8));
  CHECK(b.resource.hot.names == std::vector<std::string>{"gpu0.noc.response_egress0"});
  // The clock is eight times as fast, with the same latency in time.
  CHECK(b.resource.infinite ==
        std::vector<std::pair<std::string, std::string>>{{"noc.clock_hz", "8000000000"},
                                                         {"noc.stage_latency", "32"},
                                                         {"noc.link_bytes", "1024"},
                                                         {"noc.input_buffer_flits", "1024"},
                                                         {"noc.output_buffer_flits", "1024"}});
  // An idle packet takes 5 cycles each way. One load of the slices exposes 5 + 100 + 5.
  const double network = 300 - 5;
  const double slice = 180 - 100;
  const double requests = 20 - 5;
  // Of the idle time above 2 % of the run, the part that is contention of the 500 cycles in memory
  // is divided as the rest.
  const double idle = (100 - 0.02 * 1100) * (network + slice) / 500;
  CHECK(requests > 0);
  CHECK(b.saved == Approx(network + slice + idle));
}

TEST_CASE("of a network that half of the loads cross, long loads expose more than half") {
  // A load has 100 cycles elsewhere and 5 in the first network; half of them have 200 in the
  // second.
  const double without = 100 + 5;
  const double mean = without + 0.5 * 200;
  const double crossing = 0.5 * (without + 200) / mean;
  CHECK(lone_latency({{100, 5}, {50, 200}}, 100) == Approx(5 + crossing * 200));
  CHECK(lone_latency({{100, 5}, {0, 0}}, 100) == Approx(5));
}

TEST_CASE("experiments keep the parameters' ranges, and values that are above their own") {
  ordered_json stats = run();
  ordered_json& noc = stats["config"]["noc"];
  noc["stage_latency"] = 2000;
  noc["link_bytes"] = 2048;
  noc["input_buffer_flits"] = 4096;
  // Five times, so that the latency is 10000.
  CHECK(resources_of(stats).response_networks.front().infinite ==
        std::vector<std::pair<std::string, std::string>>{{"noc.clock_hz", "5000000000"},
                                                         {"noc.stage_latency", "10000"},
                                                         {"noc.link_bytes", "2048"},
                                                         {"noc.input_buffer_flits", "4096"},
                                                         {"noc.output_buffer_flits", "1024"}});
}

TEST_CASE("a network does not hold loads back for more than six times its busy time") {
  ordered_json stats = run();
  for (const char* slice : {"system.gpu0.llc0", "system.gpu0.llc1"}) {
    stats["modules"][slice]["bytes_read"] = 0;
  }
  stats["modules"]["system.gpu0.noc"]["response_egress0_busy_cycles"] = 50;
  stats["modules"]["system.gpu0.noc"]["response_egress1_busy_cycles"] = 0;
  const Bottleneck b = explain(stats).bottlenecks.front();
  CHECK(b.resource.name == "crossbar (responses)");
  CHECK(b.saved == Approx(6 * 50));
}

TEST_CASE("policies are named that the platform can use and does not") {
  ordered_json stats = run();
  const auto remedies = [&] { return explain(stats).bottlenecks.front().resource.remedies; };
  const std::string near = "; placement near the SM that reads (system.page_placement lab)";
  const std::string copies =
      "; copies of read-only lines (system.remote_caching mdr, full-replication)";
  ordered_json& system = stats["config"]["system"];
  system["remote_caching"] = "home";
  CHECK(remedies() == "noc.link_bytes");
  system["address_map"] = "fixed-channel";
  CHECK(remedies() == "noc.link_bytes" + near);
  stats["modules"]["system.gpu0.p2p0"] = ordered_json::object();
  CHECK(remedies() == "noc.link_bytes" + near + copies);
  system["remote_caching"] = "mdr";
  CHECK(remedies() == "noc.link_bytes" + near);
  system["page_placement"] = "lab";
  CHECK(remedies() == "noc.link_bytes");
}

TEST_CASE("the run is not shorter than the busy time of another resource") {
  ordered_json stats = run();
  stats["modules"]["system.gpu0.dram0"] = {{"bus_busy_clocks", 440}};  // 880 cycles
  CHECK(explain(stats).bottlenecks.front().saved == Approx(1100 - 880));
}

TEST_CASE("without contention behind it, a slice's wait is for its lookups or its atomics unit") {
  ordered_json stats = run();
  ordered_json& stalls = stats["critical_path"][0]["memory_stall_cycles"];
  stalls["response_network"] = 10;
  stalls["llc"] = 470;
  CHECK(explain(stats).bottlenecks.front().resource.name == "lookups of the LLC slices");
  CHECK(explain(stats).bottlenecks.front().resource.use == Approx(60 / 1100.0));
  ordered_json& system = stats["config"]["system"];
  const auto remedies = [&] { return explain(stats).bottlenecks.front().resource.remedies; };
  // One GPU and a power of two of channels.
  system["gpus"] = 1;
  system["channels"] = 2;
  CHECK(remedies() ==
        "system.slices_per_channel; an address map that spreads lines over channels "
        "(system.address_map pae)");
  system["channels"] = 3;
  CHECK(remedies() == "system.slices_per_channel");
  system["channels"] = 2;
  system["address_map"] = "pae";
  CHECK(remedies() == "system.slices_per_channel");
  // A slice with a clock of its own.
  stats["settings"] = {{"system.gpu0.llc1.clock_hz", 1e8}};
  CHECK(explain(stats).bottlenecks.front().resource.use == Approx(400 / 1100.0));
  stats["config"]["llc"]["atomic_lanes_per_cycle"] = 1;
  stats["modules"]["system.gpu0.llc0"]["atomics"] = 20;
  stats["modules"]["system.gpu0.llc0"]["atomic_lanes"] = 640;
  CHECK(explain(stats).bottlenecks.front().resource.name == "atomics units of the LLC slices");
}

TEST_CASE("a slice's wait for another request's line or in a remote cache is no lookup's") {
  ordered_json stats = run();
  ordered_json& stalls = stats["critical_path"][0]["memory_stall_cycles"];
  stalls["response_network"] = 10;
  stalls["llc"] = 470;
  stats["modules"]["system.gpu0.noc"]["response_egress0_busy_cycles"] = 50;
  for (const char* slice : {"system.gpu0.llc0", "system.gpu0.llc1"}) {
    stats["modules"][slice]["bytes_read"] = 0;
  }
  const auto in_slices = [&] {
    const Explanation e = explain(stats);
    const Bottleneck& b = e.bottlenecks.front();
    CHECK(b.resource.name == "lookups of the LLC slices");
    return b.from.front();
  };
  CHECK(in_slices().first == "llc");
  stats["settings"] = {{"system.gpu0.llc0.clock_hz", 1e8}};
  CHECK(in_slices().second == Approx(370));
  // Of the rest, the part that is contention of the other waits is divided among the lookups and
  // the networks' 15 and 5 cycles.
  const auto divided = [](double own) {
    const double merged = 370 - own;
    const double contended = (own + 15 + 5) / (500 - merged);
    return own + merged * contended * own / (own + 15 + 5);
  };
  stats["modules"]["system.gpu0.llc0"]["lookup_wait_cycles"] = 30;
  stats["modules"]["system.gpu0.llc0"]["merge_wait_cycles"] = 10;
  CHECK(in_slices().second == Approx(divided(0.75 * 370)));
  stats["modules"]["system.gpu0.l1_0"] = {{"llc_cycles", 100}, {"remote_cache_cycles", 20}};
  CHECK(in_slices().second == Approx(divided(0.8 * 0.75 * 370)));
}

TEST_CASE("a channel is in use by its bus, its activations and its refreshes, at its own clock") {
  ordered_json stats = run();
  ordered_json& part = stats["critical_path"][0];
  part["memory_stall_cycles"] = {{"dram", 500}};
  part["wait_ages"] = {{"dram", {1}}};
  part["wait_age_cycles"] = {{"dram", {500}}};
  stats["modules"]["system.gpu0.noc"]["response_egress0_busy_cycles"] = 110;
  for (const char* slice : {"system.gpu0.llc0", "system.gpu0.llc1"}) {
    stats["modules"][slice]["bytes_read"] = 0;
  }
  const auto channel = [&] {
    const Bottleneck b = explain(stats).bottlenecks.front();
    CHECK(b.resource.name == "DRAM channels");
    return b.resource;
  };
  // Two SM cycles a clock.
  stats["modules"]["system.gpu0.dram0"] = {{"bus_busy_clocks", 110}};
  CHECK(channel().use == Approx(220 / 1100.0));
  stats["config"]["dram"]["t_faw"] = 20;
  stats["modules"]["system.gpu0.dram0"]["activates"] = 40;
  CHECK(channel().use == Approx(400 / 1100.0));
  stats["config"]["dram"]["t_rfc"] = 50;
  stats["modules"]["system.gpu0.dram0"]["refreshes"] = 2;
  CHECK(channel().use == Approx(600 / 1100.0));
  stats["modules"]["system.gpu0.dram1"] = {{"bus_busy_clocks", 100}};
  stats["settings"] = {{"system.gpu0.dram1.clock_hz", 1e8}};
  CHECK(channel().use == Approx(1000 / 1100.0));
  CHECK(channel().hot.names.front() == "gpu0.dram1");
}

TEST_CASE("stalls without waits of loads belong to the resource that is in use for longest") {
  ordered_json stats = run();
  ordered_json& part = stats["critical_path"][0];
  for (auto& [name, cycles] : part["memory_stall_cycles"].items()) cycles = 0;
  part["issue_slots"]["memory"] = 0;
  part["issue_slots"]["structural"] = 1160;
  ordered_json& noc = stats["modules"]["system.gpu0.noc"];
  noc["request_egress0_busy_cycles"] = 550;
  const Bottleneck b = explain(stats).bottlenecks.front();
  CHECK(b.resource.name == "crossbar (requests)");
  CHECK(b.saved == Approx(580 - 0.4 * 200));
  noc["request_egress0_busy_cycles"] = 549;
  CHECK(explain(stats).bottlenecks.empty());
}

TEST_CASE("contention behind coherent L2s is divided between links and channels by their queues") {
  ordered_json stats = run();
  stats["modules"] = {{"system.gpu0.l1_0", {{"below_l2_cycles", 400}}},
                      {"system.gpu0.l2_0", {{"received_grant", 3}}},
                      {"system.host_link0", {{"bytes_grant", 660}, {"messages_grant", 3}}},
                      {"system.dram0",
                       {{"bus_busy_clocks", 220},
                        // 200 of the 400 cycles in excess of 10 x 40.
                        {"read_latency", {{"count", 10}, {"sum", 300}}}}}};
  ordered_json& config = stats["config"];
  config["system"]["gpus"] = 1;
  config["umh"] = {{"link", {{"clock_hz", 1e9}, {"bytes_per_cycle", 1}, {"latency_ns", 20}}},
                   {"l2", {{"clock_hz", 1e9}, {"latency_cycles", 4}}},
                   {"hmd", {{"clock_hz", 1e9}, {"latency_cycles", 1}}},
                   {"l1_port", {{"bytes_per_cycle", 64}}}};
  ordered_json& part = stats["critical_path"][0];
  part["memory_stall_cycles"]["dram"] = 300;
  part["memory_stall_cycles"]["response_network"] = 0;
  part["memory_stall_cycles"]["llc"] = 0;
  part["memory_stall_cycles"]["request_network"] = 200;
  part["wait_ages"] = {{"dram", {1}}};
  part["wait_age_cycles"] = {{"dram", {500}}};
  part["issue_slots"]["idle"] = 0;
  part["issue_slots"]["dependency"] = 440;
  // In use for 660 and 440 of 1100 cycles: queues of 3/2 and 2/3. A load exposes 5 cycles to the L2
  // and 81 behind it: 40 in the links, 1 in the HMD, 2 x (7 + 7 + 1 + 4 + 1) in the channel.
  const Explanation e = explain(stats);
  REQUIRE(e.bottlenecks.size() == 2);
  const double behind = 300 - 81;
  const double before = 200 - 5;
  CHECK(e.bottlenecks[0].resource.name == "links to the host");
  CHECK(e.bottlenecks[0].saved == Approx(9 / 13.0 * (behind + before)));
  CHECK(e.bottlenecks[1].resource.name == "DRAM channels");
  CHECK(e.bottlenecks[1].saved == Approx(4 / 13.0 * (behind + before)));
  CHECK_THAT(sentences(e).front(), Contains("The time is in: behind the L2 "));
  // A channel has no more of the time than of the loads' latency: 20 of 400 cycles.
  stats["modules"]["system.dram0"]["read_latency"]["sum"] = 210;
  const Explanation short_queues = explain(stats);
  REQUIRE(short_queues.bottlenecks.size() == 2);
  CHECK(short_queues.bottlenecks[1].resource.name == "DRAM channels");
  const double links = 9 / 13.0 * behind;
  const double channels = 20 / 400.0 * 300;
  CHECK(short_queues.bottlenecks[1].saved ==
        Approx(channels + channels / (links + channels) * before));
  stats["modules"]["system.dram0"]["read_latency"]["sum"] = 300;

  // An L2 that takes a message in 825 of the cycles keeps what is before it waiting.
  stats["modules"]["system.gpu0.l2_0"]["received_read-request"] = 822;
  CHECK(explain(stats).bottlenecks[0].resource.name == "lookups of the L2s");
  CHECK(explain(stats).bottlenecks[0].saved == Approx(before));
  // An HMD with most of its transactions in use: a queue of 4, beside 3/2 and 2/3.
  config["umh"]["hmd"]["transactions"] = 10;
  stats["modules"]["system.gpu0.l2_0"]["received_read-request"] = 0;
  stats["modules"]["system.hmd0"] = {{"pending", {{"average", 8}}}};
  CHECK(explain(stats).bottlenecks[0].resource.name == "transactions of the HMDs");
  CHECK(explain(stats).bottlenecks[0].saved == Approx(24 / 37.0 * (behind + before)));
  stats["modules"]["system.hmd0"]["pending"]["average"] = 7;
  CHECK(explain(stats).bottlenecks[0].resource.name == "links to the host");
}

TEST_CASE("slices without room for responses wait for the network of these") {
  ordered_json stats = run();
  ordered_json& stalls = stats["critical_path"][0]["memory_stall_cycles"];
  stalls["response_network"] = 10;
  stalls["llc"] = 470;
  const auto named = [&] { return explain(stats).bottlenecks.front().resource.name; };
  // 5 of 100 lookups.
  stats["modules"]["system.gpu0.llc0"]["stalls_output"] = 4;
  CHECK(named() == "lookups of the LLC slices");
  stats["modules"]["system.gpu0.llc0"]["stalls_output"] = 5;
  CHECK(named() == "crossbar (responses)");
  // A slice that is in use for longer than the network's 880 of 1100 cycles.
  stats["settings"] = {{"system.gpu0.llc1.clock_hz", 4e7}};
  CHECK(named() == "lookups of the LLC slices");
}

TEST_CASE("contention in a network is at most three times that of an average packet") {
  ordered_json stats = run();
  ordered_json& stalls = stats["critical_path"][0]["memory_stall_cycles"];
  stalls["llc"] = 0;
  // 300 of 320 cycles of the stalls, which have 500 cycles of the run.
  const double stage = 500 * 300 / 320.0;
  const double waits = explain(stats).bottlenecks.front().saved;
  // An average packet takes 5 cycles, and 1 of contention.
  stats["modules"]["system.gpu0.noc"]["response_latency"]["sum"] = 600;
  const Bottleneck b = explain(stats).bottlenecks.front();
  CHECK(b.from.front().first == "response_network");
  CHECK(b.from.front().second == Approx(3 / 6.0 * stage));
  CHECK(b.saved < waits);
}

TEST_CASE("an engine between GPUs bounds the fabric, is bound by it, or both are one") {
  ordered_json stats = run();
  ordered_json& config = stats["config"];
  config["system"]["gpus"] = 2;
  config["system"]["transfer"] = "coalesced";
  config["fabric"] = {{"clock_hz", 1e9}, {"flit_bytes", 16}, {"latency_ns", 10}};
  config["rdma"] = {{"clock_hz", 1e9}, {"latency_cycles", 1}, {"timeout_cycles", 30}};
  stats["modules"]["system.gpu0.noc"] = ordered_json::object();
  // 100 packets a direction: 90 cycles of excess each in the fabric, and 400 in the engines.
  ordered_json& fabric = stats["modules"]["system.fabric"];
  fabric = {{"packet_latency", {{"count", 200}, {"sum", 20'000}}}, {"egress_busy_0", 220}};
  ordered_json& engine = stats["modules"]["system.gpu0.rdma"];
  engine = {{"packets_out_response", 880},
            {"remote_reads_served", 100},
            {"link_response_cycles", 50'000}};
  const auto first = [&] { return explain(stats).bottlenecks.front(); };
  const double contention = first().saved / 0.75;
  CHECK(first().resource.name == "RDMA engines (responses)");
  // Without it, packets pass at the rate of the fabric.
  CHECK(first().resource.next_use == Approx(220 / 1100.0));
  CHECK(first().resource.remedies ==
        "rdma.clock_hz; system.transfer (fine-grained, decision-engine), system.page_placement, "
        "migration.policy");
  CHECK(first().resource.infinite ==
        std::vector<std::pair<std::string, std::string>>{{"rdma.clock_hz", "8000000000"},
                                                         {"rdma.latency_cycles", "8"},
                                                         {"rdma.timeout_cycles", "240"},
                                                         {"rdma.port_depth", "1024"},
                                                         {"rdma.outgoing_depth", "1024"}});
  // Three quarters of the engine's use: one resource.
  fabric["egress_busy_0"] = 661;
  CHECK(first().resource.name == "fabric between the GPUs and RDMA engines (responses)");
  CHECK(first().resource.use == Approx(0.8));
  CHECK(first().saved == Approx(contention));
  CHECK(first().resource.infinite.size() == 4 + 5);
  fabric["egress_busy_0"] = 659;
  CHECK(first().resource.name == "RDMA engines (responses)");
  // The other way round.
  fabric["egress_busy_0"] = 880;
  engine["packets_out_response"] = 440;
  CHECK(first().resource.name == "fabric between the GPUs (responses)");
  CHECK(first().saved == Approx(contention / 2));
}

TEST_CASE("the network between modules and the crossbar behind it are one if in use alike") {
  ordered_json stats = run();
  stats["config"]["mcm"] = stats["config"]["noc"];
  ordered_json& modules = stats["modules"];
  modules["system.gpu0.mcm0"] = modules["system.gpu0.noc"];
  ordered_json& ingress = modules["system.gpu0.module_ingress_xbar0"];
  ingress = modules["system.gpu0.noc"];
  modules["system.gpu0.noc"] = ordered_json::object();
  const auto first = [&] { return explain(stats).bottlenecks.front(); };
  CHECK(first().resource.name ==
        "network between the modules and crossbar behind the modules' network (responses)");
  ingress["response_egress0_busy_cycles"] = 440;
  CHECK(first().resource.name == "network between the modules (responses)");
  CHECK(first().resource.next_use == Approx(440 / 1100.0));
  // Other packets.
  ingress["response_packets"] = 90;
  CHECK(first().resource.next_use == 0);
}

TEST_CASE("of networks in a row that are in use alike, the last bounds the run") {
  ordered_json stats = run();
  stats["config"]["p2p"] = {{"clock_hz", 1e9}, {"latency", 1}, {"link_bytes", 16}};
  // The crossbar's responses: in use for 880 of 1100 cycles, 20000 cycles of excess.
  stats["modules"]["system.gpu0.p2p0"] = {{"response_packets", 100},
                                          {"response_latency", {{"count", 100}, {"sum", 5'200}}},
                                          {"response_egress0_busy_cycles", 661}};
  CHECK(explain(stats).bottlenecks.front().resource.name == "partition links (responses)");
  stats["modules"]["system.gpu0.p2p0"]["response_egress0_busy_cycles"] = 659;
  CHECK(explain(stats).bottlenecks.front().resource.name == "crossbar (responses)");
  stats["modules"]["system.gpu0.p2p0"]["response_egress0_busy_cycles"] = 661;
  stats["modules"]["system.gpu0.p2p0"]["response_latency"]["sum"] = 5'199;
  CHECK(explain(stats).bottlenecks.front().resource.name == "crossbar (responses)");
}

TEST_CASE("links of the RDMA engine's crossbar have their own width and clock") {
  ordered_json stats = run();
  stats["config"]["system"]["rdma_link_bytes"] = 8;
  stats["config"]["rdma"] = {{"clock_hz", 5e8}, {"latency_cycles", 1}};
  stats["modules"]["system.gpu0.ingress_xbar"] = {
      {"response_packets", 10},
      {"response_latency", {{"count", 10}, {"sum", 50'000}}},
      {"response_egress0_busy_cycles", 495}};
  const Bottleneck b = explain(stats).bottlenecks.front();
  CHECK(b.resource.name == "crossbar behind the RDMA engine (responses)");
  CHECK(b.resource.use == Approx(2 * 495 / 1100.0));
  CHECK(b.resource.infinite ==
        std::vector<std::pair<std::string, std::string>>{{"rdma.clock_hz", "4000000000"},
                                                         {"rdma.latency_cycles", "8"},
                                                         {"system.rdma_link_bytes", "1024"},
                                                         {"rdma.port_depth", "1024"},
                                                         {"rdma.outgoing_depth", "1024"}});
}

TEST_CASE("with more MSHRs, exposed latencies overlap for the time in which an L1 had none") {
  ordered_json stats = run();
  stats["config"]["l1"]["mshr_entries"] = 4;
  stats["config"]["l1"]["ways"] = 2;
  stats["critical_path"][0]["issue_slots"]["idle"] = 0;
  stats["critical_path"][0]["issue_slots"]["dependency"] = 440;
  ordered_json& l1 = stats["modules"]["system.gpu0.l1_0"];
  const auto saved = [&](const std::string& resource) {
    for (const Bottleneck& b : explain(stats).bottlenecks) {
      if (b.resource.name == resource) return b.saved;
    }
    return 0.0;
  };
  const std::string mshrs = "miss registers (MSHRs) of the L1s";
  const std::string frames = "lines of the L1s' sets that misses reserve";
  // A stall lasts 1000 / 4 cycles. The networks' excess is a fifth of the misses' latency. That of
  // the requests' network is 0, so that no wait in it is contention.
  l1 = {{"stalls_mshr", 2}, {"miss_latency", {{"count", 100}, {"sum", 100'500}}}};
  CHECK(saved(mshrs) == Approx(10 + 100 + 5));
  l1["stalls_mshr"] = 0;
  CHECK(saved(mshrs) == 0);
  l1["stalls_frames"] = 1;
  CHECK(saved(frames) == Approx(10 + 100 + 5));
  // With three eighths, half of the gain is left; with a half, none.
  l1 = {{"stalls_mshr", 1}, {"miss_latency", {{"count", 100}, {"sum", 53'600}}}};
  CHECK(saved(mshrs) == Approx(0.5 * 536 / 4));
  l1["miss_latency"]["sum"] = 40'200;
  CHECK(saved(mshrs) == 0);
  // Two warps need 1030 cycles for two loads each.
  l1 = {{"stalls_mshr", 2},
        {"load_misses", 100},
        {"miss_latency", {{"count", 100}, {"sum", 100'000}}}};
  stats["modules"]["system.gpu0.sm0"] = {
      {"load_instructions", 2}, {"line_requests", 2}, {"resident_warps", {{"average", 2}}}};
  CHECK(saved(mshrs) == Approx(1100 - 1030));
}

TEST_CASE("of slices that wait for MSHRs, only the time without one is theirs") {
  ordered_json stats = run();
  stats["config"]["llc"]["mshr_entries"] = 10;
  ordered_json& slice = stats["modules"]["system.gpu0.llc0"];
  slice["miss_latency"] = {{"count", 4}, {"sum", 800}};
  const auto in_slices = [&] {
    for (const Bottleneck& b : explain(stats).bottlenecks) {
      for (const auto& [stage, cycles] : b.from) {
        if (stage == "llc") return std::pair(b.resource.name, cycles);
      }
    }
    return std::pair(std::string(), 0.0);
  };
  slice["stalls_mshr"] = 4;
  CHECK(in_slices().first == "crossbar (responses)");
  // Five of 100 lookups, 5 / 2 in each slice, each for 200 / 10 cycles.
  slice["stalls_mshr"] = 5;
  CHECK(in_slices().first == "miss registers (MSHRs) of the LLC slices");
  CHECK(in_slices().second == Approx(50));
}

TEST_CASE("an SM with more work than its CTAs' share loses the time that balance would save") {
  ordered_json stats = run();
  ordered_json& stalls = stats["critical_path"][0]["memory_stall_cycles"];
  for (auto& [name, cycles] : stalls.items()) cycles = 0;
  stats["modules"]["system.gpu0.sm0"] = {{"ctas", 4}};
  stats["modules"]["system.gpu0.sm1"] = {{"ctas", 0}};
  stats["kernels"] = {{{"grid", {4, 1, 1}}, {"block", {32, 1, 1}}, {"instructions", 400}}};
  const Bottleneck b = explain(stats).bottlenecks.front();
  CHECK(b.resource.name == "balance of CTAs between SMs");
  // Two of four CTAs: half of the issued, structural and dependent time. The loads that ended waits
  // expose no latency of the L1, so that the time in memory stays.
  CHECK(b.saved == Approx(0.5 * (200 + 80 + 120)));
  // Four kernels of one CTA each cannot be spread.
  stats["kernels"] = ordered_json::array();
  for (int i = 0; i < 4; ++i) {
    stats["kernels"].push_back({{"grid", {1, 1, 1}}, {"block", {32, 1, 1}}, {"instructions", 50}});
  }
  CHECK(explain(stats).bottlenecks.empty());
}

TEST_CASE("a resource does not bound a run in which another is in use for twice the time") {
  ordered_json stats = run();
  // The ports of the slices are hardly in use.
  for (const char* slice : {"system.gpu0.llc0", "system.gpu0.llc1"}) {
    stats["modules"][slice]["bytes_read"] = 0;
  }
  stats["modules"]["system.gpu0.noc"]["response_egress0_busy_cycles"] = 220;
  stats["modules"]["system.gpu0.dram0"] = {{"bus_busy_clocks", 210}};
  CHECK(explain(stats).bottlenecks.front().resource.name == "crossbar (responses)");
  stats["modules"]["system.gpu0.dram0"]["bus_busy_clocks"] = 221;
  const Explanation e = explain(stats);
  for (const Bottleneck& b : e.bottlenecks) {
    CHECK(b.resource.name != "crossbar (responses)");
  }
}

TEST_CASE("ready warps wait for a load/store unit in proportion to its use") {
  ordered_json stats = run();
  const auto structural = [&] {
    const Explanation e = explain(stats);
    for (const auto& [stage, cycles] : e.bottlenecks.front().from) {
      if (stage == "structural") return cycles;
    }
    return 0.0;
  };
  ordered_json& slots = stats["critical_path"][0]["issue_slots"];
  slots["idle"] = 0;
  slots["dependency"] = 0;
  slots["structural"] = 600;
  const double all = structural();
  CHECK(all > 0);
  // Of 2000 slots in 1000 cycles, 300 - 0.4 x 200 cycles were a consequence. With a unit that is in
  // use for half of the time, it is 150 - 80.
  stats["modules"]["system.gpu0.sm0"]["line_requests"] = 300;
  stats["modules"]["system.gpu0.sm0"]["shared_instructions"] = 250;
  CHECK(structural() == Approx(all * 70 / 220));
}

TEST_CASE("a run without a critical path is refused, and a run that nothing bounds says so") {
  ordered_json stats = run();
  for (auto& [name, cycles] : stats["critical_path"][0]["memory_stall_cycles"].items()) cycles = 0;
  stats["critical_path"][0]["issue_slots"]["memory"] = 0;
  CHECK_THAT(sentences(explain(stats)).front(),
             Contains("No resource of the memory system bounds"));
  stats.erase("critical_path");
  CHECK_THROWS_AS(explain(stats), InputError);
}

TEST_CASE("without a profile, the kernels with the most time are named") {
  ordered_json stats = run();
  ordered_json other = stats["critical_path"][0];
  stats["critical_path"][0]["kernels"] = "assign";
  stats["critical_path"][0]["cycles"] = 836;
  other["kernels"] = "move";
  other["cycles"] = 110;
  stats["critical_path"].push_back(other);
  other["kernels"] = "rare";
  other["cycles"] = 54;  // below 5 %
  stats["critical_path"].push_back(other);
  const std::string text =
      "Kernel assign has 76.0 % of the time, kernel move has 10.0 % of the time. tessera run "
      "--profile "
      "names the lines.";
  CHECK(explain(stats).origin == text);
  CHECK(sentences(explain(stats)).back() == text);
  CHECK(to_json(explain(stats))["origin"] == text);
}

TEST_CASE("with a profile, the line and the array that wait the most are named") {
  ordered_json stats = run();
  const auto instruction = [](int pc, const char* file, int line, int stalled) {
    return ordered_json{{"kernel", "k"},
                        {"pc", pc},
                        {"place", "k.ptx:9"},
                        {"text", "ld.global.f32 %f1, [%rd1];"},
                        {"source_file", file},
                        {"source_line", line},
                        {"source_text", "s += a[i];"},
                        {"stall_cycles", stalled}};
  };
  stats["profile"] = {
      {"line_bytes", 128},
      {"lines",
       {instruction(3, "k.cu", 7, 100), instruction(5, "k.cu", 12, 90),
        instruction(8, "k.cu", 12, 60)}},
      {"arrays", {{{"name", "B"}, {"filled_bytes", 380}}, {{"name", "A"}, {"filled_bytes", 620}}}}};
  CHECK(explain(stats).origin ==
        "The longest waits are for kernel 'k', k.cu:12 's += a[i];' (60.0 % of the stalled time), "
        "array A (62.0 % of the missed bytes).");
  // Nothing stalled: the kernels.
  for (ordered_json& line : stats["profile"]["lines"]) line["stall_cycles"] = 0;
  CHECK_THAT(explain(stats).origin, Contains("Kernel k has 90.9 % of the time"));
}

TEST_CASE("of two runs, the parts that differ come first") {
  ordered_json other = run();
  other["cycles"] = 900;
  other["critical_path"][0]["cycles"] = 800;
  other["critical_path"][0]["issue_slots"]["memory"] = 600;  // of 1600: 300 of 800 cycles
  other["critical_path"][0]["memory_stall_cycles"]["response_network"] = 100;
  const auto text = compare_sentences(explain(run()), explain(other), "a", "b");
  REQUIRE(text.size() == 2);
  CHECK(text[0] == "b takes 900 cycles and a 1 100: 1.22 times faster.");
  CHECK_THAT(text[1], Contains("response network -200"));
}

TEST_CASE("of runs with different clocks, times are compared") {
  ordered_json slow = run();
  slow["time_ns"] = 1100;
  ordered_json other = run();
  other["time_ns"] = 550;
  const auto text = compare_sentences(explain(slow), explain(other), "a", "b");
  REQUIRE(text.size() == 2);
  CHECK(text[0] == "b takes 550 ns and a 1.10 us: 2.00 times faster.");
  CHECK_THAT(text[1],
             Contains("Time of the critical SMs that moved: response network -150 ns, issue of "
                      "instructions -100 ns"));
}

TEST_CASE("of two runs, the resources that bound them are named") {
  ordered_json other = run();
  for (const char* slice : {"system.gpu0.llc0", "system.gpu0.llc1"}) {
    other["modules"][slice]["bytes_read"] = 0;
  }
  ordered_json& noc = other["modules"]["system.gpu0.noc"];
  noc["response_egress0_busy_cycles"] = 0;
  noc["response_egress1_busy_cycles"] = 0;
  noc["response_latency"]["sum"] = 500;
  const auto text = compare_sentences(explain(run()), explain(other), "a", "b");
  CHECK(text.back() == "a is bound by crossbar (responses), b by lookups of the LLC slices.");
}

TEST_CASE("kernels with more cycles than their run are no statistics of a run") {
  ordered_json stats = run();
  stats["cycles"] = 990;  // the kernels have 1000
  CHECK_NOTHROW(critical_time_of(stats));
  stats["cycles"] = 980;
  CHECK_THROWS_WITH(critical_time_of(stats),
                    "the kernels of the critical path have more cycles than the run");
}

}  // namespace tessera::explanation_test
