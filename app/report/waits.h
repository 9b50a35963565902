// SPDX-License-Identifier: Apache-2.0
#pragma once

// Why requests waited: the stall counters, queue times and busy times of stats.json, level by
// level.

#include <optional>
#include <string>
#include <vector>

#include "app/report/blocks.h"
#include "common/json.h"

namespace tessera::app {

/// One reason to wait.
struct Wait {
  std::string level;     ///< "LLC", "NoC reply", ...
  std::string queue;     ///< where requests stood
  std::string resource;  ///< what they waited for
  std::string settings;  ///< parameters that give more of it; may be empty
  std::string amount{};  ///< how often or how long, in words
  double share = 0;      ///< 0 to 1, of `of`
  std::string of{};      ///< "lookups", "issue slots", "an L1 miss's latency"
  /// Time that an average L1 miss waited here beyond what an idle system would take, in L1 cycles;
  /// reasons without it are counted, not timed.
  std::optional<double> cycles_per_miss{};
  HotSpots hot{};
};

struct Waits {
  double miss_latency = 0;   ///< of an average L1 miss, in L1 cycles; 0: there was none
  std::vector<Wait> all;     ///< with an amount above 0, in the order of a request's way
  std::vector<Wait> nobody;  ///< reasons that the platform counts, and that nothing waited for
};

/// Of a stats.json document. Times in an idle system are those of docs/blocks, from `config`.
Waits waits_of(const nlohmann::ordered_json& stats);

/// The longest of the timed waits, and the commonest reason at its level, in words. Both are empty
/// where nothing waited.
struct TopWait {
  std::string where;
  std::string why;
};
TopWait top_wait(const Waits& waits);

/// {"miss_latency", "top": {"where", "why"}, "all": [...], "nobody": [...]}, the members by their
/// names.
nlohmann::ordered_json to_json(const Waits& waits);

}  // namespace tessera::app
