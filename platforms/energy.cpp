// SPDX-License-Identifier: Apache-2.0
#include "platforms/energy.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "modules/core/statistics_visitor.h"
#include "modules/llc/llc_config.h"
#include "modules/memory/dram_channel.h"
#include "modules/noc/noc_stats.h"
#include "modules/power/energy_model.h"
#include "modules/sm/l1_cache_config.h"
#include "modules/sm/sm_stats.h"
#include "platforms/topology/shape.h"

namespace tessera {

using nlohmann::ordered_json;

namespace {

struct Sum {
  Energy energy;
  double area_mm2 = 0;

  ordered_json to_json() const {
    return {{"dynamic_j", energy.dynamic_j},
            {"static_j", energy.static_j},
            {"total_j", energy.total_j()}};
  }
};

double capacity(std::uint64_t sets, std::uint64_t ways, std::uint64_t line_bytes) {
  return static_cast<double>(sets * ways * line_bytes);
}

/// Accesses of a whole line to the data array: loads and stores that hit, and fills.
CacheActivity l1_activity(const L1Config& c, const L1Stats& s) {
  const double line = c.line_bytes;
  return {static_cast<double>(s.load_hits) + static_cast<double>(s.store_hits) +
              static_cast<double>(s.bytes_filled) / line,
          line, capacity(c.sets, c.ways, c.line_bytes)};
}

/// Lookups that touch the array, fills of what missed, write-backs read from it; atomics both read
/// and write. A miss's answer leaves as it is filled.
CacheActivity llc_activity(const LlcSliceConfig& c, const LlcSliceStats& s) {
  const Counter accesses = s.hits + s.write_allocations + s.merges + s.misses + s.partial_fetches +
                           s.atomics + s.write_backs;
  return {static_cast<double>(accesses), static_cast<double>(c.line_bytes),
          capacity(c.sets, c.ways, c.line_bytes)};
}

/// Between neighbouring routers, in mm: the mean of a mesh's columns and rows.
double pitch_mm(const GpuConfig& config, const NetworkSpan& span, const MeshLayout& mesh) {
  const SystemConfig& s = config.system;
  const double side = std::sqrt(config.power.die_mm2_per_sm * s.sms / s.gpus / s.modules);
  return (side / span.across / mesh.width + side / span.along / mesh.height) / 2;
}

/// The way of a packet of that network over the die. mm.
double length_mm(const GpuConfig& config, const NetworkSpan& span) {
  const SystemConfig& s = config.system;
  const double side = std::sqrt(config.power.die_mm2_per_sm * s.sms / s.gpus / s.modules);
  switch (span.way) {
    case NetworkSpan::Way::kBesideDie:
      return 0;
    case NetworkSpan::Way::kStraight:
      return side / span.across;
    case NetworkSpan::Way::kArea:
      break;
  }
  return mean_way_mm(side / span.across, side / span.along);
}

/// Networks whose energy is the die's, by name and GPU. (Between boards, as the fabric, is the
/// IOMMU's.)
std::vector<const PlannedBlock*> on_dies(const PlatformPlan& plan) {
  std::vector<const PlannedBlock*> networks;
  for (const PlannedBlock* b : plan.of_kind(BlockKind::kNetwork)) {
    if (plan.nodes[b->node].level != NodeLevel::kSystem) networks.push_back(b);
  }
  std::sort(networks.begin(), networks.end(), [](const PlannedBlock* a, const PlannedBlock* b) {
    return std::tie(a->name, a->gpu) < std::tie(b->name, b->gpu);
  });
  return networks;
}

}  // namespace

NetworkGeometry network_geometry(const GpuConfig& config, const PlannedBlock& network,
                                 bool requests) {
  NetworkGeometry g;
  if (network.network.kind == NetworkKind::kRing) {
    // A switch at each node, between the two neighbours, the entry and the exit.
    const RingConfig& ring = network.network.ring;
    g.stages.push_back({network.inputs, 3, 3});
    g.link_bytes = ring.link_bytes;
    g.buffer_bytes = ring.buffer_packets * (ring.header_bytes + config.system.line_bytes);
    g.clock_hz = static_cast<double>(ring.clock_hz);
    g.length_mm = length_mm(config, network.network.span);
    g.leaves_module = true;
    return g;
  }
  if (network.network.kind == NetworkKind::kMesh) {
    const MeshConfig& mesh = network.network.mesh;
    const MeshLayout layout = mesh.layout(network.inputs, network.outputs);
    const std::uint32_t ports = 4 + mesh.concentration;
    g.stages.push_back({layout.routers(), ports, ports});
    g.link_bytes = mesh.link_bytes;
    g.buffer_bytes = mesh.vcs * mesh.vc_flits * mesh.link_bytes;
    g.clock_hz = static_cast<double>(mesh.clock_hz);
    g.length_mm = pitch_mm(config, network.network.span, layout);
    return g;
  }
  const NocConfig& noc = network.network.noc;
  const std::uint32_t from = requests ? network.inputs : network.outputs;
  const std::uint32_t to = requests ? network.outputs : network.inputs;
  for (const SwitchStage& s : switch_stages(from, to, noc.radix)) {
    g.stages.push_back({s.switches, s.inputs, s.outputs});
  }
  g.link_bytes = noc.link_bytes;
  g.buffer_bytes = noc.buffer_flits() * noc.link_bytes;
  g.clock_hz = static_cast<double>(noc.clock_hz);
  g.length_mm = length_mm(config, network.network.span);
  g.leaves_module = network.network.span.way == NetworkSpan::Way::kBesideDie;
  return g;
}

ordered_json energy(const ordered_json& modules, const GpuConfig& config,
                    const std::vector<ParameterSetting>& overrides, double seconds) {
  const PowerConfig& power = config.power;
  const PlatformPlan plan = plan_of(config);
  Sum sm;
  Sum l1;
  Sum llc;
  Sum dram;
  for (const PlannedBlock* b : plan.of_kind(BlockKind::kSm)) {
    const auto s = read_statistics<SmStats>(modules, plan.path_of(*b));
    sm.energy += sm_energy(power, static_cast<double>(s.thread_instructions), seconds);
  }
  for (const PlannedBlock* b : plan.of_kind(BlockKind::kL1)) {
    const std::string path = plan.path_of(*b);
    const L1Config c = instance_config(config.l1, overrides, path);
    const ClockDomain clock(c.clock_hz);
    const auto s = read_statistics<L1Stats>(modules, path, &clock);
    l1.energy += cache_energy(power, l1_activity(c, s), seconds);
  }
  const auto add_slice = [&](const LlcSliceConfig& config_of, const PlannedBlock& slice) {
    const std::string path = plan.path_of(slice);
    const LlcSliceConfig c = instance_config(config_of, overrides, path);
    const auto s = read_statistics<LlcSliceStats>(modules, path);
    llc.energy += cache_energy(power, llc_activity(c, s), seconds);
  };
  for (const PlannedBlock* b : plan.of_kind(BlockKind::kLlc)) add_slice(config.llc, *b);
  for (const PlannedBlock* b : plan.of_kind(BlockKind::kRemoteCache)) {
    add_slice(config.remote_cache, *b);
  }
  for (const PlannedBlock* b : plan.of_kind(BlockKind::kDram)) {
    const std::string path = plan.path_of(*b);
    const DramConfig c = instance_config(config.dram, overrides, path);
    const auto s = read_statistics<DramStats>(modules, path);
    const DramActivity activity{
        static_cast<double>(s.commands.activates), static_cast<double>(s.commands.refreshes),
        static_cast<double>(s.bytes_read + s.bytes_written), static_cast<double>(c.row_bytes)};
    dram.energy += dram_energy(power, activity, seconds);
  }
  Sum noc;
  std::map<std::string, Sum> networks;
  for (const PlannedBlock* b : on_dies(plan)) {
    const std::string path = plan.path_of(*b);
    PlannedBlock mine = *b;
    const bool ring = mine.network.kind == NetworkKind::kRing;
    const bool mesh = mine.network.kind == NetworkKind::kMesh;
    if (ring) {
      mine.network.ring = instance_config(mine.network.ring, overrides, path);
    } else if (mesh) {
      mine.network.mesh = instance_config(mine.network.mesh, overrides, path);
    } else {
      mine.network.noc = instance_config(mine.network.noc, overrides, path);
    }
    StatisticsReader reader(modules, path);
    for (const bool requests : {true, false}) {
      const NocDirection towards = requests ? NocDirection::kRequests : NocDirection::kResponses;
      NocStats stats(0);
      describe(reader, stats, towards);
      describe(reader, stats, RingSegments{towards});
      describe(reader, stats, MeshTraffic{towards});
      const NetworkPower p = network_power(power, network_geometry(config, mine, requests));
      // On a ring, each segment passed costs as much as a switch; on a mesh, each router.
      const auto bytes = static_cast<double>(ring || mesh ? stats.segment_bytes : stats.bytes);
      const Energy e = network_energy(p, bytes, seconds);
      for (Sum* sum : {&noc, &networks[b->network.traffic]}) {
        sum->energy += e;
        sum->area_mm2 += p.area_mm2();
      }
    }
  }

  ordered_json d;
  d["sm"] = sm.to_json();
  d["l1"] = l1.to_json();
  d["llc"] = llc.to_json();
  d["noc"] = noc.to_json();
  for (const auto& [kind, sum] : networks) {
    ordered_json& network = d["noc"]["networks"][kind];
    network = sum.to_json();
    network["area_mm2"] = sum.area_mm2;
  }
  d["dram"] = dram.to_json();
  Energy total;
  for (const Sum* sum : {&sm, &l1, &llc, &noc, &dram}) total += sum->energy;
  d["total_j"] = total.total_j();
  d["noc_j"] = noc.energy.total_j();
  d["noc_power_w"] = seconds > 0 ? noc.energy.total_j() / seconds : 0;
  d["noc_area_mm2"] = noc.area_mm2;
  return d;
}

}  // namespace tessera
