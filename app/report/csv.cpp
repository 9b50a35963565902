// SPDX-License-Identifier: Apache-2.0
#include "app/report/csv.h"

#include <map>
#include <utility>

#include "app/report/inputs.h"
#include "app/report/kernels.h"
#include "common/json.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;

void flatten(const std::string& module, const std::string& name, const ordered_json& value,
             const std::string& unit, std::string& out) {
  out += csv_lines(module, name, value, [&unit](const std::string&) { return unit; });
}

}  // namespace

std::string csv_lines(const std::string& module, const std::string& name, const ordered_json& value,
                      const std::function<std::string(const std::string& name)>& unit) {
  std::string out;
  if (value.is_object()) {
    for (const auto& [key, child] : value.items()) {
      out += csv_lines(module, name + "." + key, child, unit);
    }
    return out;
  }
  if (value.is_array()) {
    std::size_t i = 0;
    for (const ordered_json& child : value) {
      out += csv_lines(module, name + "." + std::to_string(i++), child, unit);
    }
    return out;
  }
  return csv_field(module) + "," + csv_field(name) + "," + csv_field(csv_value(value)) + "," +
         csv_field(unit(name)) + "\r\n";
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string csv_value(const ordered_json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  return value.dump();
}

std::string derived_unit(const ordered_json& stats, const std::string& name) {
  const ordered_json::json_pointer where("/dictionary/derived/" + name + "/unit");
  return stats.contains(where) ? stats.at(where).get<std::string>() : std::string();
}

std::string energy_unit(const std::string& name) {
  static const std::map<std::string, std::string> units = {{"j", "J"}, {"w", "W"}, {"mm2", "mm2"}};
  const auto it = units.find(name.substr(name.rfind('_') + 1));
  return it == units.end() ? std::string() : it->second;
}

std::string stats_csv(const ordered_json& stats, const ordered_json& catalogue) {
  std::map<std::pair<std::string, std::string>, std::string> units;
  for (const ordered_json& entry : catalogue) {
    units[{entry.value("module", ""), entry.value("name", "")}] = entry.value("unit", "");
  }
  std::string out = "module,statistic,value,unit\r\n";
  const std::pair<const char*, const char*> own[] = {{"platform", ""},
                                                     {"workload", ""},
                                                     {"scale", ""},
                                                     {"values", ""},
                                                     {"seed", ""},
                                                     {"settings", ""},
                                                     {"cycles", "cycle"},
                                                     {"time_ns", "ns"},
                                                     {"instructions", "instruction"},
                                                     {"footprint_bytes", "byte"},
                                                     {"verified", ""}};
  for (const auto& [name, unit] : own) {
    if (stats.contains(name)) flatten("run", name, stats[name], unit, out);
  }
  const ordered_json inputs = inputs_of(stats);
  if (inputs.contains("window")) {
    flatten("run", "window", inputs["window"], "thread instruction", out);
  }
  if (stats.contains("figures")) {
    for (const auto& [name, figure] : stats["figures"].items()) {
      flatten("figures", name, figure["value"], figure.value("unit", ""), out);
    }
  }
  out += kernels_csv(stats);
  if (stats.contains("derived")) {
    for (const auto& [name, value] : stats["derived"].items()) {
      flatten("derived", name, value, derived_unit(stats, name), out);
    }
  }
  if (stats.contains("energy")) {
    for (const auto& [name, value] : stats["energy"].items()) {
      // Plain numbers only; the components are in stats.json and the report.
      if (value.is_number()) flatten("energy", name, value, energy_unit(name), out);
    }
  }
  if (stats.contains("modules")) {
    for (const auto& [module, statistics] : stats["modules"].items()) {
      for (const auto& [name, value] : statistics.items()) {
        const auto unit = units.find({module, name});
        flatten(module, name, value, unit == units.end() ? "" : unit->second, out);
      }
    }
  }
  return out;
}

}  // namespace tessera::app
