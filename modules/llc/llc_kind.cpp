// SPDX-License-Identifier: Apache-2.0
#include "common/json.h"
#include "modules/llc/slice_kind.h"
#include "modules/llc/slice_observer.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"
#include "modules/plan/run_figures.h"
#include "policies/remote_caching.h"

namespace tessera::llc_kind {

namespace {

const BlockFamilyRegistration<LlcSite> kFamily(make_slice<LlcSite>);

BlockHandle build(const BlockBuild& b) {
  const PlannedBlock& block = b.block();
  const auto& planned = block.as<PlannedSlice>();
  const SystemFacts facts = b.facts();
  auto site = b.site<LlcSite>();
  site.config = b.own<LlcSliceConfig>("llc");
  SliceSite& slice = site.slice;
  slice.role = site.config.role.empty() ? planned.role : site.config.role;
  slice.self = SliceId(block.index);
  slice.local_inputs = block.inputs - planned.remote_inputs;
  slice.remote_inputs = planned.remote_inputs;
  slice.tree = facts.tree;
  slice.slices = facts.slices();
  slice.caching = &b.get<RemoteCaching>();
  slice.keeps_remote_misses = slice.caching->keeps_at_home();
  slice.first_core = block.gpu * facts.sms_per_gpu();
  slice.cores = facts.sms_per_gpu();
  slice.first_core_exit = first_core_exit(facts, block.gpu);
  for (SliceObserver* observer : b.offered<SliceObserver>()) {
    if (observer->observes(slice.self)) slice.observers.push_back(observer);
  }
  return b.make(site);
}

void derive(RunFigures& run) {
  if (!run.plan().has(LlcSite::kFamily)) return;
  const auto slices = run.of_kind<LlcSliceStats>(LlcSite::kFamily);
  using S = LlcSliceStats;
  const double accesses = slices.sum(&S::reads) + slices.sum(&S::writes) + slices.sum(&S::atomics);
  run.add("llc_accesses", accesses);
  run["llc_hit_rate"] = ratio(slices.sum(&S::hits) + slices.sum(&S::write_allocations), accesses);
  if (run.plan().locality == Locality::kPartition) {
    run["l1_miss_local_fraction"] =
        ratio(slices.sum(&S::sm_loads_served), slices.sum(&S::sm_loads));
  }
  const SystemFacts facts = run.facts();
  run["peak_gb_per_s"]["llc"] =
      static_cast<double>(run.config().group<LlcSliceConfig>("llc").clock_hz) *
      facts.memory.line_bytes * facts.slices() / 1e9;
}

const BlockKindRegistration kKind([] {
  BlockKind k = slice_kind(LlcSite::kFamily);
  k.rank = 30;
  k.flush = FlushAtKernelEnd::kCopies;
  k.build = build;
  k.print = [](const PlannedBlock& b, nlohmann::ordered_json& d) {
    d["role"] = b.as<PlannedSlice>().role;
  };
  k.derive = derive;
  k.energy = [](const RunFigures& run, EnergyReport& report) {
    add_slice_energy(LlcSite::kFamily, 0, run, report);
  };
  return k;
}());

}  // namespace

}  // namespace tessera::llc_kind
