// SPDX-License-Identifier: Apache-2.0
#include "modules/mmu/page_migrator.h"
#include "modules/mmu/sites.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"
#include "modules/plan/chosen_policy.h"

namespace tessera::page_migrator_kind {

namespace {

const BlockFamilyRegistration<PageMigratorSite> kFamily(
    [](const PageMigratorSite& s) {
      auto module = std::make_unique<PageMigrator>(s.name.c_str(), s.config, s.make_policy(),
                                                   *s.page_table, s.platform, s.migration);
      PageMigrator& m = *module;
      BlockHandle h = BlockHandle::of(std::move(module));
      for (std::uint32_t g = 0; g < m.gpus(); ++g) h.offer<SliceObserver>(m.part(GpuId(g)));
      h.offer<SliceFlushIf>(m);
      h.offer<MovesPagesIf>(m);
      h.offer<ObservedIf>(m);
      return h;
    },
    "mover");

const BlockKindRegistration kKind([] {
  BlockKind k(PageMigratorSite::kFamily, PageMigratorSite::kFamily);
  k.acts_at_once = [](const ConfigView&) {
    return "the page table is remapped and pages are copied without latency: NUBA section 7.6 and "
           "DualOpt section 6.1 give the cost of a shootdown, not its messages";
  };
  k.flush = FlushAtKernelEnd::kMemorySide;
  k.build = [](const BlockBuild& b) {
    auto site = b.site<PageMigratorSite>();
    site.config = b.config().group<PageMigratorConfig>("migration");
    site.make_policy = [&config = b.config()] { return make_policy<PageMigrationPolicy>(config); };
    site.page_table = &b.get<PageTable>();
    site.platform = b.get<PageMigratorPlatform>();
    site.migration.gpus = b.facts().tree.gpus;
    site.migration.slices_per_gpu = b.facts().slices_per_gpu();
    site.migration.domains = b.gpu_domains();
    site.page_table->channel_of_sm = site.platform.channel_of;
    return b.make(site);
  };
  k.unused = {{"migration.gpu_latency_ns",
               [](const ConfigView& c) -> std::optional<std::string> {
                 if (c.facts().tree.gpus > 1) return std::nullopt;
                 return "there is one GPU";
               }},
              {"migration.",
               [](const ConfigView& c) -> std::optional<std::string> {
                 const std::string& policy = c.chosen(PageMigrationPolicy::kFamily);
                 if (policy != "none") return std::nullopt;
                 return "migration.policy is " + policy;
               },
               "migration.policy"}};
  return k;
}());

}  // namespace

}  // namespace tessera::page_migrator_kind
