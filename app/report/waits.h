// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reasons for waiting requests: the stall counters, queue times and busy times of stats.json, by
// level.

#include <optional>
#include <string>
#include <vector>

#include "app/report/blocks.h"
#include "common/json.h"

namespace tessera::app {

/// One reason to wait.
struct Wait {
  std::string level;     ///< "LLC", "NoC response", ...
  std::string queue;     ///< the queue of the waiting requests
  std::string resource;  ///< the resource that they waited for
  std::string settings;  ///< parameters that enlarge the resource; can be empty
  std::string amount{};  ///< count or time, as text
  double share = 0;      ///< 0 to 1, of `of`
  std::string of{};      ///< "lookups", "issue slots", "an L1 miss's latency"
  /// Waiting time of an average L1 miss in excess of an idle system's, in L1 cycles; empty for
  /// reasons that are counted and not timed.
  std::optional<double> cycles_per_miss{};
  HotSpots hot{};
};

struct Waits {
  double miss_latency = 0;   ///< of an average L1 miss, in L1 cycles; 0 without misses
  std::vector<Wait> all;     ///< with an amount above 0, in the order of a request's route
  std::vector<Wait> nobody;  ///< reasons that the platform counts with an amount of 0
};

/// Waits of a stats.json document. Times of an idle system are computed from `config` with the
/// timing contracts of docs/blocks.
Waits waits_of(const nlohmann::ordered_json& stats);

/// The longest of the timed waits and the most frequent reason at its level, as text. Both are
/// empty if there are no waits.
struct TopWait {
  std::string where;
  std::string why;
};
TopWait top_wait(const Waits& waits);

/// {"miss_latency", "top": {"where", "why"}, "all": [...], "nobody": [...]}, with keys named like
/// the members.
nlohmann::ordered_json to_json(const Waits& waits);

}  // namespace tessera::app
