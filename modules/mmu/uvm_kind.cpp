// SPDX-License-Identifier: Apache-2.0
#include "common/json.h"
#include "modules/mmu/sites.h"
#include "modules/mmu/uvm_driver.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"
#include "modules/plan/run_figures.h"

namespace tessera::uvm_kind {

namespace {

const BlockFamilyRegistration<UvmSite> kFamily([](const UvmSite& s) {
  auto module = std::make_unique<UvmDriver>(s.name.c_str(), s.config, *s.page_table, *s.placement,
                                            s.platform);
  UvmDriver& m = *module;
  BlockHandle h = BlockHandle::of(std::move(module));
  h.in = {&m.in};
  h.offer(m);
  return h;
});

std::optional<std::string> unless_faults(const ConfigView& c) {
  if (c.group<UvmDriverConfig>("uvm").mode == FaultMode::kFault) return std::nullopt;
  return "uvm.mode is prefaulted";
}

const BlockKindRegistration kKind([] {
  BlockKind k(UvmSite::kFamily, UvmSite::kFamily);
  k.translates = true;
  k.build = [](const BlockBuild& b) {
    auto site = b.site<UvmSite>();
    site.config = b.config().group<UvmDriverConfig>("uvm");
    site.page_table = &b.get<PageTable>();
    site.placement = &b.get<PagePlacement>();
    site.platform = b.get<UvmPlatform>();
    return b.make(site);
  };
  k.unused = {{"uvm.fault_", unless_faults}, {"uvm.concurrent_faults", unless_faults}};
  k.derive = [](RunFigures& run) {
    run["page_faults"] = run.of_kind<UvmDriverStats>(UvmSite::kFamily).sum(&UvmDriverStats::faults);
  };
  return k;
}());

}  // namespace

}  // namespace tessera::uvm_kind
