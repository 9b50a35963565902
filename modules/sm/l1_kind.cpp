// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/json.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"
#include "modules/plan/run_figures.h"
#include "modules/power/energy_report.h"
#include "modules/sm/l1_cache.h"
#include "modules/sm/l1_figures.h"
#include "modules/sm/l1_roles/multi_gpu.h"
#include "modules/sm/sites.h"

namespace tessera {

namespace {

const BlockFamilyRegistration<L1Site> kFamily([](const L1Site& s) {
  auto module = make_l1_cache(s.name.c_str(), s.config, *s.map, s.role);
  L1Cache& m = *module;
  BlockHandle h = BlockHandle::of(std::move(module));
  h.offer<FlushIf>(m);
  h.offer<HoldsBytes>(m);
  h.offer<L1ProbeIf>(m.probe_port());
  h.offer(m);
  h.offer(m.launch_counts());
  h.in = {&m.core};
  h.out = {&m.memory};
  return h;
});

/// The nodes that contain LLC slices, in their order (indices of PlatformPlan::nodes).
std::vector<std::uint32_t> home_nodes(const PlatformPlan& plan) {
  std::vector<std::uint32_t> nodes;
  for (const PlannedBlock* b : plan.of_kind("llc")) {
    if (std::find(nodes.begin(), nodes.end(), b->node) == nodes.end()) nodes.push_back(b->node);
  }
  return nodes;
}

/// L1RoleSite::node_of_slice of a platform.
std::vector<std::uint16_t> nodes_of_slices(const PlatformPlan& plan) {
  const std::vector<std::uint32_t> nodes = home_nodes(plan);
  std::vector<std::uint16_t> all;
  if (nodes.size() < 2) return all;
  for (const PlannedBlock* b : plan.of_kind("llc")) {
    const auto node = std::find(nodes.begin(), nodes.end(), b->node);
    all.push_back(static_cast<std::uint16_t>(node - nodes.begin()));
  }
  return all;
}

/// The served misses from each node with L1s to each node with slices: {"from", "to": names of the
/// nodes, "misses": [from][to]}. Null without two nodes of slices.
nlohmann::ordered_json misses_by_home(const RunFigures& run) {
  const PlatformPlan& plan = run.plan();
  const std::vector<std::uint32_t> to = home_nodes(plan);
  if (to.size() < 2) return nullptr;
  std::vector<std::uint32_t> from;
  std::vector<std::vector<Counter>> misses;
  for (const PlannedBlock* b : plan.of_kind(L1Site::kFamily)) {
    if (from.empty() || from.back() != b->node) {
      from.push_back(b->node);
      misses.emplace_back(to.size());
    }
    StatisticsReader reader = run.reader(*b);
    for (std::size_t node = 0; node < to.size(); ++node) {
      Counter count = 0;
      reader.counter(home_misses_name(node), count, "", "");
      misses.back()[node] += count;
    }
  }
  const auto names = [&plan](const std::vector<std::uint32_t>& nodes) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const std::uint32_t node : nodes) all.push_back(plan.nodes[node].name);
    return all;
  };
  return {{"from", names(from)}, {"to", names(to)}, {"misses", misses}};
}

BlockHandle build(const BlockBuild& b) {
  auto site = b.site<L1Site>();
  site.config = b.own<L1Config>("l1");
  const auto& planned = b.block().as<PlannedL1>();
  L1RoleSite& role = site.role;
  role.role = planned.role;
  role.node_of_slice = nodes_of_slices(b.plan());
  const SystemFacts facts = b.facts();
  if (facts.tree.gpus > 1) {
    const std::uint64_t bytes = facts.memory.total_bytes() / facts.tree.gpus;
    role.transfer = &b.get<RemoteAccessMode>();
    role.local_begin = b.block().gpu * bytes;
    role.local_end = (b.block().gpu + 1) * bytes;
    role.transfer_bytes = planned.transfer_bytes;
    for (L1Observer* observer : b.offered<L1Observer>()) {
      if (observer->observes(GpuId(b.block().gpu))) role.observer = observer;
    }
  }
  return b.make(site);
}

/// Accesses of a whole line to the data array: loads and stores that hit, and fills.
CacheActivity activity(const L1Config& c, const L1Stats& s) {
  const double line = c.line_bytes;
  return {static_cast<double>(s.load_hits) + static_cast<double>(s.store_hits) +
              static_cast<double>(s.bytes_filled) / line,
          line, cache_bytes(c.sets, c.ways, c.line_bytes)};
}

