// SPDX-License-Identifier: Apache-2.0
#include "modules/plan/run_figures.h"

#include "modules/plan/block_kind.h"

namespace tessera {

std::vector<const PlannedBlock*> RunFigures::blocks_of_level(const std::string& level) const {
  return plan_.where([&level](const BlockKind& k) { return k.level == level; });
}

}  // namespace tessera
