// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/crossbar.h"
#include "modules/noc/network_kind.h"
#include "modules/noc/sites.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"

namespace tessera::noc_kind {

namespace {

const BlockFamilyRegistration<NocSite> kFamily([](const NocSite& s) {
  return network_handle(
      std::make_unique<Crossbar>(s.name.c_str(), s.config, s.inputs, s.outputs, s.routing));
});

/// The crossbars that bring requests from other modules or GPUs, and the IOMMU's, remain beside a
/// mesh.
std::optional<std::string> unless_crossbars(const ConfigView& c) {
  if (c.value("noc.kind") != "mesh" || c.facts().tree.modules > 1) return std::nullopt;
  return "noc.kind is mesh";
}

const BlockKindRegistration kKind([] {
  BlockKind k = network_kind(NocSite::kFamily);
  k.build = [](const BlockBuild& b) {
    auto site = b.site<NocSite>();
    site.config = b.own(network_of(b.block()).noc);
    site.routing = routing_of(b.block(), *site.map);
    return b.make(site);
  };
  k.own_config = [](const ConfigView&, const PlannedBlock& b) {
    return AnyConfig(network_of(b).noc);
  };
  k.unused = {{"noc.", unless_crossbars, "noc.kind"},
              {"noc.arbitration_iterations", [](const ConfigView& c) -> std::optional<std::string> {
                 if (c.group<NocConfig>("noc").input_queues == InputQueues::kVirtualOutput) {
                   return std::nullopt;
                 }
                 return "noc.input_queues is fifo";
               }}};
  return k;
}());

}  // namespace

}  // namespace tessera::noc_kind
