// SPDX-License-Identifier: Apache-2.0
#include "app/report/sweep.h"

#include <algorithm>
#include <map>
#include <utility>

#include "app/report/csv.h"
#include "app/report/text.h"
#include "common/json.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;

/// Shares below are not printed.
constexpr double kLeastShare = 0.005;

/// Names and values of the columns of a group, in the order in which they first appear.
class Columns {
 public:
  void add(std::size_t row, const std::string& name, const ordered_json& value) {
    if (value.is_object()) {
      for (const auto& [key, child] : value.items()) add(row, name + "." + key, child);
      return;
    }
    const auto [it, fresh] = index_.try_emplace(name, names_.size());
    if (fresh) names_.push_back(name);
    cells_[{row, it->second}] = csv_value(value);
  }

  std::string heading() const {
    std::string line;
    for (const std::string& name : names_) line += "," + csv_field(name);
    return line;
  }

  std::string line(std::size_t row) const {
    std::string line;
    for (std::size_t c = 0; c < names_.size(); ++c) {
      const auto cell = cells_.find({row, c});
      line += "," + (cell == cells_.end() ? std::string() : csv_field(cell->second));
    }
    return line;
  }

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::size_t> index_;
  std::map<std::pair<std::size_t, std::size_t>, std::string> cells_;
};

std::string number_text(const ordered_json& value) {
  return value.is_number() ? short_number(value.get<double>()) : "-";
}

std::string front_table(const ordered_json& document) {
  std::vector<std::string> heading = {"DESIGN"};
  const bool platforms = document["platforms"].size() > 1;
  if (platforms) heading.emplace_back("PLATFORM");
  for (const ordered_json& p : document["parameters"]) heading.push_back(p["name"]);
  for (const ordered_json& o : document["objectives"]) heading.push_back(o["name"]);
  std::vector<std::vector<std::string>> rows = {heading};
  for (const ordered_json& id : document["front"]) {
    const ordered_json& design = document["designs"][id.get<std::size_t>()];
    std::vector<std::string> row = {csv_value(id)};
    if (platforms) row.push_back(design["platform"]);
    for (const ordered_json& p : document["parameters"]) {
      const auto name = p["name"].get<std::string>();
      row.push_back(design["settings"].contains(name) ? csv_value(design["settings"][name]) : "-");
    }
    for (const auto& [name, value] : design["objectives"].items()) {
      row.push_back(number_text(value));
    }
    rows.push_back(std::move(row));
  }
  return table_text(rows);
}

/// "time: llc.sets 62.1 %, llc.ways 20.3 %, llc.sets x llc.ways 8.0 %".
std::string effects_text(const ordered_json& sensitivity) {
  std::vector<std::pair<double, std::string>> shares;
  for (const ordered_json& m : sensitivity["main"]) {
    shares.emplace_back(m["share"], m["parameter"]);
  }
  for (const ordered_json& i : sensitivity["interactions"]) {
    shares.emplace_back(i["share"], i["parameters"][0].get<std::string>() + " x " +
                                        i["parameters"][1].get<std::string>());
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [share, name] : shares) {
    if (share < kLeastShare) continue;
    text += (text.empty() ? "" : ", ") + name + " " + percent_text(share);
  }
  return sensitivity["objective"].get<std::string>() + ": " + (text.empty() ? "-" : text);
}

}  // namespace

std::string sweep_csv(const std::vector<SweepRow>& rows) {
  Columns settings;
  Columns statistics;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const auto& [path, value] : rows[r].settings->items()) settings.add(r, path, value);
    const ordered_json& stats = rows[r].stats;
    for (const char* group : {"derived", "energy"}) {
      if (stats.is_object() && stats.contains(group)) statistics.add(r, group, stats[group]);
    }
  }
  std::string out = "design,platform" + settings.heading() + ",workload,verified,cycles,time_ns" +
                    statistics.heading() + "\r\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    out += csv_field(rows[r].design) + "," + csv_field(rows[r].platform) + settings.line(r) + "," +
           csv_field(rows[r].workload);
    const ordered_json& stats = rows[r].stats;
    for (const char* key : {"verified", "cycles", "time_ns"}) {
      out += "," + (stats.is_object() && stats.contains(key) ? csv_value(stats[key]) : "");
    }
    out += statistics.line(r) + "\r\n";
  }
  return out;
}

std::string sweep_text(const ordered_json& document) {
  std::string text = document["title"].get<std::string>() +
                     "\n\nPareto front: " + std::to_string(document["front"].size()) + " of " +
                     std::to_string(document["designs"].size()) + " designs\n\n" +
                     front_table(document);
  std::string reference;
  for (const auto& [name, value] : document["hypervolume"]["reference"].items()) {
    reference += (reference.empty() ? "" : ", ") + name + " " + number_text(value);
  }
  if (!reference.empty()) {
    text += "\nHypervolume: " + number_text(document["hypervolume"]["value"]) +
            " (reference: " + reference + ")\n";
  }
  if (!document["sensitivity"].empty()) text += "\nShares of the variance\n";
  for (const ordered_json& s : document["sensitivity"]) text += "  " + effects_text(s) + "\n";
  const auto count = [&document](const char* key) {
    const ordered_json& v = document[key];
    return v.is_array() ? v.size() : v.get<std::size_t>();
  };
  if (count("excluded") + count("invalid") > 0) {
    text += "\nDesigns left out: " + std::to_string(count("excluded")) + " by a constraint, " +
            std::to_string(count("invalid")) + " refused\n";
  }
  return text;
}

}  // namespace tessera::app
