// SPDX-License-Identifier: Apache-2.0
#include "app/report/html.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string_view>
#include <utility>

#include "app/report/assets.h"
#include "app/report/csv.h"
#include "app/report/inputs.h"
#include "app/report/profile.h"
#include "app/report/shares.h"
#include "app/report/traffic.h"
#include "app/report/waits.h"
#include "common/json.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// A page whose content security policy permits inline scripts and loads no resources.
std::string page(const std::string& title, std::initializer_list<std::string_view> scripts,
                 const ordered_json& data) {
  std::string html;
  html += "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  html +=
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n";
  html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  html += "<title>" + escaped(title) + "</title>\n<style>\n";
  html += assets::kReportCss;
  html += "</style>\n</head>\n<body>\n<main id=\"report\"></main>\n";
  html += "<noscript>The charts of this report are drawn by a script.</noscript>\n";
  html += "<script type=\"application/json\" id=\"data\">" + script_json(data) + "</script>\n";
  html += "<script>\n";
  html += assets::kD3Js;
  html += "</script>\n<script>\n";
  for (const char* common :
       {assets::kCommonJs, assets::kChartJs, assets::kMarksJs, assets::kDownloadJs}) {
    html += common;
  }
  for (const std::string_view script : scripts) html += script;
  html += "</script>\n</body>\n</html>\n";
  return html;
}

/// Cycles that an average memory request waits at each level, in the order of its route:
/// [{"name", "cycles"}].
ordered_json waits_by_level(const Waits& waits) {
  ordered_json levels = ordered_json::array();
  for (const Wait& w : waits.all) {
    if (!w.cycles_per_request) continue;
    const auto same = [&w](const ordered_json& level) { return level["name"] == w.level; };
    auto level = std::find_if(levels.begin(), levels.end(), same);
    if (level == levels.end()) {
      levels.push_back({{"name", w.level}, {"cycles", 0.0}});
      level = levels.end() - 1;
    }
    (*level)["cycles"] = (*level)["cycles"].get<double>() + *w.cycles_per_request;
  }
  return levels;
}

/// What a comparison shows of one point, beside its row and its traffic.
ordered_json point_details(const ordered_json& point, const std::string& report) {
  const Waits waits = waits_of(point);
  const TopWait top = top_wait(waits);
  return {{"derived", point.value("derived", ordered_json::object())},
          {"config", point.value("config", ordered_json::object())},
          {"report", report},
          {"energy", to_json(energy_components_of(point))},
          {"hops", to_json(latency_hops_of(point))},
          {"waits", waits_by_level(waits)},
          {"request_time", waits.request_time},
          {"longest_wait", top.where}};
}

/// A run's objectives in the order of the sweep's objectives.
ordered_json values_of(const ordered_json& objectives, const ordered_json& names) {
  ordered_json values = ordered_json::array();
  for (const ordered_json& o : names) values.push_back(objectives[o["name"].get<std::string>()]);
  return values;
}

/// A sweep's designs as arrays, because a sweep can have thousands: [index of the platform, values
/// of the parameters, objectives, objectives of each run]. A null value: left as it is.
ordered_json compact_designs(const ordered_json& document) {
  std::map<std::string, std::size_t> platforms;
  for (const ordered_json& p : document["platforms"]) {
    platforms.try_emplace(p.get<std::string>(), platforms.size());
  }
  const ordered_json& objectives = document["objectives"];
  ordered_json designs = ordered_json::array();
  for (const ordered_json& d : document["designs"]) {
    ordered_json settings = ordered_json::array();
    for (const ordered_json& p : document["parameters"]) {
      settings.push_back(d["settings"].value(p["name"].get<std::string>(), ordered_json()));
    }
    ordered_json runs = ordered_json::array();
    for (const ordered_json& run : d["runs"]) {
      runs.push_back(values_of(run["objectives"], objectives));
    }
    designs.push_back({platforms.at(d["platform"].get<std::string>()), std::move(settings),
                       values_of(d["objectives"], objectives), std::move(runs)});
  }
  return designs;
}

}  // namespace

