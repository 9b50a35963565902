// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "common/json_fwd.h"

namespace tessera::app {

/// stats.csv: module,statistic,value,unit, one line per number. Nested values are flattened
/// ("latency.mean", "latency.log2_buckets.3"). The run's numbers have the module "run", those of
/// launch N the module "kernels.N", derived numbers the module "derived". `catalogue`: [{"module",
/// "name", "unit", ...}] of the platform.
std::string stats_csv(const nlohmann::ordered_json& stats, const nlohmann::ordered_json& catalogue);

/// The lines of one value, flattened. `unit`: by the flattened name.
std::string csv_lines(const std::string& module, const std::string& name,
                      const nlohmann::ordered_json& value,
                      const std::function<std::string(const std::string& name)>& unit);

/// Unit of a derived value, from the document's dictionary; empty for ratios and unknown names.
std::string derived_unit(const nlohmann::ordered_json& stats, const std::string& name);
/// Unit of a value of `energy`, from its suffix: noc_j, total_j, noc_power_w, noc_area_mm2.
std::string energy_unit(const std::string& name);

/// A field, quoted if RFC 4180 requires it.
std::string csv_field(const std::string& text);

/// A scalar as CSV text: strings plain, numbers as JSON prints them, null empty.
std::string csv_value(const nlohmann::ordered_json& value);

}  // namespace tessera::app
