// SPDX-License-Identifier: Apache-2.0
#include "common/json.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"
#include "modules/plan/run_figures.h"
#include "modules/power/energy_report.h"
#include "modules/sm/sites.h"
#include "modules/sm/sm_cluster.h"

namespace tessera::sm_kind {

namespace {

const BlockFamilyRegistration<SmSite> kFamily([](const SmSite& s) {
  auto module =
      std::make_unique<SmCluster>(s.name.c_str(), s.config, *s.pool, s.id, s.sms, s.pages);
  SmCluster& m = *module;
  BlockHandle h = BlockHandle::of(std::move(module));
  h.out = {&m.l1, &m.mmu};
  const auto sm = std::make_shared<SmHandle>();
  sm->ctas = &m;
  sm->quiesce = &m;
  sm->bind = [&m](FlushIf& l1, DispatchEventsIf& dispatcher) {
    m.l1_control.bind(l1);
    m.dispatcher.bind(dispatcher);
  };
  sm->warp_instructions = [&m]() -> std::uint64_t { return m.stats().warp_instructions; };
  sm->settle_statistics = [&m] { m.settle_statistics(); };
  sm->time = [&m] { return m.time(); };
  sm->thread_instructions = [&m]() -> std::uint64_t { return m.stats().thread_instructions; };
  sm->observe = [&m](SmAccessObserver& observer) { m.observe(observer); };
  sm->resident_warps = [&m] { return m.resident_warps(); };
  sm->take_instructions = [&m](LaunchSlot launch) { return m.take_instructions(launch); };
  h.offer(sm);
  return h;
});

void derive(RunFigures& run) {
  const auto sms = run.of_kind<SmStats>(SmSite::kFamily);
  const auto memory = run.of_kind<LoadStoreStats>(SmSite::kFamily);
  run["ipc"] = ratio(sms.sum(&SmStats::warp_instructions), run.cycles());
  const double slots =
      run.cycles() * run.facts().tree.sms * run.config().group<SmConfig>("sm").schedulers;
  run["memory_stall_fraction"] = ratio(sms.sum(&SmStats::memory_slots), slots);
  run["memory_headroom"] =
      ratio(slots, sms.sum(&SmStats::issued_slots) + sms.sum(&SmStats::dependency_slots));
  run["avg_load_latency_cycles"] =
      ratio(memory.sum(&LoadStoreStats::load_latency, &Histogram::sum),
            memory.sum(&LoadStoreStats::load_latency, &Histogram::count));
}

void add_energy(const RunFigures& run, EnergyReport& report) {
  const auto& power = run.config().group<PowerConfig>("power");
  for (const PlannedBlock* b : run.plan().of_kind(SmSite::kFamily)) {
    const auto s = run.of_block<SmStats>(*b);
    report.add("sm", b->index,
               sm_energy(power, static_cast<double>(s.thread_instructions), run.seconds()));
  }
}

const BlockKindRegistration kKind([] {
  BlockKind k(SmSite::kFamily, SmSite::kFamily);
  k.rank = 70;
  k.build = [](const BlockBuild& b) {
    auto site = b.site<SmSite>();
    site.config = b.own<SmConfig>("sm");
    site.id = SmId(b.block().index);
    site.sms = b.facts().tree.sms;
    site.pages = b.find<const PageLookupIf>();
    return b.make(site);
  };
  k.own_config = [](const ConfigView& c, const PlannedBlock&) {
    return AnyConfig(c.group<SmConfig>("sm"));
  };
  k.unused = {{"sm.tlb_entries", [](const ConfigView& c) -> std::optional<std::string> {
                 if (!c.group<SmConfig>("sm").ideal_translation) return std::nullopt;
                 return "sm.ideal_translation is true";
               }}};
  k.derive = derive;
  k.energy = add_energy;
  return k;
}());

}  // namespace

}  // namespace tessera::sm_kind
