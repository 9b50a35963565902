// SPDX-License-Identifier: Apache-2.0
// The DRAM channel behind an SMD: a block of the family "dram".
#include "modules/memory/dram_kind.h"
#include "modules/memory/sites.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_kind.h"
#include "modules/umh/sites.h"
#include "modules/umh/umh_config.h"

namespace tessera::stack_kind {

namespace {

const DramConfig& stack(const ConfigView& c) { return c.group<UmhConfig>("umh").stack; }

const BlockKindRegistration kKind([] {
  BlockKind k("stack", DramSite::kFamily);
  k.level = "stack";
  k.rank = 1;
  k.ingress = {"memory", 3};
  k.build = [](const BlockBuild& b) {
    auto site = b.site<DramSite>();
    site.config = stack(b.config());
    site.map = b.get<StackMap>().map;
    return b.make(site);
  };
  k.unused = {{"umh.stack.", unless_gpu_memory}, {"umh.stack_bytes", unless_gpu_memory}};
  k.energy = [](const RunFigures& run, EnergyReport& report) {
    for (const PlannedBlock* b : run.plan().of_kind("stack")) {
      add_channel_energy(run, *b, stack(run.config()), "stack", report);
    }
  };
  return k;
}());

}  // namespace

}  // namespace tessera::stack_kind
