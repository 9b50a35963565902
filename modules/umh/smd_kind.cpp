// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"
#include "modules/plan/run_figures.h"
#include "modules/power/energy_report.h"
#include "modules/umh/sites.h"
#include "modules/umh/smd_block.h"
#include "modules/umh/umh_config.h"

namespace tessera::smd_kind {

namespace {

const BlockFamilyRegistration<SmdSite> kFamily([](const SmdSite& s) {
  auto module = std::make_unique<umh::SmdBlock>(s.name.c_str(), s.config, s.coherence, *s.pool);
  umh::SmdBlock& m = *module;
  BlockHandle h = coherent_handle(std::move(module));
  h.offer(m.launch_counts());
  h.offer<SliceFlushIf>(m);
  h.out = {&m.memory};
  return h;
});

/// Each message that arrives reads or writes an entry of the table (UMH figure 7). The lines are in
/// the stack.
void add_energy(const RunFigures& run, EnergyReport& report) {
  const auto& power = run.config().group<PowerConfig>("power");
  const umh::SmdConfig smd = run.config().group<UmhConfig>("umh").smd_config().smd;
  const double entry_bytes = smd.entry_bits() / 8.0;
  const std::uint64_t blocks = smd.stack_bytes / smd.block_bytes;
  const auto entries = static_cast<double>(blocks);
  for (const PlannedBlock* b : run.plan().of_kind(SmdSite::kFamily)) {
    const auto s = run.of_block<umh::CoherenceBlockStats>(*b);
    const Counter messages = std::accumulate(s.received.begin(), s.received.end(), Counter{0});
    report.add(
        "smd", b->index,
        cache_energy(power, {static_cast<double>(messages), entry_bytes, entries * entry_bytes},
                     run.seconds()));
  }
}

const BlockKindRegistration kKind([] {
  BlockKind k(SmdSite::kFamily, SmdSite::kFamily);
  k.level = "smd";
  k.is_cache = true;
  k.rank = 20;
  k.flush = FlushAtKernelEnd::kCoherent;
  k.build = [](const BlockBuild& b) {
    auto site = b.site<SmdSite>();
    site.config = b.config().group<UmhConfig>("umh").smd_config();
    site.coherence = b.block().as<umh::CoherenceSite>();
    return b.make(site);
  };
  k.unused = {{"umh.flushed", unless_gpu_memory},
              {"umh.smd", unless_gpu_memory},
              {"umh.peer_transfer", unless_gpu_memory}};
  k.energy = add_energy;
  return k;
}());

}  // namespace

}  // namespace tessera::smd_kind
