// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/network_kind.h"
#include "modules/noc/ring.h"
#include "modules/noc/sites.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"

namespace tessera::ring_kind {

namespace {

const BlockFamilyRegistration<RingSite> kFamily([](const RingSite& s) {
  return network_handle(std::make_unique<Ring>(s.name.c_str(), s.config, s.inputs, s.routing));
});

const BlockKindRegistration kKind([] {
  BlockKind k = network_kind(RingSite::kFamily);
  k.build = [](const BlockBuild& b) {
    auto site = b.site<RingSite>();
    site.config = b.own(network_of(b.block()).ring);
    site.routing = routing_of(b.block(), *site.map);
    return b.make(site);
  };
  k.own_config = [](const ConfigView&, const PlannedBlock& b) {
    return AnyConfig(network_of(b).ring);
  };
  return k;
}());

}  // namespace

}  // namespace tessera::ring_kind
