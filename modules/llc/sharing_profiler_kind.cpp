// SPDX-License-Identifier: Apache-2.0
#include "modules/llc/sharing_profiler.h"
#include "modules/llc/sites.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"

namespace tessera::sharing_profiler_kind {

namespace {

const BlockFamilyRegistration<SharingProfilerSite> kFamily([](const SharingProfilerSite& s) {
  auto profiler = std::make_unique<SharingProfiler>(s.path, s.sms, s.line_bytes);
  BlockHandle h;
  h.block = profiler.get();
  h.offer<SliceObserver>(*profiler);
  h.plain = std::move(profiler);
  return h;
});

const BlockKindRegistration kKind([] {
  BlockKind k(SharingProfilerSite::kFamily, SharingProfilerSite::kFamily);
  k.acts_at_once = [](const ConfigView&) { return "a measurement of ours, not hardware"; };
  k.build = [](const BlockBuild& b) {
    auto site = b.site<SharingProfilerSite>();
    site.sms = b.facts().tree.sms;
    site.line_bytes = b.facts().memory.line_bytes;
    return b.make(site);
  };
  return k;
}());

}  // namespace

}  // namespace tessera::sharing_profiler_kind
