// SPDX-License-Identifier: Apache-2.0
#include "platforms/run_observers.h"

#include <systemc>
#include <utility>

#include "common/json.h"
#include "modules/host/cta_dispatcher.h"
#include "modules/kernel/sc_time.h"
#include "platforms/system.h"
#include "platforms/timeline/system_timeline.h"

namespace tessera {

using nlohmann::ordered_json;

RunObservers::RunObservers(System& system, const Allocations& allocations,
                           const StatisticsRegistry& registry, const ClockDomain& sm_clock,
                           bool one_domain)
    : system_(system),
      allocations_(allocations),
      registry_(registry),
      clock_(sm_clock),
      records_(sm_clock) {
  if (one_domain) critical_path_.emplace(system.sms(), sm_clock);
  records_.count(system.levels(),
                 [&system](LaunchSlot launch) { return system.sms().take_instructions(launch); });
}

SystemTimeline* RunObservers::timeline() { return system_.timeline(); }

void RunObservers::start(const RunOptions& options, bool whole) {
  if (timeline() != nullptr) timeline()->start(registry_);
  if (options.series_interval_ns != 0) {
    // An SM without resident warps can sleep up to the run's end, which leaves its last idle slots
    // uncounted. An SM with resident warps counts all slots before they end, in this way or later.
    series_.emplace(registry_, options.series_interval_ns * kTicksPerNs, [this] {
      for (const SmHandle* sm : system_.sms().each()) {
        if (sm->settle_statistics && sm->resident_warps() != 0) sm->settle_statistics();
      }
      system_.dispatcher().settle_statistics();
    });
    if (whole) series_->begin();
  }
  if (options.profile) profile_.emplace(system_.profiled(allocations_, clock_));
}

void RunObservers::kernel_started(const StartedLaunch& launch, const KernelProgram& program) {
  records_.start(launch, program);
  if (profile_) profile_->start_kernel(launch.slot, program);
  if (critical_path_) critical_path_->kernel_started(program.name(), launch.ready_at);
  if (timeline() != nullptr) timeline()->start_kernel(launch, program.name());
}

void RunObservers::kernel_begins(LaunchId launch) {
  records_.begin(launch);
  if (timeline() != nullptr) timeline()->begin_kernel(launch, now());
}

void RunObservers::kernel_ended(LaunchId launch, Tick first_cta_at) {
  records_.end(launch, first_cta_at);
  if (critical_path_) critical_path_->kernel_ended();
  if (timeline() != nullptr) timeline()->end_kernel(launch, now());
}

void RunObservers::begin_window() {
  records_.begin_window();
  if (critical_path_) critical_path_->begin_window();
  if (series_) series_->begin();
  if (profile_) profile_->clear();
}

void RunObservers::end() {
  records_.end_all();
  if (critical_path_) critical_path_->end_all();
  if (series_) series_->end();
  if (timeline() != nullptr) timeline()->finish(now());
  system_.finish_traffic(now());
}

void RunObservers::run_systemc(Tick until) {
  if (series_) return series_->run(until);
  if (until == kNever) return sc_core::sc_start();
  sc_core::sc_start(to_sc_time(until - now()));
}

RunObservers::Sections RunObservers::sections() {
  Sections all;
  records_.collect();
  *all.kernels = records_.to_json();
  *all.outside_kernels = records_.outside_json();
  if (critical_path_) *all.critical_path = critical_path_->to_json();
  if (profile_) *all.profile = profile_->to_json();
  return all;
}

ordered_json RunObservers::series() const {
  return series_ && series_->ended() ? series_->to_json() : ordered_json();
}

}  // namespace tessera
