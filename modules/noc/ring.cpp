// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/ring.h"

#include "modules/kernel/statistics_visitor.h"

namespace tessera {

void Ring::register_statistics(StatisticsRegistry& registry) const {
  NetworkModule::register_statistics(registry);
  register_statistics_of(registry, name(), requests(), RingSegments{NocDirection::kRequests});
  register_statistics_of(registry, name(), responses(), RingSegments{NocDirection::kResponses});
}

}  // namespace tessera
