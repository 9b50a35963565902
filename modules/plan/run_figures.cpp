// SPDX-License-Identifier: Apache-2.0
#include "modules/plan/run_figures.h"

#include "common/json.h"
#include "modules/plan/block_kind.h"

namespace tessera {

RunFigures::RunFigures(const PlatformPlan& plan, const ConfigView& config,
                       const std::vector<ParameterSetting>& overrides,
                       const nlohmann::ordered_json& modules, double cycles, double seconds)
    : plan_(plan),
      config_(config),
      overrides_(overrides),
      modules_(modules),
      cycles_(cycles),
      seconds_(seconds),
      figures_(nlohmann::ordered_json::object()) {}

nlohmann::ordered_json& RunFigures::operator[](const std::string& figure) {
  return (*figures_)[figure];
}

std::vector<const PlannedBlock*> RunFigures::blocks_of_level(const std::string& level) const {
  return plan_.where([&level](const BlockKind& k) { return k.level == level; });
}

}  // namespace tessera
