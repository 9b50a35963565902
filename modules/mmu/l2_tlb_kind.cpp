// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "common/json.h"
#include "modules/mmu/l2_tlb.h"
#include "modules/mmu/sites.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"
#include "modules/plan/run_figures.h"
#include "policies/page_migration.h"

namespace tessera::l2_tlb_kind {

namespace {

const BlockFamilyRegistration<L2TlbSite> kFamily([](const L2TlbSite& s) {
  auto module = std::make_unique<L2Tlb>(s.name.c_str(), s.config, s.page_bytes, *s.pool, s.inputs);
  L2Tlb& m = *module;
  BlockHandle h = BlockHandle::of(std::move(module));
  h.add_inputs(m.in);
  h.out = {&m.walker};
  h.offer<TranslationsIf>(m);
  return h;
});

/// Shares of pages by how many SMs touched them. Of several GPUs, each L2 TLB knows its own SMs
/// only.
void derive(RunFigures& run) {
  if (run.facts().tree.gpus > 1) return;
  const char* const bands[PageSharing::kBands] = {"1", "2-10", "11-25", "26-64"};
  std::array<double, PageSharing::kBands> pages{};
  double all = 0;
  const auto tlbs = run.of_kind<PageSharingStats>(L2TlbSite::kFamily);
  for (const PageSharingStats& s : tlbs.each()) {
    for (std::size_t i = 0; i < PageSharing::kBands; ++i) {
      pages[i] += static_cast<double>(s.pages[i]);
      all += static_cast<double>(s.pages[i]);
    }
  }
  nlohmann::ordered_json d;
  for (std::size_t i = 0; i < PageSharing::kBands; ++i) d[bands[i]] = ratio(pages[i], all);
  run["page_sharing"] = std::move(d);
}

const BlockKindRegistration kKind([] {
  BlockKind k(L2TlbSite::kFamily, L2TlbSite::kFamily);
  k.translates = true;
  k.build = [](const BlockBuild& b) {
    auto site = b.site<L2TlbSite>();
    site.config = b.config().group<L2TlbConfig>("l2_tlb");
    const SystemFacts facts = b.facts();
    site.page_bytes = facts.memory.page_bytes;
    if (b.config().chosen(PageMigrationPolicy::kFamily) != "none") {
      site.config.sms_per_view = facts.tree.sms / (facts.tree.partitions / facts.tree.gpus);
    }
    return b.make(site);
  };
  k.derive = derive;
  return k;
}());

}  // namespace

}  // namespace tessera::l2_tlb_kind