std::string script_json(const ordered_json& value) {
  const std::string text = value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string run_report(const ordered_json& stats, const ordered_json& catalogue,
                       const std::string& verification, const std::string& failure,
                       const std::vector<std::string>& explanation) {
  // Blocks of one kind share their descriptions, so that each text is stored once.
  ordered_json texts = ordered_json::array();
  ordered_json about = ordered_json::object();
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  for (const ordered_json& entry : catalogue) {
    const auto text = std::make_pair(entry.value("unit", ""), entry.value("description", ""));
    const auto [it, fresh] = known.try_emplace(text, texts.size());
    if (fresh) texts.push_back({text.first, text.second});
    about[entry.value("module", "")][entry.value("name", "")] = it->second;
  }
  ordered_json units = ordered_json::object();
  if (stats.contains("derived")) {
    for (const auto& [name, value] : stats["derived"].items())
      units[name] = derived_unit(stats, name);
  }
  const std::optional<Share> flush = flush_of(stats);
  return page("Tessera: " + stats.value("workload", "") + " on " + stats.value("platform", ""),
              {assets::kRunTrafficJs, assets::kRunRooflineJs, assets::kRunMemoriesJs,
               assets::kRunMeshJs, assets::kRunPlacesJs, assets::kRunTimeJs, assets::kRunLatencyJs,
               assets::kRunEnergyJs, assets::kRunWaitsJs, assets::kRunSourceJs,
               assets::kRunTablesJs, assets::kRunRtlJs, assets::kRunTimelineJs, assets::kRunJs},
              {{"stats", stats},
               {"traffic", to_json(traffic_of(stats))},
               {"waits", to_json(waits_of(stats))},
               {"profile", profile_json(stats)},
               {"flush", flush ? to_json(*flush) : ordered_json()},
               {"shares",
                {{"hit_rates", to_json(hit_rates_of(stats))},
                 {"issue_slots", to_json(issue_slots_of(stats))},
                 {"latency_hops", to_json(latency_hops_of(stats))},
                 {"energy_components", to_json(energy_components_of(stats))},
                 {"energy_kinds", to_json(energy_kinds_of(stats))},
                 {"remote_accesses", to_json(remote_accesses_of(stats))},
                 {"remote_latency", to_json(remote_latency_of(stats))}}},
               {"texts", std::move(texts)},
               {"about", std::move(about)},
               {"units", std::move(units)},
               {"settings", settings_line(inputs_of(stats))},
               {"verification", verification},
               {"failure", failure},
               {"explanation", explanation}});
}

std::string comparison_report(const ordered_json& document, const std::vector<std::string>& reports,
                              const std::vector<std::string>& explanation) {
  ordered_json traffic = ordered_json::array();
  for (const ordered_json& point : document["points"]) {
    ordered_json levels = to_json(traffic_of(point))["levels"];
    for (ordered_json& level : levels) {
      level.erase("gb_per_s_over_time");
      level.erase("parts");
    }
    traffic.push_back(std::move(levels));
  }
  ordered_json details = ordered_json::array();
  for (const ordered_json& point : document["points"]) {
    const std::size_t i = details.size();
    details.push_back(point_details(point, i < reports.size() ? reports[i] : ""));
  }
  return page("Tessera: comparison", {assets::kCompareJs},
              {{"summary", document["summary"]},
               {"explanation", explanation},
               {"inputs", inputs_line(document["summary"]["inputs"])},
               {"details", std::move(details)},
               {"traffic", std::move(traffic)}});
}

std::string study_report(const ordered_json& document) {
  return page("Tessera: " + document.value("title", ""), {assets::kStudyJs}, document);
}

std::string sweep_report(const ordered_json& document) {
  ordered_json data = ordered_json::object();
  for (const auto& [key, value] : document.items()) {
    if (key != "designs" && key != "base") data[key] = value;
  }
  data["designs"] = compact_designs(document);
  const ordered_json& base = document["base"];
  data["base"] = base.is_null() ? base : values_of(base["objectives"], document["objectives"]);
  return page("Tessera: " + document.value("title", ""),
              {assets::kSweepDataJs, assets::kSweepFrontJs, assets::kSweepParallelJs,
               assets::kSweepHeatJs, assets::kSweepJs},
              data);
}

}  // namespace tessera::app
