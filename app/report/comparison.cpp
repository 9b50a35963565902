// SPDX-License-Identifier: Apache-2.0
#include "app/report/comparison.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "app/report/blocks.h"
#include "app/report/csv.h"
#include "app/report/difference.h"
#include "app/report/energy_figures.h"
#include "app/report/inputs.h"
#include "app/report/text.h"
#include "common/json.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;

constexpr const char* kDerivedColumns[] = {"ipc", "l1_hit_rate", "llc_hit_rate",
                                           "dram_utilisation"};

bool done(const ComparedPoint& p) { return p.failure.empty() && p.stats->is_object(); }

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

ordered_json at_or_null(const ordered_json& object, const char* key) {
  return object.is_object() && object.contains(key) ? object[key] : ordered_json();
}

/// The parameters of a comparison's columns: those of --set, then those in which the resolved
/// configurations of its platforms differ.
std::vector<std::string> compared_parameters(const std::vector<ComparedPoint>& points,
                                             const ordered_json& inputs) {
  std::vector<std::string> names;
  const ordered_json settings = at_or_null(inputs, "settings");
  for (const auto& [path, value] : settings.items()) names.push_back(path);
  const ordered_json* first = nullptr;
  for (const ComparedPoint& p : points) {
    if (!p.stats->is_object() || !p.stats->contains("config")) continue;
    const ordered_json& config = (*p.stats)["config"];
    if (first == nullptr) first = &config;
    for (const ordered_json& change : changed_settings(*first, config)) {
      add_once(names, change["key"].get<std::string>());
    }
  }
  return names;
}

/// A point's values of them; null for a parameter that its platform does not have.
ordered_json parameters_of(const ComparedPoint& point, const std::vector<std::string>& names,
                           const ordered_json& inputs) {
  ordered_json values = ordered_json::object();
  const ordered_json settings = at_or_null(inputs, "settings");
  const ordered_json config = at_or_null(point.stats, "config");
  for (const std::string& name : names) {
    ordered_json::json_pointer where;
    for (std::size_t begin = 0; begin <= name.size();) {
      const std::size_t end = std::min(name.find('.', begin), name.size());
      where /= name.substr(begin, end - begin);
      begin = end + 1;
    }
    // Settings of single instances are no part of the groups of parameters.
    values[name] = config.contains(where) ? config.at(where) : at_or_null(settings, name.c_str());
  }
  return values;
}

std::string percent_cell(const ordered_json& value) {
  return value.is_number() ? percent_text(value.get<double>()) : "-";
}

std::string number_cell(const ordered_json& value) {
  return value.is_number() ? short_number(value.get<double>()) : "-";
}

}  // namespace

ordered_json comparison_document(const std::vector<ComparedPoint>& points,
                                 const ordered_json& inputs) {
  std::vector<std::string> platforms;
  std::vector<std::string> workloads;
  std::map<std::pair<std::string, std::string>, double> cycles;
  std::map<std::string, double> clocks;  // of the SMs, by platform
  for (const ComparedPoint& p : points) {
    add_once(platforms, p.platform);
    add_once(workloads, p.workload);
    if (!done(p)) continue;
    cycles[{p.platform, p.workload}] = p.stats->value("cycles", 0.0);
    const double hertz = setting_of(p.stats, "sm", "clock_hz");
    clocks[p.platform] = hertz > 0 ? hertz : 1;
  }
  const std::string baseline = platforms.empty() ? "" : platforms.front();
  const auto speedup = [&](const std::string& platform,
                           const std::string& workload) -> std::optional<double> {
    const auto own = cycles.find({platform, workload});
    const auto base = cycles.find({baseline, workload});
    if (own == cycles.end() || base == cycles.end() || own->second <= 0 || base->second <= 0) {
      return std::nullopt;
    }
    return base->second / own->second * (clocks.at(platform) / clocks.at(baseline));
  };

  const std::vector<std::string> parameters = compared_parameters(points, inputs);
  ordered_json all = ordered_json::array();
  ordered_json rows = ordered_json::array();
  std::size_t failed = 0;
  for (const ComparedPoint& p : points) {
    ordered_json point = *p.stats;
    if (!point.is_object()) point = {{"platform", p.platform}, {"workload", p.workload}};
    if (!p.failure.empty()) {
      point["error"] = p.failure;
      ++failed;
    }
    ordered_json row = {{"platform", p.platform},
                        {"workload", p.workload},
                        {"cycles", at_or_null(p.stats, "cycles")},
                        {"speedup", nullptr}};
    if (const auto s = speedup(p.platform, p.workload)) row["speedup"] = *s;
    const ordered_json derived = at_or_null(p.stats, "derived");
    for (const char* name : kDerivedColumns) row[name] = at_or_null(derived, name);
    row["verified"] = at_or_null(p.stats, "verified");
    row["error"] = p.failure.empty() ? ordered_json() : ordered_json(p.failure);
    row["parameters"] = parameters_of(p, parameters, inputs);
    row["energy"] = p.stats->is_object() ? energy_figures(p.stats) : ordered_json::object();
    row["average_power_w"] = average_power_w(p.stats);
    all.push_back(std::move(point));
    rows.push_back(std::move(row));
  }

  ordered_json means = ordered_json::object();
  for (const std::string& platform : platforms) {
    double inverse = 0;
    std::size_t n = 0;
    for (const std::string& workload : workloads) {
      if (const auto s = speedup(platform, workload)) {
        inverse += 1 / *s;
        ++n;
      }
    }
    means[platform] = n == 0 ? ordered_json() : ordered_json(static_cast<double>(n) / inverse);
  }
  ordered_json summary = {{"inputs", inputs},        {"baseline", baseline},
                          {"platforms", platforms},  {"workloads", workloads},
                          {"rows", std::move(rows)}, {"speedup_harmonic_mean", std::move(means)},
                          {"failed", failed}};
  const bool one_clock = std::all_of(clocks.begin(), clocks.end(), [&](const auto& entry) {
    return entry.second == clocks.begin()->second;
  });
  if (!one_clock) summary["sm_clock_hz"] = clocks;
  return {{"points", std::move(all)}, {"summary", std::move(summary)}};
}

