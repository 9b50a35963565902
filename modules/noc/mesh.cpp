// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/mesh.h"

#include <utility>

#include "modules/kernel/statistics_visitor.h"

namespace tessera {

void Mesh::register_statistics(StatisticsRegistry& registry) const {
  NetworkModule::register_statistics(registry);
  const MeshLayout m = config().layout(static_cast<std::uint32_t>(in.size()),
                                       static_cast<std::uint32_t>(out.size()));
  for (const auto& [stats, towards] : {std::pair{&requests(), NocDirection::kRequests},
                                       std::pair{&responses(), NocDirection::kResponses}}) {
    register_statistics_of(registry, name(), *stats, MeshTraffic{towards, m.width, m.height});
  }
}

}  // namespace tessera
