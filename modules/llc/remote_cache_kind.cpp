// SPDX-License-Identifier: Apache-2.0
#include "modules/llc/slice_kind.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"
#include "modules/plan/chosen_policy.h"
#include "modules/plan/run_figures.h"
#include "policies/transfer_policy.h"

namespace tessera::remote_cache_kind {

namespace {

const BlockFamilyRegistration<RemoteCacheSite> kFamily(make_slice<RemoteCacheSite>);

const BlockKindRegistration kKind([] {
  BlockKind k = slice_kind(RemoteCacheSite::kFamily);
  k.rank = 50;
  k.flush = FlushAtKernelEnd::kRemoteCache;
  k.egress = {"rdma", 1};
  k.build = [](const BlockBuild& b) {
    auto site = b.site<RemoteCacheSite>();
    site.config = b.own<LlcSliceConfig>("remote_cache");
    site.slice.role = site.config.role.empty() ? "remote_cache" : site.config.role;
    site.slice.access_mode = &b.get<RemoteAccessMode>();
    site.slice.remote_banks = b.block().as<PlannedRemoteCache>().banks;
    return b.make(site);
  };
  k.unused = {{"remote_cache.directory_",
               [](const ConfigView&) { return "a remote cache has no directory"; }},
              {"remote_cache.last_sharer",
               [](const ConfigView&) { return "a remote cache forwards no hits"; }},
              {"remote_cache.", [](const ConfigView& c) -> std::optional<std::string> {
                 if (may_use_remote_cache(*make_policy<TransferPolicy>(c))) return std::nullopt;
                 return "system.transfer is " + c.chosen(TransferPolicy::kFamily);
               }}};
  k.energy = [](const RunFigures& run, EnergyReport& report) {
    add_slice_energy(RemoteCacheSite::kFamily, std::uint64_t{1} << 32, run, report);
  };
  return k;
}());

}  // namespace

}  // namespace tessera::remote_cache_kind
