// SPDX-License-Identifier: Apache-2.0
#include "app/report/summary.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "app/report/inputs.h"
#include "app/report/kernels.h"
#include "app/report/profile.h"
#include "app/report/shares.h"
#include "app/report/text.h"
#include "app/report/traffic.h"
#include "app/report/waits.h"
#include "common/json.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;

std::optional<double> number(const ordered_json& object, const char* key) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_number()) {
    return std::nullopt;
  }
  return object[key].get<double>();
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::string padded_left(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string fact(const std::string& name, const std::string& value) {
  return "  " + padded(name, 15) + value + "\n";
}

std::string traffic_picture(const std::vector<LevelTraffic>& levels, bool utf8) {
  if (levels.empty()) return "";
  double largest = 0;
  bool peaks = false;
  std::size_t width = 0;
  for (const LevelTraffic& level : levels) {
    width = std::max(width, level.name.size() + 1);
    largest = std::max(largest, level.gb_per_s);
    peaks = peaks || level.peak_gb_per_s.has_value();
  }
  std::string text = "\n  Bandwidth by level";
  text += peaks ? " (bar: share of the level's peak)\n" : " (bar: beside the busiest level)\n";
  for (const LevelTraffic& level : levels) {
    const double fraction =
        (level.peak_gb_per_s ? share_of_peak(level) : Share{level.gb_per_s, largest, ""}).value();
    const bool has_bar = !peaks || level.peak_gb_per_s;
    text += "  " + padded(level.name, width) +
            (has_bar ? bar(fraction, 30, utf8) : std::string(30, ' ')) +
            padded_left(bytes_text(static_cast<double>(level.bytes)), 10) + ' ' +
            padded_left(short_number(level.gb_per_s) + " GB/s", 11);
    if (level.peak_gb_per_s) {
      text += ' ' + padded_left(percent_text(fraction), 7) + " of " +
              short_number(*level.peak_gb_per_s) + " GB/s";
    } else if (peaks) {
      text += "  no peak";
    }
    text += "\n";
  }
  return text;
}

/// "SM 1.2 mJ (40 %), ...", the components of `energy`.
std::string energy_parts(const ordered_json& stats) {
  std::string text;
  for (const auto& [name, share] : energy_components_of(stats)) {
    text += (text.empty() ? "" : ", ") + name + " " + energy_text(share.part);
    if (share.whole > 0) text += " (" + percent_text(share.value()) + ")";
  }
  for (const std::string& name : energy_not_modelled(stats)) {
    text += (text.empty() ? "" : ", ") + name + " not modelled";
  }
  return text;
}

/// "1 000 000 of 8 000 000 thread instructions, after 500 000", of the section "window". `whole`:
/// the workload ran to its end.
std::string window_text(const ordered_json& window, bool whole) {
  const auto part = [&window](const char* key) { return window.value(key, std::uint64_t{0}); };
  const std::uint64_t skipped = part("skipped_thread_instructions");
  const std::uint64_t detailed = part("detailed_thread_instructions");
  const std::uint64_t all = skipped + detailed + part("rest_thread_instructions");
  // Without rest, or after an interrupt, nothing is known of the whole.
  std::string text = grouped(detailed);
  if (whole) text += " of " + grouped(all);
  text += " thread instructions";
  if (skipped != 0) text += ", after " + grouped(skipped);
  if (whole && part("detail") != 0 && !window.value("complete", true)) {
    text += "; the workload ended before " + grouped(part("detail"));
  }
  return text;
}

/// The figures of a manifest.
std::string figures_table(const ordered_json& stats) {
  const auto figures = stats.find("figures");
  if (figures == stats.end()) return "";
  std::vector<std::vector<std::string>> rows{{"  Figures", "value", "unit", "description"}};
  for (const auto& [name, figure] : figures->items()) {
    const ordered_json& value = figure["value"];
    rows.push_back({"  " + name, value.is_number() ? short_number(value.get<double>()) : "-",
                    figure.value("unit", ""), figure.value("description", "")});
  }
  return "\n" + table_text(rows);
}

}  // namespace

std::string run_summary(const ordered_json& stats, const std::string& verification, bool utf8) {
  const ordered_json derived = stats.value("derived", ordered_json::object());
  std::string text = stats.value("workload", "?") + " on " + stats.value("platform", "?") + "\n\n";
  text += fact("verified", verification);
  const ordered_json inputs = inputs_of(stats);
  if (const std::string given = inputs_text(inputs); !given.empty()) {
    text += fact("inputs", given);
  }
  if (const std::string settings = settings_line(inputs); !settings.empty()) {
    text += fact("settings", settings);
  }
  if (const auto window = stats.find("window"); window != stats.end()) {
    const bool whole = stats.contains("verified") && stats["verified"].is_boolean() &&
                       !stats.contains("interrupted");
    text += fact("window", window_text(*window, whole));
  }
  text += fact("cycles", grouped(stats.value("cycles", std::uint64_t{0})) + "  (" +
                             time_text(stats.value("time_ns", 0.0)) + ")");
  if (const auto flush = flush_of(stats)) {
    text += fact("flush", grouped(static_cast<std::uint64_t>(flush->part)) + " cycles  (" +
                              percent_text(flush->value()) + " of the time)");
  }
  std::string instructions = grouped(stats.value("instructions", std::uint64_t{0}));
  if (const auto ipc = number(derived, "ipc")) {
    instructions += "  (" + short_number(*ipc) + " per cycle)";
  }
  text += fact("instructions", instructions);
  std::string hits;
  if (const auto l1 = number(derived, "l1_hit_rate")) hits += "L1 " + percent_text(*l1);
  if (const auto llc = number(derived, "llc_hit_rate")) {
    hits += (hits.empty() ? "LLC " : ", LLC ") + percent_text(*llc);
  }
  if (!hits.empty()) text += fact("hit rates", hits);
  if (const auto latency = number(derived, "avg_load_latency_cycles")) {
    text += fact("load latency", short_number(*latency) + " cycles on average");
  }
  if (const auto faults = number(derived, "page_faults")) {
    text += fact("page faults", grouped(static_cast<std::uint64_t>(*faults)));
  }
  if (const auto used = number(derived, "dram_utilisation")) {
    text += fact("DRAM in use", percent_text(*used) + " of the time");
  }
  const auto section = stats.find("energy");
  if (section != stats.end()) {
    if (const auto total = number(*section, "total_j")) {
      text += fact("energy", energy_text(*total) + ": " + energy_parts(stats));
    }
  }
  if (const TopWait wait = top_wait(waits_of(stats)); !wait.where.empty()) {
    text +=
        fact("longest wait", wait.where) + fact("", wait.why + " [" + name_of(*wait.kind) + "]");
  }
  if (const auto races = stats.find("races"); races != stats.end()) {
    text += fact("races", races->empty() ? "none found"
                                         : grouped(races->size()) +
                                               " instructions or more; see "
                                               "\"races\" of stats.json");
  }
  text += figures_table(stats);
  text += kernel_table(stats);
  text += profile_table(stats);
  text += traffic_picture(traffic_of(stats).levels, utf8);
  if (const auto seconds = number(stats.value("host", ordered_json::object()), "seconds")) {
    text += "\n" + fact("host time", short_number(*seconds) + " s");
  }
  return text;
}

}  // namespace tessera::app
