// SPDX-License-Identifier: Apache-2.0
#include "app/explain/run_reader.h"

#include <algorithm>
#include <cmath>

#include "app/report/blocks.h"
#include "common/json.h"
#include "common/text.h"

namespace tessera::app {
namespace {

/// Of a clock, where latencies have as many more cycles.
constexpr double kFaster = 8;
/// Cycles of a latency that every group's parameters allow; of a channel's timing ("t_rc").
constexpr double kMostCycles = 10'000;
constexpr double kMostTiming = 100'000;
constexpr double kMostHertz = 1e11;

std::string whole(double v) { return std::to_string(std::llround(v)); }

}  // namespace

double RunReader::cycles() const { return stats_.at("cycles").get<double>(); }

double RunReader::own_setting(const std::string& block, const std::string& group,
                              const char* name) const {
  const auto settings = stats_.find("settings");
  const std::string path = "system." + block + "." + name;
  if (settings != stats_.end() && settings->contains(path)) {
    return settings->at(path).get<double>();
  }
  return setting(group, name);
}

std::string policies_for_near_lines(const RunReader& r) {
  const auto policy = [&](const char* name) {
    const nlohmann::ordered_json::json_pointer path(std::string("/config/system/") + name);
    return r.stats().value(path, "");
  };
  std::string text;
  if (policy("page_placement") != "lab") {
    text += "; placement near the SM that reads (system.page_placement lab)";
  }
  const std::string caching = policy("remote_caching");
  // Slices that can cache other partitions' lines are behind links of their own.
  const bool caches_others = !Blocks(r.stats(), "p2p").empty();
  if (caches_others && caching != "mdr" && caching != "full-replication") {
    text += "; copies of read-only lines (system.remote_caching mdr, full-replication)";
  }
  return text;
}

std::string parameters_of(const std::string& group) {
  std::string path = group + ".";
  std::replace(path.begin(), path.end(), '/', '.');
  return path;
}

Settings faster(const RunReader& r, const std::string& group,
                const std::vector<const char*>& latencies) {
  double times = std::min(kFaster, std::floor(kMostHertz / r.setting(group, "clock_hz")));
  for (const char* name : latencies) {
    const double most = begins_with(name, "t_") ? kMostTiming : kMostCycles;
    times = std::min(times, std::floor(most / std::max(1.0, r.setting(group, name))));
  }
  times = std::max(1.0, times);
  const std::string path = parameters_of(group);
  Settings settings = {{path + "clock_hz", whole(times * r.setting(group, "clock_hz"))}};
  for (const char* name : latencies) {
    settings.emplace_back(path + name, whole(times * r.setting(group, name)));
  }
  return settings;
}

void raise(const RunReader& r, const std::string& group, const char* name, double least,
           Settings& settings) {
  settings.emplace_back(parameters_of(group) + name,
                        whole(std::max(least, r.setting(group, name))));
}

}  // namespace tessera::app