void add_energy(const RunFigures& run, EnergyReport& report) {
  const auto& power = run.config().group<PowerConfig>("power");
  for (const PlannedBlock* b : run.plan().of_kind(L1Site::kFamily)) {
    const L1Config c = run.own(*b, run.config().group<L1Config>("l1"));
    const ClockDomain clock(c.clock_hz);
    const auto s = run.of_block<L1Stats>(*b, &clock);
    report.add("l1", b->index, cache_energy(power, activity(c, s), run.seconds()));
  }
}

const BlockKindRegistration kKind([] {
  BlockKind k(L1Site::kFamily, L1Site::kFamily);
  k.level = "l1";
  k.is_cache = true;
  k.rank = 60;
  k.ingress = {"l1", 2};
  k.build = build;
  k.own_config = [](const ConfigView& c, const PlannedBlock&) {
    return AnyConfig(c.group<L1Config>("l1"));
  };
  k.unused = {{"l1.scalar_ways", [](const ConfigView& c) -> std::optional<std::string> {
                 if (c.group<L1Config>("l1").scalar_sets != 0) return std::nullopt;
                 return "l1.scalar_sets is 0";
               }}};
  k.derive = [](RunFigures& run) {
    derive_l1s(run);
    const nlohmann::ordered_json matrix = misses_by_home(run);
    if (!matrix.is_null()) run["misses_by_home"] = matrix;
  };
  k.derived = {{"misses_by_home", "access",
                "served L1 misses from each node (partition, module or GPU) to each node of home "
                "slices; only on platforms with two or more"},
               {"misses_by_home.*", "access", "names of the nodes, and the counts"}};
  k.energy = add_energy;
  return k;
}());

}  // namespace

void derive_l1s(RunFigures& run) {
  const ClockDomain clock(run.config().group<L1Config>("l1").clock_hz);
  const auto l1s = run.of_level<L1Stats>("l1", &clock);
  const auto remote = run.of_level<L1RemoteStats>("l1");
  constexpr auto kCount = &Histogram::count;
  constexpr auto kSum = &Histogram::sum;
  const double misses = l1s.sum(&L1Stats::miss_latency, kCount);
  run["replies_per_cycle"] = ratio(misses, run.cycles());
  run["l1_hit_rate"] = ratio(l1s.sum(&L1Stats::load_hits), l1s.sum(&L1Stats::loads));
  // Of several GPUs, each counts its own memory's as local.
  if (run.plan().locality == Locality::kGpu) {
    const double load_misses = l1s.sum(&L1Stats::load_misses);
    run["l1_miss_local_fraction"] =
        ratio(load_misses - remote.sum(&L1RemoteStats::load_misses), load_misses);
  }
  run["avg_remote_load_latency_cycles"] =
      run.facts().tree.gpus > 1 ? ratio(remote.sum(&L1RemoteStats::latency, kSum),
                                        remote.sum(&L1RemoteStats::latency, kCount))
                                : ratio(l1s.sum(&L1Stats::miss_latency, kSum), misses);
  nlohmann::ordered_json& hops = run["latency_breakdown"];
  const std::pair<const char*, Tick L1Stats::*> all_hops[] = {
      {"request_network", &L1Stats::request_network},
      {"llc", &L1Stats::llc},
      {"dram", &L1Stats::dram},
      {"llc_return", &L1Stats::llc_return},
      {"response_network", &L1Stats::response_network},
      {"copy_request_network", &L1Stats::copy_request_network},
      {"copy", &L1Stats::copy},
      {"copy_response_network", &L1Stats::copy_response_network},
      {"other_l1", &L1Stats::other_l1},
      {"unstamped", &L1Stats::unstamped}};
  // L1s of another kind have hops of their own, and the first five as 0 if they lack them.
  if (run.plan().of_kind(L1Site::kFamily).empty()) {
    for (std::size_t i = 0; i < 5; ++i) hops.emplace(all_hops[i].first, 0.0);
    return;
  }
  double rest = l1s.sum(&L1Stats::miss_latency, kSum);
  for (const auto& [hop, field] : all_hops) {
    double cycles = 0;
    for (const L1Stats& l1 : l1s.each()) {
      cycles += static_cast<double>(clock.cycle_at(l1.*field));
    }
    hops[hop] = ratio(cycles, misses);
    rest -= cycles;
  }
  // Each L1 shows its hops in whole cycles.
  hops["rounding"] = ratio(rest, misses);
}

}  // namespace tessera
