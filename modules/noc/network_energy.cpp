// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/network_energy.h"

#include <cmath>

#include "modules/noc/noc_stats.h"
#include "modules/noc/planned_network.h"

namespace tessera {

namespace {

/// Side of the die of a module, in mm.
double side_mm(const ConfigView& config) {
  const SystemFacts f = config.facts();
  const double per_sm = config.group<PowerConfig>("power").die_mm2_per_sm;
  const std::uint32_t modules = f.tree.modules / f.tree.gpus;
  return std::sqrt(per_sm * f.tree.sms / f.tree.gpus / modules);
}

/// Between neighbouring routers, in mm: the mean of a mesh's columns and rows.
double pitch_mm(const ConfigView& config, const NetworkSpan& span, const MeshLayout& mesh) {
  const double side = side_mm(config);
  return (side / span.across / mesh.width + side / span.along / mesh.height) / 2;
}

/// The way of a packet of that network over the die. mm.
double length_mm(const ConfigView& config, const NetworkSpan& span) {
  const double side = side_mm(config);
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

}  // namespace

NetworkGeometry network_geometry(const ConfigView& config, const PlannedBlock& block,
                                 const PlannedNetwork& network, bool requests) {
  NetworkGeometry g;
  if (network.kind == NetworkKind::kRing) {
    // A switch at each node, between the two neighbours, the entry and the exit.
    const RingConfig& ring = network.ring;
    g.stages.push_back({block.inputs, 3, 3});
    g.link_bytes = ring.link_bytes;
    g.buffer_bytes = ring.buffer_packets * (ring.header_bytes + config.facts().memory.line_bytes);
    g.clock_hz = static_cast<double>(ring.clock_hz);
    g.length_mm = length_mm(config, network.span);
    g.leaves_module = true;
    return g;
  }
  if (network.kind == NetworkKind::kMesh) {
    const MeshConfig& mesh = network.mesh;
    const MeshLayout layout = mesh.layout(block.inputs, block.outputs);
    const std::uint32_t ports = 4 + mesh.concentration;
    g.stages.push_back({layout.routers(), ports, ports});
    g.link_bytes = mesh.link_bytes;
    g.buffer_bytes = mesh.vcs * mesh.vc_flits * mesh.link_bytes;
    g.clock_hz = static_cast<double>(mesh.clock_hz);
    g.length_mm = pitch_mm(config, network.span, layout);
    return g;
  }
  const NocConfig& noc = network.noc;
  const std::uint32_t from = requests ? block.inputs : block.outputs;
  const std::uint32_t to = requests ? block.outputs : block.inputs;
  for (const SwitchStage& s : switch_stages(from, to, noc.radix)) {
    g.stages.push_back({s.switches, s.inputs, s.outputs});
  }
  g.link_bytes = noc.link_bytes;
  g.buffer_bytes = noc.buffer_flits() * noc.link_bytes;
  g.clock_hz = static_cast<double>(noc.clock_hz);
  g.length_mm = length_mm(config, network.span);
  g.leaves_module = network.span.way == NetworkSpan::Way::kBesideDie;
  return g;
}

void add_network_energy(const char* kind, const RunFigures& run, EnergyReport& report) {
  const auto& power = run.config().group<PowerConfig>("power");
  for (const PlannedBlock* b : run.plan().of_kind(kind)) {
    // Between boards, as the fabric, is the IOMMU's.
    if (run.plan().nodes[b->node].level == NodeLevel::kSystem) continue;
    PlannedNetwork mine = network_of(*b);
    const bool ring = mine.kind == NetworkKind::kRing;
    const bool mesh = mine.kind == NetworkKind::kMesh;
    if (ring) {
      mine.ring = run.own(*b, mine.ring);
    } else if (mesh) {
      mine.mesh = run.own(*b, mine.mesh);
    } else {
      mine.noc = run.own(*b, mine.noc);
    }
    StatisticsReader reader = run.reader(*b);
    for (const bool requests : {true, false}) {
      const NocDirection towards = requests ? NocDirection::kRequests : NocDirection::kResponses;
      NocStats stats(0);
      describe(reader, stats, towards);
      describe(reader, stats, RingSegments{towards});
      describe(reader, stats, MeshTraffic{towards});
      const NetworkPower p =
          network_power(power, network_geometry(run.config(), *b, mine, requests));
      // On a ring, each segment passed costs as much as a switch; on a mesh, each router.
      const auto bytes = static_cast<double>(ring || mesh ? stats.segment_bytes : stats.bytes);
      report.add_network(mine.traffic, b->name, b->gpu, requests,
                         network_energy(p, bytes, run.seconds()), p.area_mm2());
    }
  }
}

}  // namespace tessera
