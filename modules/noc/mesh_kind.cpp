// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "common/json.h"
#include "modules/noc/mesh.h"
#include "modules/noc/network_kind.h"
#include "modules/noc/sites.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"
#include "modules/plan/run_figures.h"

namespace tessera::mesh_kind {

namespace {

const BlockFamilyRegistration<MeshSite> kFamily([](const MeshSite& s) {
  return network_handle(
      std::make_unique<Mesh>(s.name.c_str(), s.config, s.inputs, s.outputs, s.routing));
});

/// Mean utilisation of the links between routers in the meshes of the GPU's network (remote-core
/// paper, figure 16).
void derive_links(RunFigures& run) {
  double cycles = 0;
  double requests = 0;
  double responses = 0;
  for (const PlannedBlock* b : run.plan().of_kind(MeshSite::kFamily)) {
    const PlannedNetwork& network = network_of(*b);
    if (network.traffic != run.plan().traffic.front().name) continue;
    const MeshLayout m = network.mesh.layout(b->inputs, b->outputs);
    const auto busy = [&](NocDirection towards) {
      NocStats s(0);
      s.link_busy_cycles.assign(std::size_t{4} * m.routers(), 0);
      StatisticsReader reader = run.reader(*b);
      describe(reader, s, MeshTraffic{towards, m.width, m.height});
      return std::accumulate(s.link_busy_cycles.begin(), s.link_busy_cycles.end(), 0.0);
    };
    const std::uint32_t links = 2 * ((m.width - 1) * m.height + m.width * (m.height - 1));
    cycles += links * run.seconds() * static_cast<double>(network.mesh.clock_hz);
    requests += busy(NocDirection::kRequests);
    responses += busy(NocDirection::kResponses);
  }
  if (cycles == 0) return;
  run["mesh"] = {{"request_link_utilisation", requests / cycles},
                 {"response_link_utilisation", responses / cycles}};
}

const BlockKindRegistration kKind([] {
  BlockKind k = network_kind(MeshSite::kFamily);
  k.build = [](const BlockBuild& b) {
    auto site = b.site<MeshSite>();
    site.config = b.own(network_of(b.block()).mesh);
    site.routing = routing_of(b.block(), *site.map);
    return b.make(site);
  };
  k.own_config = [](const ConfigView&, const PlannedBlock& b) {
    return AnyConfig(network_of(b).mesh);
  };
  k.check_own = [](const AnyConfig& own, const ConfigView&, const PlannedBlock& b) {
    return own.as<MeshConfig>().validate(b.inputs, b.outputs);
  };
  k.unused = {{"mesh.", [](const ConfigView& c) -> std::optional<std::string> {
                 if (c.value("noc.kind") == "mesh") return std::nullopt;
                 return "noc.kind is crossbar";
               }}};
  k.derive = [common = k.derive](RunFigures& run) {
    common(run);
    derive_links(run);
  };
  k.derived = {{"mesh", "", "figures of the mesh, where the GPU's network is one"},
               {"mesh.request_link_utilisation", "", "of the links between routers, mean"},
               {"mesh.response_link_utilisation", "", "of the links between routers, mean"}};
  return k;
}());

}  // namespace

}  // namespace tessera::mesh_kind
