// SPDX-License-Identifier: Apache-2.0
#include "app/explain/critical_time.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "common/error.h"
#include "common/json.h"

namespace tessera::app {

using nlohmann::ordered_json;

namespace {

void add_by_path(const ordered_json& by_path, double factor,
                 std::map<std::string, std::vector<double>>& sums) {
  for (const auto& [path, values] : by_path.items()) {
    std::vector<double>& sum = sums[path];
    sum.resize(std::max(sum.size(), values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) sum[i] += factor * values[i].get<double>();
  }
}

}  // namespace

bool has_critical_time(const ordered_json& stats) {
  return stats.contains("critical_path") && stats["critical_path"].is_array() &&
         !stats["critical_path"].empty() && stats["critical_path"][0].contains("wait_age_cycles") &&
         stats.contains("cycles") && stats["cycles"].get<double>() > 0;
}

CriticalTime critical_time_of(const ordered_json& stats) {
  if (!has_critical_time(stats)) {
    throw InputError(
        "the run has no critical path: no kernel ran, or it had several threads (--threads), or "
        "an older Tessera wrote it");
  }
  CriticalTime t;
  t.whole = stats["cycles"].get<double>();
  if (stats.contains("time_ns")) t.ns_per_cycle = stats["time_ns"].get<double>() / t.whole;
  t.outside = t.whole;
  for (const ordered_json& part : stats["critical_path"]) {
    const ordered_json& slots = part.at("issue_slots");
    double all = 0;
    for (const auto& [name, n] : slots.items()) all += n.get<double>();
    if (all <= 0) continue;
    const double cycles = part.at("cycles").get<double>();
    t.outside -= cycles;
    const auto share = [&](const char* name) {
      return cycles * slots.at(name).get<double>() / all;
    };
    t.issued += share("issued");
    t.structural += share("structural");
    t.dependency += share("dependency");
    t.barrier += share("barrier");
    t.idle += share("idle");
    const ordered_json& stages = part.at("memory_stall_cycles");
    double stalled = 0;
    for (const auto& [stage, c] : stages.items()) stalled += c.get<double>();
    // Slots are of one scheduler, stalls of the whole SM: the stages give the proportions.
    const double of_slots = stalled > 0 ? share("memory") / stalled : 0;
    for (const auto& [stage, c] : stages.items()) t.memory[stage] += of_slots * c.get<double>();
    if (stalled <= 0) t.memory["l1_hit"] += share("memory");
    add_by_path(part.at("wait_ages"), 1, t.ages);
    add_by_path(part.at("wait_age_cycles"), of_slots, t.age_waits);
  }
  // Windows cut kernels.
  constexpr double kRounded = 0.01;
  if (t.outside < -kRounded * t.whole - 1) {
    throw InputError("the kernels of the critical path have more cycles than the run");
  }
  t.outside = std::max(0.0, t.outside);
  return t;
}

std::map<std::string, double> exposed_latency(
    const CriticalTime& time,
    const std::map<std::string, std::map<std::string, double>>& stage_latency) {
  std::map<std::string, double> exposed;
  for (const auto& [path, stages] : stage_latency) {
    const auto ages = time.ages.find(path);
    const auto waits = time.age_waits.find(path);
    double latency = 0;
    for (const auto& [stage, cycles] : stages) latency += cycles;
    if (ages == time.ages.end() || waits == time.age_waits.end() || latency <= 0) continue;
    for (std::size_t i = 0; i < ages->second.size(); ++i) {
      if (ages->second[i] <= 0 || i >= waits->second.size()) continue;
      const double wait = waits->second[i];
      // The middle of the bucket.
      const double age = i == 0 ? 0 : 0.75 * std::exp2(static_cast<double>(i));
      // The rest of its way are the last stages.
      double rest = std::min(latency - age, wait / ages->second[i]);
      for (auto stage = std::rbegin(kMemoryStages); stage != std::rend(kMemoryStages); ++stage) {
        const auto own = stages.find(*stage);
        if (own == stages.end()) continue;
        exposed[*stage] += ages->second[i] * std::clamp(rest, 0.0, own->second);
        rest -= own->second;
      }
    }
  }
  return exposed;
}

}  // namespace tessera::app
