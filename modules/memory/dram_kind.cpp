// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/dram_kind.h"

#include "common/error.h"
#include "common/json.h"
#include "modules/memory/dram_channel.h"
#include "modules/memory/sites.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"

namespace tessera {

void add_channel_energy(const RunFigures& run, const PlannedBlock& channel,
                        const DramConfig& config, const char* group, EnergyReport& report) {
  const auto s = run.of_block<DramStats>(channel);
  const DramActivity activity{
      static_cast<double>(s.commands.activates), static_cast<double>(s.commands.refreshes),
      static_cast<double>(s.bytes_read + s.bytes_written), static_cast<double>(config.row_bytes)};
  report.add(group, channel.index,
             dram_energy(run.config().group<PowerConfig>("power"), activity, run.seconds()));
}

namespace {

const BlockFamilyRegistration<DramSite> kFamily([](const DramSite& s) {
  auto module =
      std::make_unique<DramChannel>(s.name.c_str(), s.config, *s.map, s.channel, s.inputs);
  DramChannel& m = *module;
  BlockHandle h = BlockHandle::of(std::move(module));
  h.offer(m.launch_counts());
  h.offer(m);
  h.add_inputs(m.in);
  return h;
});

void derive(RunFigures& run) {
  const auto channels = run.of_kind<DramStats>(DramSite::kFamily);
  const double bytes =
      channels.sum(&DramStats::bytes_read) + channels.sum(&DramStats::bytes_written);
  const auto& config = run.config().group<DramConfig>("dram");
  const double peak =
      static_cast<double>(config.clock_hz) * config.bus_bytes_per_clock * run.facts().tree.channels;
  run["dram_bytes"] = bytes;
  run["dram_utilisation"] = ratio(bytes, peak * run.seconds());
  run["peak_gb_per_s"]["dram"] = peak / 1e9;
}

/// A scheduler can refuse the channel's other settings.
std::vector<std::string> check_own(const AnyConfig& own, const ConfigView& config,
                                   const PlannedBlock&) {
  const auto& dram = own.as<DramConfig>();
  DramCommandCounts counts;
  try {
    dram.scheduler.make({&dram, config.facts().memory.line_bytes, &counts});
  } catch (const InputError& e) {
    return {e.what()};
  }
  return {};
}

const BlockKindRegistration kKind([] {
  BlockKind k(DramSite::kFamily, DramSite::kFamily);
  k.level = "dram";
  k.ingress = {"memory", 3};
  k.build = [](const BlockBuild& b) {
    auto site = b.site<DramSite>();
    site.config = b.own<DramConfig>("dram");
    site.channel = ChannelId(b.block().index);
    return b.make(site);
  };
  k.own_config = [](const ConfigView& c, const PlannedBlock&) {
    return AnyConfig(c.group<DramConfig>("dram"));
  };
  k.check_own = check_own;
  k.derive = derive;
  k.energy = [](const RunFigures& run, EnergyReport& report) {
    for (const PlannedBlock* b : run.plan().of_kind(DramSite::kFamily)) {
      const DramConfig c = run.own(*b, run.config().group<DramConfig>("dram"));
      add_channel_energy(run, *b, c, "dram", report);
    }
  };
  return k;
}());

}  // namespace

}  // namespace tessera
