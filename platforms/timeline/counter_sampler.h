// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "modules/kernel/stats.h"
#include "modules/kernel/time.h"
#include "modules/plan/plan.h"
#include "platforms/timeline/event_trace.h"

namespace tessera {

/// Reads statistics once an interval of simulated time, and records how they have changed:
/// * bandwidth: each statistic in bytes, in GB/s (bytes per nanosecond), so that the integral of
///   the counter over the run is the statistic, except those of single ports of a network;
/// * hit rates: of blocks that count hits and misses, in percent, of intervals with accesses;
/// * requests in flight at a block.
/// A value holds from the begin of an interval, and is written if it differs from the one before.
class CounterSampler final : public sc_core::sc_module {
 public:
  /// `in_flight`: by block. The references must outlive it.
  CounterSampler(const sc_core::sc_module_name& name, EventTrace& trace, const PlatformPlan& plan,
                 const std::vector<std::int64_t>& in_flight);

  /// Once, before simulated time runs, when all statistics are registered.
  void start(const StatisticsRegistry& registry);
  /// Records the part of an interval that is left. There are no more samples.
  void finish(Tick at);

 private:
  struct Delta {
    std::string path;  ///< of the statistic
    double before = 0;
    /// The change since the last call. After the begin of a window, counts begin at 0 again.
    double take(const StatisticsRegistry& registry);
  };
  struct Track {
    std::uint64_t track = 0;
    double written = 0;
  };
  struct Bandwidth : Track {
    Delta bytes;
  };
  struct HitRate : Track {
    Delta hits;
    std::vector<Delta> accesses;  ///< summed
  };
  struct InFlight : Track {
    PlannedBlockId block = 0;
  };

  void add(std::uint64_t track, const StatisticsRegistry& registry, const StatisticInfo& info);
  void process();
  void sample(Tick until);
  void write(Track& track, double value, Tick at);

  EventTrace& trace_;
  const PlatformPlan& plan_;
  const std::vector<std::int64_t>& in_flight_;
  const StatisticsRegistry* registry_ = nullptr;  ///< between start() and finish()
  std::vector<Bandwidth> bandwidths_;
  std::vector<HitRate> hit_rates_;
  std::vector<InFlight> occupancies_;
  Tick since_ = 0;  ///< begin of the interval
  sc_core::sc_event wake_;
};

}  // namespace tessera
