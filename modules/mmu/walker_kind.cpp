// SPDX-License-Identifier: Apache-2.0
#include "modules/mmu/page_walker.h"
#include "modules/mmu/sites.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"

namespace tessera::walker_kind {

namespace {

const BlockFamilyRegistration<WalkerSite> kFamily([](const WalkerSite& s) {
  auto module = std::make_unique<PageWalker>(s.name.c_str(), s.config, *s.page_table);
  PageWalker& m = *module;
  BlockHandle h = BlockHandle::of(std::move(module));
  h.in = {&m.in};
  h.out = {&m.driver};
  return h;
});

const BlockKindRegistration kKind([] {
  BlockKind k(WalkerSite::kFamily, WalkerSite::kFamily);
  k.translates = true;
  k.build = [](const BlockBuild& b) {
    auto site = b.site<WalkerSite>();
    site.config = b.config().group<PageWalkerConfig>("walker");
    site.page_table = &b.get<PageTable>();
    return b.make(site);
  };
  return k;
}());

}  // namespace

}  // namespace tessera::walker_kind
