// SPDX-License-Identifier: Apache-2.0
#include "modules/host/cpu_core.h"
#include "modules/host/sites.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"
#include "modules/umh/umh_config.h"

namespace tessera::cpu_core_kind {

namespace {

const BlockFamilyRegistration<CpuCoreSite> kFamily([](const CpuCoreSite& s) {
  auto module = std::make_unique<CpuCore>(s.name.c_str(), s.config, *s.pool, s.index);
  CpuCore& m = *module;
  BlockHandle h = BlockHandle::of(std::move(module));
  h.offer(m);
  h.out = {&m.memory};
  return h;
});

const BlockKindRegistration kKind([] {
  BlockKind k(CpuCoreSite::kFamily, CpuCoreSite::kFamily);
  k.of_cpu = true;
  k.build = [](const BlockBuild& b) {
    auto site = b.site<CpuCoreSite>();
    site.config = b.config().group<UmhConfig>("umh").cpu.core;
    return b.make(site);
  };
  return k;
}());

}  // namespace

}  // namespace tessera::cpu_core_kind
