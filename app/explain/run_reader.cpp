// SPDX-License-Identifier: Apache-2.0
#include "app/explain/run_reader.h"

#include <algorithm>
#include <cmath>

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

std::string policy(const RunReader& r, const char* name) {
  const nlohmann::ordered_json::json_pointer path(std::string("/config/system/") + name);
  return r.stats().value(path, "");
}

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
  std::string text;
  // Other maps choose the channel by the address within a page.
  if (policy(r, "address_map") == "fixed-channel" && policy(r, "page_placement") != "lab") {
    text += "; placement near the SM that reads (system.page_placement lab)";
  }
  const std::string caching = policy(r, "remote_caching");
  // Slices that can cache other partitions' lines are behind links of their own.
  const bool caches_others = !r.blocks("p2p").empty();
  if (caches_others && caching != "mdr" && caching != "full-replication") {
    text += "; copies of read-only lines (system.remote_caching mdr, full-replication)";
  }
  return text;
}

std::string map_that_spreads(const RunReader& r) {
  const double channels = r.setting("system", "channels");
  const bool power_of_two = channels > 0 && std::exp2(std::round(std::log2(channels))) == channels;
  // A GPU's memory is one range of addresses, and a host's takes turns.
  const bool one_memory = r.setting("system", "gpus") == 1 && !r.blocks("llc").empty();
  return one_memory && power_of_two && policy(r, "address_map") != "pae"
             ? "; an address map that spreads lines over channels (system.address_map pae)"
             : "";
}

std::string policies_between_gpus(const RunReader& r) {
  std::string transfers;
  for (const char* name : {"coalesced", "fine-grained", "decision-engine"}) {
    if (policy(r, "transfer") == name) continue;
    transfers += (transfers.empty() ? "" : ", ") + std::string(name);
  }
  return "; system.transfer (" + transfers + "), system.page_placement, migration.policy";
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
