// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reasons for waiting requests: the stall counters, queue times and busy times of stats.json, by
// level.

#include <optional>
#include <string>
#include <vector>

#include "app/report/blocks.h"
#include "app/report/share.h"
#include "common/json_fwd.h"
#include "common/wait_kind.h"

namespace tessera::app {

/// One reason to wait.
struct Wait {
  WaitKind kind;         ///< no default: each reason has one
  std::string level;     ///< "LLC", "NoC response", ...
  std::string queue;     ///< the queue of the waiting requests
  std::string resource;  ///< the resource that they waited for
  std::string settings;  ///< parameters that enlarge the resource; can be empty
  std::string amount{};  ///< count or time, as text
  Share share{};         ///< of "lookups", "issue slots", "the requests' time"
  /// Waiting time of an average memory request in excess of an idle system's, in L1 cycles; empty
  /// for reasons that are counted and not timed.
  std::optional<double> cycles_per_request{};
  HotSpots hot{};
};

struct Waits {
  /// Time of an average memory request, in L1 cycles; 0 without requests. Memory requests are the
  /// loads that miss in the L1s, and stores and atomics. Their time has two disjoint parts:
  /// translation (the latency of L2 TLB misses), and the way from the L1 and back. The second part
  /// is the latency of L1 misses, or the time that requests of all kinds spend in the blocks below
  /// the L1s if that is longer, because L1s do not time stores and atomics.
  double request_time = 0;
  std::vector<Wait> all;     ///< with an amount above 0, in the order of a request's route
  std::vector<Wait> nobody;  ///< reasons that the platform counts with an amount of 0
};

/// Waits of a stats.json document. Times of an idle system are computed from `config` with the
/// timing contracts of docs/blocks.
Waits waits_of(const nlohmann::ordered_json& stats);

/// The longest of the timed waits and the counted reason that explains it, as text. Both are empty
/// if there are no waits. A counted reason explains a wait of the same level if it is one of the
/// same queue, or the bandwidth of a link or bus that is busy for at least half of the time, or,
/// for a wait within a network, a full buffer; the one of the largest share, from a hundredth on.
struct TopWait {
  std::string where;
  std::string why;
  std::optional<WaitKind> kind{};  ///< of the reason
};
TopWait top_wait(const Waits& waits);

/// {"request_time", "top": {"where", "why", "kind"}, "all": [...], "nobody": [...]}, with keys
/// named like the members. "kind": name_of(WaitKind); null without waits.
nlohmann::ordered_json to_json(const Waits& waits);

}  // namespace tessera::app
