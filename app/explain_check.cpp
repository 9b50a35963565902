// SPDX-License-Identifier: Apache-2.0
#include "app/explain_check.h"

#include <algorithm>
#include <cmath>

#include "app/arguments.h"
#include "app/point_runner.h"
#include "app/report/text.h"
#include "app/stored_points.h"
#include "app/verbs.h"
#include "common/error.h"
#include "common/json.h"
#include "common/text.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;

/// The arguments of the command that made the statistics.
std::vector<std::string> command_of(const ordered_json& stats) {
  const ordered_json::json_pointer where("/host/command_line");
  std::vector<std::string> words;
  if (stats.contains(where)) {
    for (const ordered_json& word : stats.at(where)) {
      if (word.is_string()) words.push_back(word.get<std::string>());
    }
  }
  if (words.size() < 4 || words[1] != "run") {
    throw InputError(
        "--check needs the statistics of tessera run, which have the command of the run");
  }
  words.erase(words.begin(), words.begin() + 2);
  return words;
}

/// "system.gpu0.llc3.sets" is a setting of one of the blocks that `path`, "llc.sets", sets for all.
bool is_setting_of_block(const std::string& own, const std::string& path) {
  const std::string group = path.substr(0, path.rfind('.'));
  const std::string name = path.substr(path.rfind('.'));
  if (!ends_with(own, name)) return false;
  const std::string block = own.substr(0, own.size() - name.size());
  std::string kind = block.substr(block.rfind('.') + 1);
  kind.erase(kind.find_last_not_of("0123456789") + 1);
  if (!kind.empty() && kind.back() == '_') kind.pop_back();
  return kind == group || (kind == "link" && group == "side_link");
}

std::string path_of(const std::string& set) { return set.substr(0, set.find('=')); }

/// `sets` of the run with those of the experiment instead.
std::vector<std::string> with_experiment(
    const std::vector<std::string>& sets, const std::vector<ParameterSetting>& of_blocks,
    const std::vector<std::pair<std::string, std::string>>& experiment,
    std::vector<std::string>& changed) {
  for (const auto& [path, value] : experiment) {
    changed.push_back(path);
    changed.back() += "=" + value;
    for (const ParameterSetting& own : of_blocks) {
      if (is_setting_of_block(own.path, path)) changed.push_back(own.path + "=" + value);
    }
  }
  std::vector<std::string> all = changed;
  for (const std::string& set : sets) {
    const bool replaced = std::any_of(changed.begin(), changed.end(), [&](const std::string& c) {
      return path_of(c) == path_of(set) || path_of(c) == "system." + path_of(set);
    });
    if (!replaced) all.push_back(set);
  }
  return all;
}

}  // namespace

