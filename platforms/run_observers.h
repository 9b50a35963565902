// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "common/json_fwd.h"
#include "common/kept_json.h"
#include "platforms/critical_path.h"
#include "platforms/kernel_records.h"
#include "platforms/profile/access_profile.h"
#include "platforms/series_recorder.h"
#include "platforms/simulation.h"

namespace tessera {

class Allocations;
class System;
class SystemTimeline;

/// What observes a run: the records of its kernels, the critical path (of platforms with one
/// domain), and, if they are asked for, statistics over time, the profile and the time line. All
/// but the last write a section of stats.json.
class RunObservers {
 public:
  /// The arguments must outlive it. `one_domain`: kernels end at one time on all SMs.
  RunObservers(System& system, const Allocations& allocations, const StatisticsRegistry& registry,
               const ClockDomain& sm_clock, bool one_domain);

  KernelRecords& kernels() { return records_; }
  const KernelRecords& kernels() const { return records_; }

  /// When all statistics are registered. `whole`: the run is measured from its begin on.
  void start(const RunOptions& options, bool whole);
  void kernel_started(const StartedLaunch& launch, const KernelProgram& program);
  /// The kernel has waited for other kernels.
  void kernel_begins(LaunchId launch);
  void kernel_ended(LaunchId launch, Tick first_cta_at);
  /// What was counted before now does not count.
  void begin_window();
  /// What is measured ends now: at the window's end, or at the run's. Completes the files of the
  /// time line and of recorded traffic. Once.
  void end();

  /// Executes SystemC activity up to a time (kNever: any), or up to a sample of the series before
  /// it.
  void run_systemc(Tick until);

  /// Sections of stats.json that are of the measured part; null where there is none.
  struct Sections {
    KeptJson<nlohmann::ordered_json> kernels;
    KeptJson<nlohmann::ordered_json> outside_kernels;
    KeptJson<nlohmann::ordered_json> critical_path;
    KeptJson<nlohmann::ordered_json> profile;
  };
  Sections sections();
  /// The section "series"; null without one.
  nlohmann::ordered_json series() const;

 private:
  SystemTimeline* timeline();  ///< null: not asked for

  System& system_;
  const Allocations& allocations_;
  const StatisticsRegistry& registry_;
  const ClockDomain& clock_;
  KernelRecords records_;
  std::optional<CriticalPath> critical_path_;
  std::optional<SeriesRecorder> series_;
  std::optional<AccessProfile> profile_;
};

}  // namespace tessera
