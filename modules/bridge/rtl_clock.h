// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "modules/bridge/clocked_part.h"
#include "modules/bridge/rtl_model.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/time.h"

namespace tessera {

/// Clocks a model and the parts at its pins, and stops the clock while all are quiet. The edges are
/// those of the clock's domain, so that the model's cycle n is the system's cycle n of that clock.
/// A stopped clock loses no edge at which something would change. The owner calls power_on() when
/// it has added all parts.
class RtlClock {
 public:
  /// `hertz`: 1 to 10^15. `model` and parts must outlive the clock.
  RtlClock(std::uint64_t hertz, RtlModel& model);

  /// Parts are called in the order in which they are added.
  void add(ClockedPart& part) { parts_.push_back(&part); }

  const ClockDomain& clock() const { return clock_; }
  /// The timer of the process that runs edges and collect(): for ports of the base protocol.
  ProcessTimer& timer() { return wake_; }
  /// Runs the edge at or after t, or collect() if the edge at t has run.
  void wake(Tick t) { wake_.at(clock_.after(t, 0)); }
  /// The first edge after t.
  Tick next_edge(Tick t) const { return clock_.after(t + 1, 0); }
  /// Number of edges that have been evaluated.
  std::uint64_t cycles() const { return cycles_; }

  /// Sets or clears the model's reset input at the next edge after now. Each change lasts for an
  /// edge at least.
  void set_reset(bool active);
  bool in_reset() const { return in_reset_; }

  /// Resets the model at once: `kResetCycles` edges outside of simulated time. For construction and
  /// Block::reset().
  void power_on();
  static constexpr unsigned kResetCycles = 4;

  /// The signals of the edges in [from, until) go to an FST file. Once; a model without waveforms
  /// is an SC_ERROR.
  void record_waves(const std::string& file, Tick from, Tick until);

 private:
  void process();
  void run_edge(Tick t);
  void begin_or_end_waves();
  bool quiet() const;

  const ClockDomain clock_;
  RtlModel& model_;
  std::vector<ClockedPart*> parts_;
  ProcessTimer wake_;
  Tick last_edge_ = kNever;
  std::uint64_t cycles_ = 0;
  std::string waves_;
  Tick waves_until_ = 0;
  Tick waves_change_ = kNever;  ///< waveforms begin or end at this time
  bool writes_waves_ = false;
  struct Change {
    bool active;
    Tick asked;
  };
  bool in_reset_ = false;
  std::deque<Change> changes_;
};

}  // namespace tessera
