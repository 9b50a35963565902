// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "common/ids.h"
#include "modules/kernel/stats.h"
#include "modules/kernel/time.h"

namespace tessera {

/// Where a load's line was.
enum class LoadPath : std::uint8_t {
  kL1,    ///< in the L1, or on its way there
  kLlc,   ///< in a slice
  kDram,  ///< in memory
  kCount,
};
inline constexpr std::size_t kLoadPaths = static_cast<std::size_t>(LoadPath::kCount);
inline constexpr std::array<const char*, kLoadPaths> kLoadPathNames = {"l1", "llc", "dram"};

class StatisticsVisitor;
struct MemoryRequest;

/// Stages of a load's way, in its order.
enum class LoadStage : std::uint8_t {
  kTranslation,      ///< in the load/store unit: translation, and the L1's acceptance
  kL1Hit,            ///< in the L1, of hits and of loads that joined an outstanding miss
  kL1Miss,           ///< in the L1, of misses: lookup, MSHRs, and the queue to the network
  kRequestNetwork,   ///< to the home slice
  kLlc,              ///< in the slice
  kDram,             ///< from the slice to its channel and back
  kLlcReturn,        ///< in the slice after the channel
  kResponseNetwork,  ///< back to the SM
  kCount,
};
inline constexpr std::size_t kLoadStages = static_cast<std::size_t>(LoadStage::kCount);
/// Of statistics.
inline constexpr std::array<const char*, kLoadStages> kLoadStageNames = {
    "translation", "l1_hit", "l1_miss",    "request_network",
    "llc",         "dram",   "llc_return", "response_network"};

/// Time in which all warps of an SM waited for memory, by the stage of the load that ended the
/// wait.
struct MemoryStallStats {
  std::array<Tick, kLoadStages> by_stage{};
};

void describe(StatisticsVisitor& v, MemoryStallStats& s);

/// The waits of all warps of an SM for memory.
struct MemoryWaits {
  MemoryStallStats stats;
  /// Loads that ended a wait, by path and by their age at its begin: since the lookup in the L1, or
  /// of misses since they left it. Bucket 0: 0 cycles, bucket i: below 2^i cycles, the last: all
  /// older ones.
  static constexpr std::size_t kAges = 16;
  std::array<std::array<Counter, kAges>, kLoadPaths> ages{};
  std::array<std::array<Tick, kAges>, kLoadPaths>
      age_waits{};  ///< the waits of these loads, summed

  /// All warps wait for memory since then; kNever: they do not. Not part of sums and differences.
  Tick since = kNever;

  MemoryWaits& operator+=(const MemoryWaits& o);
  MemoryWaits operator-(const MemoryWaits& o) const;
};

/// Times at which a load entered its stages. A stage that it did not pass has the time of the next
/// one.
class LoadStageTimes {
 public:
  /// `sent`: to the L1. `request`: of the line that arrived last, at `arrived`.
  LoadStageTimes(Tick issued, Tick sent, const MemoryRequest& request, Tick arrived);

  /// Adds a wait from `begin` to the load's arrival. `clock`: of ages.
  void add_since(Tick begin, const ClockDomain& clock, MemoryWaits& waits) const;

 private:
  LoadPath path_;
  std::array<Tick, kLoadStages + 1> entered_;  ///< ascending; last the arrival
};

/// Keeps the stages of the first load that completes after arm().
struct FirstLoad {
  bool armed = false;
  std::optional<LoadStageTimes> stages;
  std::uint32_t pc = 0;  ///< of the load
  LaunchSlot launch;

  void arm() {
    stages.reset();
    armed = true;
  }
  void completed(const LoadStageTimes& of_load, std::uint32_t at, LaunchSlot of) {
    stages = of_load;
    pc = at;
    launch = of;
    armed = false;
  }
};

}  // namespace tessera
