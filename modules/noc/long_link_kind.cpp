// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/long_link.h"
#include "modules/noc/sites.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"

namespace tessera::long_link_kind {

namespace {

const BlockFamilyRegistration<LongLinkSite> kFamily([](const LongLinkSite& s) {
  auto module = std::make_unique<LongLink>(s.name.c_str(), s.config, *s.near, *s.far);
  LongLink& m = *module;
  BlockHandle h = BlockHandle::of(std::move(module));
  h.in = {&m.in};
  h.out = {&m.out};
  return h;
});

const BlockKindRegistration kKind([] {
  BlockKind k(LongLinkSite::kFamily, LongLinkSite::kFamily);
  k.joins_domains = true;
  k.build = [](const BlockBuild& b) {
    auto site = b.site<LongLinkSite>();
    site.config = b.config().group<LongLinkConfig>("iommu");
    site.near = &b.domain_of(b.block().node);
    site.far = &b.domain_of(0);
    return b.make(site);
  };
  return k;
}());

}  // namespace

}  // namespace tessera::long_link_kind