std::vector<CheckedGain> check_named(const ordered_json& stats, const Explanation& explanation,
                                     bool quiet) {
  if (stats.value("interrupted", false) || stats.contains("failure")) {
    throw InputError("--check: the run did not end, so that its time cannot be compared");
  }
  const std::size_t named = named_bottlenecks(explanation);
  if (named == 0) return {};
  const std::vector<std::string> arguments = command_of(stats);
  const auto values = run_arguments().parse(arguments);
  if (!values) throw InputError("--check: the command of the run has --help");
  if (values->count("manifest") != 0) {
    throw InputError(
        "--check does not run PTX files with --manifest: name the manifest in their "
        "place");
  }
  load_plugins(*values);
  const RunArguments run = read_run_options(*values, "run", arguments);
  const std::string platform = positional_argument(*values, 0);
  const std::string workload = positional_argument(*values, 1);
  const ResolvedConfig before = resolve_config(platform, run.sets);

  std::vector<CheckedGain> gains;
  std::vector<ResolvedConfig> configs = {before};
  for (std::size_t i = 0; i < named; ++i) {
    const Bottleneck& b = explanation.bottlenecks[i];
    if (b.resource.infinite.empty()) continue;
    CheckedGain gain;
    gain.resource = b.resource.name;
    gain.cycles = explanation.time.whole;
    gain.predicted_cycles = explanation.time.whole - b.saved;
    const std::vector<std::string> sets =
        with_experiment(run.sets, before.overrides, b.resource.infinite, gain.settings);
    // Both directions of a network have the same settings.
    const auto same = std::find_if(gains.begin(), gains.end(), [&](const CheckedGain& g) {
      return g.settings == gain.settings;
    });
    if (same != gains.end()) {
      same->resource += ", " + gain.resource;
      same->predicted_cycles = std::max(0.0, same->predicted_cycles - b.saved);
      continue;
    }
    try {
      configs.push_back(resolve_config(platform, sets));
    } catch (const InputError& e) {
      throw InputError("--check: the experiment for " + gain.resource + " is refused: " + e.what());
    }
    gains.push_back(std::move(gain));
  }
  if (gains.empty()) return {};
  std::vector<KeyedPoint> points_of_runs;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    points_of_runs.push_back(
        {{&configs[i], workload}, i == 0 ? "the run again" : gains[i - 1].resource});
  }
  LocalExecutor executor(1);
  StoredPoints points({&executor, nullptr, run.options, {"check", quiet}, [](ordered_json s) {
                         return ordered_json{{"cycles", s.at("cycles")}};
                       }});
  const std::vector<FinishedPoint> finished = points.results(points_of_runs);
  const auto cycles_of = [&](std::size_t i) {
    if (!finished[i].failure.empty()) throw RunError("--check: " + finished[i].failure);
    return finished[i].stats->at("cycles").get<double>();
  };
  if (cycles_of(0) != explanation.time.whole) {
    throw InputError(
        "--check: the run's command takes " + grouped(static_cast<std::uint64_t>(cycles_of(0))) +
        " cycles now: its platform, workload or Tessera has changed since; run it again");
  }
  for (std::size_t i = 0; i < gains.size(); ++i) gains[i].measured_cycles = cycles_of(i + 1);
  return gains;
}

std::vector<std::string> sentences(const std::vector<CheckedGain>& gains,
                                   const Explanation& explanation) {
  const auto cycles = [](double v) { return grouped(static_cast<std::uint64_t>(std::llround(v))); };
  if (named_bottlenecks(explanation) == 0) return {"Nothing to check: no resource is named."};
  std::vector<std::string> out;
  for (const CheckedGain& gain : gains) {
    std::string text = "Checked " + gain.resource + " with";
    for (const std::string& s : gain.settings) text += " --set " + s;
    const bool longer = gain.measured() < 0;
    out.push_back(text + ": " + cycles(gain.measured_cycles) + " cycles, " +
                  percent_text(std::abs(gain.measured())) + (longer ? " longer" : " shorter") +
                  " (predicted: " + cycles(gain.predicted_cycles) + " cycles, " +
                  percent_text(gain.predicted()) + ").");
  }
  const auto best = std::max_element(
      gains.begin(), gains.end(),
      [](const CheckedGain& a, const CheckedGain& b) { return a.measured() < b.measured(); });
  if (gains.size() > 1) {
    out.push_back(best->measured() > 0 ? "Measured, the largest gain is that of " + best->resource +
                                             ": " + percent_text(best->measured()) + "."
                                       : "Measured, none of these makes the run shorter.");
  }
  for (std::size_t i = 0; i < named_bottlenecks(explanation); ++i) {
    const Resource& r = explanation.bottlenecks[i].resource;
    if (r.infinite.empty()) out.push_back("Not checked: " + r.name + ". No settings remove it.");
  }
  return out;
}

ordered_json to_json(const std::vector<CheckedGain>& gains) {
  ordered_json all = ordered_json::array();
  for (const CheckedGain& gain : gains) {
    all.push_back({{"resource", gain.resource},
                   {"settings", gain.settings},
                   {"cycles", gain.cycles},
                   {"predicted_cycles", gain.predicted_cycles},
                   {"measured_cycles", gain.measured_cycles},
                   {"predicted_share", gain.predicted()},
                   {"measured_share", gain.measured()}});
  }
  return all;
}

}  // namespace tessera::app
