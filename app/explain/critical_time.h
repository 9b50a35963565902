// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/json_fwd.h"

namespace tessera::app {

/// Stages of a load (LoadStage), in its order.
inline constexpr const char* kMemoryStages[] = {
    "translation", "l1_hit", "l1_miss",    "request_network",
    "llc",         "dram",   "llc_return", "response_network"};

/// The time of a run by the reasons of its critical SMs: "critical_path" of stats.json, summed over
/// kernels. All times in SM cycles; `whole` is their sum.
struct CriticalTime {
  double whole = 0;
  double ns_per_cycle = 1;  ///< of the SMs' clock
  double issued = 0;        ///< instructions were issued
  double structural = 0;    ///< ready warps waited for a unit
  double dependency = 0;    ///< for results of fixed latency
  double barrier = 0;
  double idle = 0;        ///< the critical SM had no warp
  double outside = 0;     ///< no kernel ran
  bool coherent = false;  ///< stage "llc" is a coherent L2, and "dram" all that is behind it
  /// For memory, by the stage of the load that ended the wait (LoadStage).
  std::map<std::string, double> memory;
  /// Loads that ended a wait: path (LoadPath) -> by age at its begin (MemoryWaits::ages).
  std::map<std::string, std::vector<double>> ages;
  std::map<std::string, std::vector<double>> age_waits;  ///< the waits of these loads
};

/// Throws InputError if the run has no critical path: it ended before its first kernel, or it is of
/// several threads, or of an older Tessera; or if its kernels have more cycles than the run.
CriticalTime critical_time_of(const nlohmann::ordered_json& stats);
/// Whether critical_time_of() has what it needs.
bool has_critical_time(const nlohmann::ordered_json& stats);

/// Of the loads that ended a wait, the part that has no contention: each that is younger than its
/// path's latency without contention ends its wait when this latency has passed.
/// `stage_latency`: path -> stage -> cycles without contention. Returns cycles by stage.
std::map<std::string, double> exposed_latency(
    const CriticalTime& time,
    const std::map<std::string, std::map<std::string, double>>& stage_latency);

}  // namespace tessera::app
