// SPDX-License-Identifier: Apache-2.0
#include "common/json.h"
#include "modules/noc/gpu_fabric.h"
#include "modules/noc/network_kind.h"
#include "modules/noc/sites.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"
#include "modules/plan/run_figures.h"

namespace tessera::fabric_kind {

namespace {

const BlockFamilyRegistration<FabricSite> kFamily([](const FabricSite& s) {
  return network_handle(std::make_unique<GpuFabric>(s.name.c_str(), s.config, s.gpus, s.domains));
});

void derive(RunFigures& run) {
  const std::uint32_t gpus = run.facts().tree.gpus;
  GpuFabricStats fabric(gpus);
  for (const PlannedBlock* b : run.plan().of_kind(FabricSite::kFamily)) {
    StatisticsReader reader = run.reader(*b);
    describe(reader, fabric);
  }
  run["inter_gpu_bytes"] = static_cast<double>(fabric.series.total());
  if (gpus == 1) return;
  // Bytes from each GPU to each other.
  nlohmann::ordered_json matrix = nlohmann::ordered_json::array();
  for (std::uint32_t from = 0; from < gpus; ++from) {
    nlohmann::ordered_json row = nlohmann::ordered_json::array();
    for (std::uint32_t to = 0; to < gpus; ++to) row.push_back(fabric.bytes[from * gpus + to]);
    matrix.push_back(row);
  }
  run["remote"]["bytes"] = matrix;
}

const BlockKindRegistration kKind([] {
  BlockKind k(FabricSite::kFamily, FabricSite::kFamily);
  k.rank = 32;
  k.joins_domains = true;
  k.egress = k.ingress = {FabricSite::kFamily, 6};
  k.build = [](const BlockBuild& b) {
    auto site = b.site<FabricSite>();
    site.config = b.config().group<GpuFabricConfig>("fabric");
    site.gpus = b.facts().tree.gpus;
    site.domains = b.gpu_domains();
    return b.make(site);
  };
  k.derive = derive;
  k.derived = {{"remote.bytes.*", "byte", "from each GPU to each other"}};
  return k;
}());

}  // namespace

}  // namespace tessera::fabric_kind
