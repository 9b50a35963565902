// SPDX-License-Identifier: Apache-2.0
#include "app/report/energy_figures.h"

#include "common/json.h"

namespace tessera::app {

using nlohmann::ordered_json;

ordered_json energy_figures(const ordered_json& stats) {
  ordered_json figures = ordered_json::object();
  const auto energy = stats.find("energy");
  if (energy == stats.end()) return figures;
  for (const auto& [part, value] : energy->items()) {
    if (value.is_object() && value.contains("total_j") && value["total_j"].is_number()) {
      figures["energy." + part + ".total_j"] = value["total_j"];
    } else if (value.is_number()) {
      figures["energy." + part] = value;
    }
  }
  return figures;
}

ordered_json average_power_w(const ordered_json& stats) {
  const ordered_json::json_pointer total("/energy/total_j");
  if (!stats.contains(total) || !stats.at(total).is_number()) return nullptr;
  const double ns = stats.contains("time_ns") && stats["time_ns"].is_number()
                        ? stats["time_ns"].get<double>()
                        : 0;
  return ns > 0 ? ordered_json(stats.at(total).get<double>() / ns * 1e9) : ordered_json();
}

}  // namespace tessera::app
