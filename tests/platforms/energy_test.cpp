// SPDX-License-Identifier: Apache-2.0
#include "platforms/energy.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "common/json.h"
#include "modules/noc/network_energy.h"
#include "modules/noc/planned_network.h"
#include "platforms/platform_view.h"
#include "platforms/run_result.h"
#include "platforms/simulation.h"
#include "platforms/topology/shape.h"
#include "stimuli/workload.h"

namespace tessera::energy_test {

using nlohmann::ordered_json;

namespace {

const char* const kComponents[] = {"sm", "l1", "llc", "noc", "dram"};

ordered_json energy_of(const std::vector<std::string>& sets, const ordered_json& modules,
                       double seconds) {
  const ResolvedConfig c = resolve_config("uba-mem-small", sets);
  return energy(modules, c.gpu, c.overrides, seconds);
}

NetworkGeometry geometry_of(const std::string& preset, const std::string& network,
                            bool requests = true) {
  const GpuConfig c = resolve_config(preset, {}).gpu;
  const PlatformPlan plan = plan_of(c);
  const PlannedBlock& block = *plan.find("system.gpu0." + network);
  return network_geometry(PlatformView(c, plan), block, network_of(block), requests);
}

}  // namespace

TEST_CASE("events are taken from the statistics of their blocks") {
  const ordered_json modules = {
      {"system.gpu0.sm0", {{"thread_instructions", 300}}},
      {"system.gpu0.sm7", {{"thread_instructions", 200}}},
      {"system.gpu0.l1_3", {{"load_hits", 4}, {"store_hits", 2}, {"bytes_filled", 384}}},
      {"system.gpu0.llc5",
       {{"hits", 10},
        {"misses", 3},
        {"merges", 2},
        {"write_allocations", 1},
        {"partial_fetches", 1},
        {"write_backs", 2},
        {"atomics", 1},
        {"bypasses", 99}}},
      {"system.gpu0.dram1",
       {{"activates", 4}, {"refreshes", 1}, {"bytes_read", 512}, {"bytes_written", 128}}},
      {"system.gpu0.noc", {{"request_bytes", 1000}, {"response_bytes", 3000}}}};
  const ordered_json e = energy_of({}, modules, 0);
  const GpuConfig c = resolve_config("uba-mem-small", {}).gpu;
  const PowerConfig& p = c.power;
  CHECK(e["sm"]["dynamic_j"].get<double>() == Approx(500 * 30e-12).epsilon(1e-12));
  // 9 lines of an array of 48 KiB, 20 of one of 96 KiB.
  CHECK(e["l1"]["dynamic_j"].get<double>() ==
        Approx(9 * 1024 * 60e-15 * std::sqrt(6.0)).epsilon(1e-12));
  CHECK(e["llc"]["dynamic_j"].get<double>() ==
        Approx(20 * 1024 * 60e-15 * std::sqrt(12.0)).epsilon(1e-12));
  // 4 + 32 rows of 2 KiB; 640 bytes.
  CHECK(e["dram"]["dynamic_j"].get<double>() ==
        Approx(36 * 2048 * 0.89e-12 + 5120 * 3.48e-12).epsilon(1e-12));
  const double there = network_power(p, geometry_of("uba-mem-small", "noc")).joule_per_bit();
  const double back = network_power(p, geometry_of("uba-mem-small", "noc", false)).joule_per_bit();
  CHECK(e["noc"]["dynamic_j"].get<double>() == Approx(8000 * there + 24000 * back).epsilon(1e-12));
  for (const char* part : kComponents) CHECK(e[part]["static_j"] == 0);
  CHECK(e["noc_power_w"] == 0);
}

TEST_CASE("caches, directories and stacks of a coherent hierarchy count their events") {
  const ResolvedConfig c =
      resolve_config("umh-1-small", {"l1.sets=32", "l1.ways=4", "umh.l2.sets=128", "umh.l2.ways=4",
                                     "umh.cpu.l1.sets=64", "umh.cpu.l1.ways=2"});
  const ordered_json modules = {
      {"system.gpu0.l1_3",
       {{"loads", 90},
        {"load_hits", 2},
        {"stores", 3},
        {"atomics", 1},
        {"received_grant", 4},
        {"sent_read-request", 50}}},
      {"system.gpu0.l2_1",
       {{"received_grant", 5}, {"sent_grant", 6}, {"received_read-request", 70}}},
      {"system.gpu0.smd0",
       {{"received_read-request", 7}, {"received_grant", 1}, {"sent_grant", 9}}},
      {"system.gpu0.stack1", {{"activates", 4}, {"bytes_read", 512}, {"bytes_written", 128}}},
      {"system.gpu0.cpu_l1_0", {{"load_hits", 8}}}};
  const ordered_json e = energy(modules, c.gpu, c.overrides, 0);
  const auto joules = [&e](const char* part) { return e[part]["dynamic_j"].get<double>(); };
  // Lines of 64 bytes, of arrays of 8 and 32 KiB.
  CHECK(joules("l1") == Approx(10 * 512 * 60e-15).epsilon(1e-12));
  CHECK(joules("l2") == Approx(11 * 512 * 60e-15 * 2).epsilon(1e-12));
  CHECK(joules("cpu_l1") == Approx(8 * 512 * 60e-15).epsilon(1e-12));
  const umh::SmdConfig smd = c.gpu.hierarchy.smd_config().smd;
  const std::uint64_t blocks = smd.stack_bytes / smd.block_bytes;
  const double table = static_cast<double>(blocks) * smd.entry_bits() / 8;
  CHECK(joules("smd") ==
        Approx(8 * smd.entry_bits() * 60e-15 * std::sqrt(table / 8192)).epsilon(1e-12));
  CHECK(joules("stack") ==
        Approx(4.0 * c.gpu.hierarchy.stack.row_bytes * 0.89e-12 + 5120 * 3.48e-12).epsilon(1e-12));
  CHECK(joules("dram") == 0);
  double total = 0;
  for (const auto& part : e) {
    if (part.is_object()) total += part["total_j"].get<double>();
  }
  CHECK(e["total_j"].get<double>() == Approx(total).epsilon(1e-12));
}

TEST_CASE("time without events costs every block's static power") {
  const ordered_json e = energy_of({}, ordered_json::object(), 2e-3);
  for (const char* part : kComponents) CHECK(e[part]["dynamic_j"] == 0);
  CHECK(e["sm"]["static_j"].get<double>() == Approx(8 * 0.5 * 2e-3).epsilon(1e-12));
  CHECK(e["l1"]["static_j"].get<double>() == Approx(8 * 393216 * 6e-9 * 2e-3).epsilon(1e-12));
  CHECK(e["llc"]["static_j"].get<double>() == Approx(8 * 786432 * 6e-9 * 2e-3).epsilon(1e-12));
  CHECK(e["dram"]["static_j"].get<double>() == Approx(4 * 0.125 * 2e-3).epsilon(1e-12));
  CHECK(e["noc_power_w"].get<double>() * 2e-3 == Approx(e["noc_j"].get<double>()).epsilon(1e-12));
}

TEST_CASE("settings of one instance count for that instance") {
  const auto llc = [](const std::vector<std::string>& sets) {
    return energy_of(sets, ordered_json::object(), 1)["llc"]["static_j"].get<double>();
  };
  // Of eight slices one has twice the ways.
  CHECK(llc({"system.gpu0.llc2.ways=32"}) == Approx(llc({}) * 9 / 8).epsilon(1e-12));
  const auto area = [](const std::vector<std::string>& sets) {
    return energy_of(sets, ordered_json::object(), 1)["noc_area_mm2"].get<double>();
  };
  CHECK(area({"system.gpu0.noc.link_bytes=64"}) == area({"noc.link_bytes=64"}));
  CHECK(area({"noc.link_bytes=64"}) > area({}));
}

TEST_CASE("a mesh's energy is that of the routers that packets pass") {
  const GpuConfig c = resolve_config("uba-mem-small", {"noc.kind=mesh"}).gpu;
  const PlatformPlan plan = plan_of(c);
  const PlannedBlock& noc = *plan.find("system.gpu0.noc");
  const NetworkGeometry g = network_geometry(PlatformView(c, plan), noc, network_of(noc), true);
  REQUIRE(g.stages.size() == 1);
  CHECK(g.stages[0].switches == 16);
  CHECK(g.stages[0].inputs == 5);
  CHECK(g.stages[0].outputs == 5);
  CHECK(g.link_bytes == 32);
  CHECK(g.buffer_bytes == 8 * 32);
  CHECK(g.clock_hz == 700e6);
  // 8 SMs on 10 mm2 each, 4 x 4 routers.
  CHECK(g.length_mm == Approx(std::sqrt(80.0) / 4));
  // Bytes count once for each router passed.
  ordered_json modules;
  modules["system.gpu0.noc"] = {{"request_bytes", 100}, {"request_hop_bytes", 700}};
  const ordered_json e = energy_of({"noc.kind=mesh"}, modules, 0);
  CHECK(e["noc"]["dynamic_j"].get<double>() ==
        Approx(700 * 8 * network_power(c.power, g).joule_per_bit()).epsilon(1e-12));
}

TEST_CASE("networks have the shape that the crossbar is built in") {
  const NetworkGeometry uba = geometry_of("uba-mem", "noc");
  REQUIRE(uba.stages.size() == 2);
  for (const CrossbarStage& s : uba.stages) {
    CHECK(s.switches == 8);
    CHECK(s.inputs == 8);
    CHECK(s.outputs == 8);
  }
  CHECK(uba.link_bytes == 16);
  CHECK(uba.links() == 3 * 64);
  // 640 mm2: a side of 25.3 mm, two thirds of it on average.
  CHECK(uba.length_mm == Approx(2 * std::sqrt(640.0) / 3));
  // 32 x 32 in six by six switches of a side: six first switches of six.
  const NetworkGeometry side = geometry_of("uba-sm", "noc1");
  CHECK(side.stages[0].switches == 6);
  CHECK(side.stages[0].inputs == 6);
  CHECK(side.length_mm == Approx(std::sqrt(640.0) / 2));
  CHECK(geometry_of("uba-sm", "link3").length_mm == Approx(std::sqrt(640.0) / 2));
  // A partition has a 32nd of the die.
  const NetworkGeometry p2p = geometry_of("nuba", "p2p31");
  REQUIRE(p2p.stages.size() == 1);
  CHECK(p2p.stages[0].inputs == 2);
  CHECK(p2p.length_mm == Approx(2 * std::sqrt(20.0) / 3));
  // 4 modules of 32 SMs: 320 mm2 each; 32 senders, to 32 slices and 16 gateways.
  const NetworkGeometry module = geometry_of("mcm-uba", "noc2");
  CHECK(module.length_mm == Approx(2 * std::sqrt(320.0) / 3));
  CHECK(module.stages[0].inputs == 6);   // 32 ports: switches of 6
  CHECK(module.stages[1].outputs == 7);  // 48 ports: switches of 7
  CHECK_FALSE(module.leaves_module);
  const NetworkGeometry plane = geometry_of("mcm-uba", "mcm0");
  CHECK(plane.leaves_module);
  CHECK(plane.length_mm == 0);
}

TEST_CASE("responses meet the switches in the other order") {
  const GpuConfig c = resolve_config("uba-mem", {}).gpu;
  PlannedBlock noc;
  PlannedNetwork network;
  network.noc = c.noc;
  noc.inputs = 16;
  noc.outputs = 20;
  const PlatformPlan plan = plan_of(c);
  const PlatformView view(c, plan);
  const NetworkGeometry there = network_geometry(view, noc, network, true);
  const NetworkGeometry back = network_geometry(view, noc, network, false);
  CHECK(there.stages[1].outputs == 5);
  CHECK(back.stages[0].inputs == 5);
}

TEST_CASE("a run's energy adds up") {
  const ResolvedConfig config = resolve_config("nuba-small", {});
  Simulation simulation(config);
  const auto workload = make_workload("vecadd");
  RunOptions options;
  options.values = ValueMode::kCarried;
  const RunResult r = simulation.run(*workload, options);
  REQUIRE_FALSE(r.failure.has_value());
  const ordered_json& e = r.stats["energy"];
  double total = 0;
  for (const char* part : kComponents) {
    CAPTURE(part);
    const ordered_json& c = e[part];
    CHECK(c["dynamic_j"].get<double>() > 0);
    CHECK(c["static_j"].get<double>() > 0);
    CHECK(c["dynamic_j"].get<double>() + c["static_j"].get<double>() ==
          Approx(c["total_j"].get<double>()).epsilon(1e-12));
    total += c["total_j"].get<double>();
  }
  CHECK(total == Approx(e["total_j"].get<double>()).epsilon(1e-12));
  CHECK(e["noc_j"] == e["noc"]["total_j"]);
  std::set<std::string> kinds;
  double networks = 0;
  double area = 0;
  for (const auto& [kind, network] : e["noc"]["networks"].items()) {
    kinds.insert(kind);
    networks += network["total_j"].get<double>();
    area += network["area_mm2"].get<double>();
  }
  CHECK(kinds == std::set<std::string>{"noc", "p2p"});
  CHECK(networks == Approx(e["noc_j"].get<double>()).epsilon(1e-12));
  CHECK(area == Approx(e["noc_area_mm2"].get<double>()).epsilon(1e-12));
  CHECK(e["noc_power_w"].get<double>() * r.stats["time_ns"].get<double>() * 1e-9 ==
        Approx(e["noc_j"].get<double>()).epsilon(1e-9));
  // The operations are the SMs' thread instructions.
  double lanes = 0;
  for (std::uint32_t i = 0; i < config.gpu.system.sms; ++i) {
    lanes += r.stats["modules"]["system.gpu0.sm" + std::to_string(i)]["thread_instructions"]
                 .get<double>();
  }
  CHECK(e["sm"]["dynamic_j"].get<double>() == Approx(lanes * 30e-12).epsilon(1e-12));
}

}  // namespace tessera::energy_test
