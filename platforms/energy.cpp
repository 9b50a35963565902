// SPDX-License-Identifier: Apache-2.0
#include "platforms/energy.h"

#include "common/json.h"
#include "modules/plan/block_kind.h"
#include "modules/plan/run_figures.h"
#include "modules/power/energy_report.h"
#include "platforms/platform_view.h"
#include "platforms/topology/shape.h"

namespace tessera {

nlohmann::ordered_json energy(const nlohmann::ordered_json& modules, const GpuConfig& config,
                              const std::vector<ParameterSetting>& overrides, double seconds) {
  const PlatformPlan plan = plan_of(config);
  const PlatformView view(config, plan);
  const RunFigures run(plan, view, overrides, modules,
                       seconds * static_cast<double>(config.sm.clock_hz), seconds);
  EnergyReport report;
  for (const auto& [name, kind] : block_kinds()) {
    if (kind.energy) kind.energy(run, report);
  }
  return report.to_json(seconds);
}

}  // namespace tessera
