// SPDX-License-Identifier: Apache-2.0
#include "app/explain/critical_time.h"

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "common/json.h"

namespace tessera::app {

using nlohmann::ordered_json;

bool has_critical_time(const ordered_json& stats) {
  return stats.contains("critical_path") && stats["critical_path"].is_array() &&
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
    for (const auto& [stage, c] : stages.items()) {
      t.memory[stage] += stalled > 0 ? share("memory") * c.get<double>() / stalled : 0;
    }
    if (stalled <= 0) t.memory["l1_hit"] += share("memory");
    for (const auto& [path, ages] : part.at("wait_ages").items()) {
      std::vector<double>& sum = t.ages[path];
      sum.resize(std::max(sum.size(), ages.size()));
      for (std::size_t i = 0; i < ages.size(); ++i) sum[i] += ages[i].get<double>();
    }
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
    double latency = 0;
    for (const auto& [stage, cycles] : stages) latency += cycles;
    if (ages == time.ages.end() || latency <= 0) continue;
    double cycles = 0;
    for (std::size_t i = 0; i < ages->second.size(); ++i) {
      // The middle of the bucket.
      const double age = i == 0 ? 0 : 0.75 * std::exp2(static_cast<double>(i));
      cycles += ages->second[i] * std::max(0.0, latency - age);
    }
    for (const auto& [stage, own] : stages) exposed[stage] += cycles * own / latency;
  }
  return exposed;
}

}  // namespace tessera::app
