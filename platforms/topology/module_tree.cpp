// SPDX-License-Identifier: Apache-2.0
#include "platforms/gpu_config.h"
#include "platforms/topology/shape.h"

namespace tessera::topology::module_tree {

namespace {

/// The crossbars from the networks between modules to the slices of one.
constexpr char kIngress[] = "module_ingress_xbar";

/// One of the networks that connect the modules.
PlannedNetwork between_modules(const Planner& p) {
  const GpuConfig& c = p.config();
  PlannedNetwork network;
  network.joins = NodeLevel::kModule;
  network.span.way = NetworkSpan::Way::kBesideDie;
  if (find_level(p.tree(), NodeLevel::kModule)->network == "ring") {
    network.kind = NetworkKind::kRing;
    network.traffic = "ring";
    network.ring = c.ring.ring;
  } else {
    network.kind = NetworkKind::kSwitch;
    network.traffic = "mcm";
    network.noc = c.mcm.plane;
  }
  return network;
}

void join(Planner& p, Planner::Gpu& gpu, const std::vector<Planner::Socket>& from, unsigned input) {
  const GpuConfig& c = p.config();
  const std::uint32_t modules = c.system.modules;
  const auto entries = static_cast<std::uint32_t>(from.size()) / modules;
  const std::uint32_t slices = gpu.slices / modules;
  const PlannedNetwork plane = between_modules(p);
  const std::uint32_t planes = plane.kind == NetworkKind::kRing ? c.ring.ports : c.mcm.ports;
  const std::uint32_t egress = p.gateways() ? c.system.rdma_ports / modules : 0;
  const PlannedNetwork network = p.gpu_network(from.front().block == gpu.llcs.front());
  PlannedNetwork ingress;
  ingress.traffic = kIngress;
  ingress.noc = c.noc;
  std::vector<PlannedBlockId> nocs;
  std::vector<PlannedBlockId> ingress_xbars;
  for (std::uint32_t m = 0; m < modules; ++m) {
    const std::uint32_t node = p.module_node(gpu, m);
    const std::string number = std::to_string(m);
    ingress_xbars.push_back(
        p.add_network(kIngress + number, node, gpu.number, ingress, planes, slices,
                      [slices](std::uint32_t slice) { return slice % slices; }));
    nocs.push_back(p.add_network("noc" + number, node, gpu.number, network, entries,
                                 slices + planes + egress,
                                 p.exit_of(gpu, {m * slices, slices, planes, egress})));
    for (std::uint32_t i = 0; i < entries; ++i) p.link(from[m * entries + i], {nocs[m], i});
    for (std::uint32_t i = 0; i < slices; ++i) {
      p.link({nocs[m], i}, {gpu.llcs[m * slices + i], input});
      p.link({ingress_xbars[m], i}, {gpu.llcs[m * slices + i], input + 1});
    }
    for (std::uint32_t i = 0; i < egress; ++i) gpu.egress.push_back({nocs[m], slices + planes + i});
  }
  for (std::uint32_t i = 0; i < planes; ++i) {
    const PlannedBlockId id = p.add_network(
        plane.traffic + std::to_string(i), gpu.node, gpu.number, plane, modules, modules,
        [slices, own = gpu.slices](std::uint32_t slice) { return slice % own / slices; });
    for (std::uint32_t m = 0; m < modules; ++m) {
      p.link({nocs[m], slices + i}, {id, m});
      p.link({id, m}, {ingress_xbars[m], i});
    }
  }
}

void report(Planner& p) {
  p.report(between_modules(p).traffic);
  p.report(kIngress);
}

}  // namespace

/// Chiplets of a GPU (NUBA section 7.6), each of any shape that nests. A module's sources (L1s, or
/// slices of partitions) have a crossbar to its own slices. Further exits of this crossbar lead to
/// the networks between the modules, selected by the slice's number. Requests from other modules
/// have a separate crossbar, to a separate input of each slice:
///
///   noc[m] -> llc[home], or -> mcm[plane] -> module_ingress_xbar[home's m] -> llc[home]
///
/// The networks between modules are `mcm.ports` switches, or as many bidirectional rings
/// (`ring.ports`), on which nodes are modules.
///
/// Free of deadlock: requests from another module never share a queue with requests that wait to
/// leave the module, because modules that wait for each other would otherwise deadlock. They wait
/// only for their home slice and its channel. Responses have networks of their own.
const bool kRegistered = register_shape([] {
  Shape s;
  s.order = 4;
  s.name = "modules";
  s.level = NodeLevel::kModule;
  s.networks = {"switch", "ring"};
  s.join = join;
  s.report = report;
  return s;
}());

}  // namespace tessera::topology::module_tree
