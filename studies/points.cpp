// SPDX-License-Identifier: Apache-2.0
#include "studies/points.h"

#include <algorithm>
#include <set>

#include "common/error.h"
#include "common/json.h"
#include "common/sha256.h"
#include "platforms/plugin_loader.h"
#include "platforms/unused_parameters.h"
#include "stimuli/workload_name.h"
#include "studies/evaluator.h"
#include "studies/model_version.h"

namespace tessera::studies {

using nlohmann::ordered_json;

namespace {

std::set<Reading> readings_of(const Figure& f) {
  std::set<Reading> all;
  const auto add = [&all](const Expression& e, const Selection& workloads) {
    if (e) collect_readings(e, workloads, all);
  };
  for (const Series& s : f.series) {
    add(s.each, f.workloads);
    // A mean can use workloads that the figure does not show.
    for (const Mean& m : f.means) add(s.each, m.workloads);
    for (const SeriesPoint& p : s.points) {
      add(p.x, f.workloads);
      add(p.y, f.workloads);
    }
  }
  for (const Measurement& m : f.claims) {
    add(m.each, m.workloads);
    add(m.measured, m.workloads);
    for (const auto& [key, e] : m.parts) add(e, m.workloads);
    for (const auto& [key, e] : m.points) add(e, m.workloads);
    for (const Check& c : m.checks) add(c.condition, m.workloads);
  }
  return all;
}

/// The resolved configuration without plugins (identified by their contents) and without parameters
/// that change nothing on its platform, so that a changed default concerns only points that use it.
ordered_json used_config(const ResolvedConfig& config) {
  ordered_json used = config.to_json();
  used.erase("plugins");
  // Points of one design follow one another.
  thread_local std::string last_text;
  thread_local KeptJson<ordered_json> last;
  std::string text = used.dump();
  if (text == last_text) return *last;
  std::vector<std::string> paths;
  for (const ListedParameter& p : config.parameters()) paths.push_back(p.info.name);
  for (const UnusedParameter& u : unused_parameters(config.gpu, paths)) {
    std::string pointer = "/" + u.path;
    std::replace(pointer.begin(), pointer.end(), '.', '/');
    const ordered_json::json_pointer where(pointer);
    if (used.contains(where)) used.at(where.parent_pointer()).erase(where.back());
  }
  last_text = std::move(text);
  *last = used;
  return used;
}

}  // namespace

std::string point_key(const PointIdentity& p) {
  // Keys in a fixed order, without names of machines or folders.
  ordered_json document = {{"config", *p.config},    {"workload", p.suite_workload},
                           {"files", p.file_hashes}, {"scale", static_cast<int>(p.scale)},
                           {"seed", p.seed},         {"values", static_cast<int>(p.values)},
                           {"model", p.model}};
  if (p.window) document["window"] = {p.window->skip, p.window->detail, p.window->rest};
  return sha256(document.dump());
}

std::vector<std::string> workload_hashes(const std::string& workload) {
  make_workload(workload);
  std::vector<std::string> hashes;
  for (const std::string& file : workload_files(workload)) hashes.push_back(sha256_of_file(file));
  return hashes;
}

PointIdentity identity_of(const ResolvedConfig& config, const std::string& workload,
                          std::vector<std::string> file_hashes, const RunOptions& options) {
  PointIdentity identity;
  identity.config = used_config(config);
  const std::vector<std::string> suite = all_workload_names();
  const std::string name = parse_workload_name(workload).name;
  const bool in_suite = std::find(suite.begin(), suite.end(), name) != suite.end();
  identity.suite_workload = in_suite ? workload : workload.substr(name.size());
  identity.file_hashes = std::move(file_hashes);
  for (const LoadedPlugin& p : loaded_plugins()) identity.file_hashes.push_back(p.sha256);
  identity.scale = options.scale;
  identity.seed = options.seed;
  identity.values = options.values;
  identity.window = options.window;
  identity.model = model_version();
  return identity;
}

StudyPlan plan_points(const Study& study, const std::vector<std::size_t>& figures,
                      const RunOptions& options) {
  std::set<std::pair<std::size_t, std::size_t>> needed;
  for (const std::size_t f : figures) {
    for (const Reading& r : readings_of(study.figures[f])) {
      if (study.workloads[r.workload].exists) needed.emplace(r.workload, r.platform);
    }
  }
  StudyPlan plan;
  std::map<std::size_t, std::vector<std::string>> file_hashes;
  for (const auto& [w, p] : needed) {
    const StudyWorkload& workload = study.workloads[w];
    const StudyPlatform& platform = study.platforms[p];
    if (file_hashes.count(w) == 0) file_hashes[w] = workload_hashes(workload.at(options.scale));
    if (plan.configs.count(p) == 0) {
      try {
        plan.configs.emplace(p, resolve_config(platform.preset.at(options.scale),
                                               platform.sets.count(options.scale) == 0
                                                   ? std::vector<std::string>{}
                                                   : platform.sets.at(options.scale)));
      } catch (const InputError& e) {
        throw InputError(platform.origin + ": " + e.what());
      }
    }
    plan.points.push_back({p, w,
                           point_key(identity_of(plan.configs.at(p), workload.at(options.scale),
                                                 file_hashes[w], options))});
  }
  return plan;
}

ordered_json kept_statistics(ordered_json stats) {
  stats.erase("modules");
  stats.erase("dictionary");
  stats.erase("host");
  return stats;
}

}  // namespace tessera::studies