std::string comparison_csv(const ordered_json& document) {
  const ordered_json& inputs = document["summary"]["inputs"];
  const ordered_json& rows = document["summary"]["rows"];
  // A point that failed has no energy, but the columns of the others.
  std::vector<std::string> energies;
  for (const ordered_json& row : rows) {
    for (const auto& [name, value] : row["energy"].items()) add_once(energies, name);
  }
  std::string heading;
  std::string lines;
  for (ordered_json row : rows) {
    const ordered_json parameters = row["parameters"];
    const ordered_json energy = row["energy"];
    const ordered_json power = row["average_power_w"];
    for (const char* key : {"parameters", "energy", "average_power_w"}) row.erase(key);
    for (const char* key : {"scale", "seed", "values"}) row[key] = at_or_null(inputs, key);
    const ordered_json window = inputs.value("window", ordered_json::object());
    for (const char* key : {"skip", "detail"}) row[key] = at_or_null(window, key);
    row["settings"] = settings_line(inputs);
    row.update(parameters);
    for (const std::string& name : energies) row[name] = at_or_null(energy, name.c_str());
    row["average_power_w"] = power;
    heading.clear();
    std::string line;
    for (const auto& [key, value] : row.items()) {
      const char* comma = heading.empty() ? "" : ",";
      heading += comma + csv_field(key);
      line += comma + csv_field(csv_value(value));
    }
    lines += line + "\r\n";
  }
  return lines.empty() ? "" : heading + "\r\n" + lines;
}

std::string comparison_table(const ordered_json& document) {
  std::vector<std::vector<std::string>> rows = {{"WORKLOAD", "PLATFORM", "CYCLES", "SPEEDUP", "IPC",
                                                 "L1 HITS", "LLC HITS", "DRAM USE", "VERIFIED"}};
  const ordered_json& summary = document["summary"];
  for (const auto& workload : summary["workloads"]) {
    for (const ordered_json& row : summary["rows"]) {
      if (row["workload"] != workload) continue;
      std::string verified = "-";
      if (row["verified"].is_boolean()) verified = row["verified"].get<bool>() ? "yes" : "NO";
      if (!row["error"].is_null() && verified != "NO") verified = "failed";
      rows.push_back({row["workload"].get<std::string>(), row["platform"].get<std::string>(),
                      row["cycles"].is_number() ? grouped(row["cycles"].get<std::uint64_t>()) : "-",
                      number_cell(row["speedup"]), number_cell(row["ipc"]),
                      percent_cell(row["l1_hit_rate"]), percent_cell(row["llc_hit_rate"]),
                      percent_cell(row["dram_utilisation"]), verified});
    }
  }
  std::string text = inputs_line(summary["inputs"]);
  if (!text.empty()) text += "\n\n";
  text += table_text(rows);
  if (summary.contains("sm_clock_hz")) {
    text += "\nThe SMs' clocks differ: a speedup is a ratio of times, not of cycles.\n";
  }
  if (summary["platforms"].size() > 1 && summary["workloads"].size() > 1) {
    text += "\nSpeedup over " + summary["baseline"].get<std::string>() + ", harmonic mean:";
    for (const auto& [platform, value] : summary["speedup_harmonic_mean"].items()) {
      text += "  " + platform + " " + number_cell(value);
    }
    text += "\n";
  }
  return text;
}

}  // namespace tessera::app
