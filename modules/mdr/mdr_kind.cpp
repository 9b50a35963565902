// SPDX-License-Identifier: Apache-2.0
#include "modules/llc/llc_config.h"
#include "modules/mdr/mdr_engine.h"
#include "modules/mdr/sites.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"
#include "modules/plan/chosen_policy.h"
#include "policies/remote_caching.h"

namespace tessera::mdr_kind {

namespace {

const BlockFamilyRegistration<MdrSite> kFamily([](const MdrSite& s) {
  auto module =
      std::make_unique<MdrEngine>(s.name.c_str(), s.config, s.slice, s.raw, *s.decision, s.engine);
  MdrEngine& m = *module;
  BlockHandle h = BlockHandle::of(std::move(module));
  h.offer<SliceObserver>(m);
  h.offer<SliceFlushIf>(m);
  h.offer<ObservedIf>(m);
  return h;
});

BlockHandle build(const BlockBuild& b) {
  const auto& llc = b.config().group<LlcSliceConfig>("llc");
  const std::uint32_t gpu = b.block().gpu;
  const std::uint32_t slices = b.facts().slices_per_gpu();
  const std::uint32_t sms = b.facts().sms_per_gpu();
  auto& caching = b.get<RemoteCaching>();
  auto site = b.site<MdrSite>();
  site.config = b.config().group<MdrConfig>("mdr");
  site.slice = {llc.sets, llc.ways, site.config.sampled_sets, caching.keeps_at_home()};
  site.raw = b.get<MdrBandwidths>();
  site.decision = caching.monitored();
  site.engine.slices = {SliceId(gpu * slices), SliceId((gpu + 1) * slices)};
  site.engine.sms = {SmId(gpu * sms), SmId((gpu + 1) * sms)};
  return b.make(site);
}

const BlockKindRegistration kKind([] {
  BlockKind k(MdrSite::kFamily, MdrSite::kFamily);
  k.flush = FlushAtKernelEnd::kEpoch;
  k.build = build;
  k.unused = {{"mdr.", [](const ConfigView& c) -> std::optional<std::string> {
                 if (make_policy<RemoteCaching>(c)->monitored() != nullptr) return std::nullopt;
                 return "system.remote_caching is " + c.chosen(RemoteCaching::kFamily);
               }}};
  return k;
}());

}  // namespace

}  // namespace tessera::mdr_kind
