// SPDX-License-Identifier: Apache-2.0
// Coherence links: between the GPUs and the host, and between the partitions of a GPU.
#include "common/json.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"
#include "modules/plan/run_figures.h"
#include "modules/umh/coherence_link.h"
#include "modules/umh/sites.h"
#include "modules/umh/umh_config.h"

namespace tessera::link_kinds {

namespace {

const BlockFamilyRegistration<CoherenceLinkSite> kFamily([](const CoherenceLinkSite& s) {
  return coherent_handle(std::make_unique<umh::CoherenceLink>(s.name.c_str(), s.config, s.ends));
});

BlockKind link_kind(const char* name, int rank, umh::CoherenceLinkConfig UmhConfig::*config) {
  BlockKind k(name, CoherenceLinkSite::kFamily);
  k.rank = rank;
  k.build = [config](const BlockBuild& b) {
    auto site = b.site<CoherenceLinkSite>();
    site.config = b.config().group<UmhConfig>("umh").*config;
    site.ends = b.block().as<umh::CoherenceLinkEnds>();
    return b.make(site);
  };
  return k;
}

const BlockKindRegistration kHostLink([] {
  BlockKind k = link_kind("coherence_link", 11, &UmhConfig::link);
  k.derive = [](RunFigures& run) {
    std::uint64_t bytes = 0;
    const auto links = run.of_kind<umh::CoherenceLinkStats>("coherence_link");
    for (const umh::CoherenceLinkStats& s : links.each()) bytes += s.bandwidth.total();
    run["host_link_bytes"] = bytes;
  };
  return k;
}());

const BlockKindRegistration kPartitionLink([] {
  BlockKind k = link_kind("partition_link", 12, &UmhConfig::partition_link);
  k.unused = {{"umh.partition_link.", [](const ConfigView& c) -> std::optional<std::string> {
                 if (c.group<UmhConfig>("umh").partitioned) return std::nullopt;
                 return "umh.partitioned is false";
               }}};
  return k;
}());

}  // namespace

}  // namespace tessera::link_kinds
