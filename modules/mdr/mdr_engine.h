// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>
#include <utility>
#include <vector>

#include "modules/kernel/block_base.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/time.h"
#include "modules/llc/slice_observer.h"
#include "modules/mdr/mdr_config.h"
#include "modules/mdr/mdr_engine_site.h"
#include "modules/mdr/set_sampler.h"
#include "modules/protocol/event_observer.h"
#include "modules/protocol/flush.h"
#include "policies/mdr_model.h"
#include "policies/remote_caching.h"

namespace tessera {

struct MdrSite;

struct MdrStats {
  Counter epochs = 0;
  Counter epochs_undecided = 0;
  Counter decisions_replicate = 0;
  Counter decisions_no_replication = 0;
  Counter switches = 0;
  /// Over all epochs that have ended.
  SampleCounts sampled;
};

void describe(StatisticsVisitor& v, MdrStats& s);

/// Model-driven replication (NUBA section 5.1): decides, for the whole GPU and once an epoch,
/// whether read-only lines of other partitions are cached in the requester's slice. In a multi-GPU
/// system, each GPU has an engine that decides for that GPU's lines.
///
/// Samples a few sets of one slice. At the end of an epoch it estimates the bandwidths without and
/// with full replication from the samples, and selects the policy with the higher estimate. Equal
/// estimates select no replication, which is also the initial state. No hysteresis.
///
/// Timing: epochs are cycles [n epoch, (n + 1) epoch) of the clock. The switch changes
/// `evaluation_cycles` after an epoch's end: every process that reads it at that edge gets the new
/// decision, independently of the order of processes. An epoch without an access to a sampled set
/// costs no process activation, is not counted, and changes nothing. An epoch whose accesses leave
/// an input of the model undefined (no access of the slice's own SMs, or none that a policy looks
/// up) is counted and changes nothing.
///
/// With MdrConfig::transient_costs, an epoch without replication begins with no copy in the tags of
/// full replication, and BW_FullRep is multiplied by e / (e + n f): epoch e, kernel ends n, cycles
/// f in which a flush walks a slice.
///
/// Phases: none, the block has no sockets; the slice calls on_access().
/// Not modelled: the fixed-point units' rounding, the false hits of 24-bit tags, distribution of
/// the decision over the chip.
class MdrEngine final : public BlockBase<MdrConfig, MdrStats, MdrSite>,
                        public SliceObserver,
                        public SliceFlushIf,
                        public ObservedIf {
 public:
  /// Result of the engine's model for an epoch.
  struct Estimate {
    double fraction_local = 0;
    double hit_rate_no_replication = 0;
    double hit_rate_full_replication = 0;
    double bandwidth_no_replication = 0;  ///< bytes per second, as the raw bandwidths
    double bandwidth_full_replication = 0;
    bool replicate() const { return bandwidth_full_replication > bandwidth_no_replication; }
  };

  /// `slice`: shape of the sampled slice; its sampled_sets is taken from the configuration.
  /// `decision` must outlive the engine.
  MdrEngine(const sc_core::sc_module_name& name, const MdrConfig& config, SetSampler::Shape slice,
            const MdrBandwidths& raw, ReplicationSwitch& decision);
  MdrEngine(const sc_core::sc_module_name& name, const MdrConfig& config, SetSampler::Shape slice,
            const MdrBandwidths& raw, ReplicationSwitch& decision, const MdrEngineSite& site);

  /// Estimate of the last epoch with a decision.
  const Estimate& last_estimate() const { return last_; }
  bool observes(SliceId slice) const override {
    return slice.value == site_.slices.first.value + config_.sampled_slice;
  }
  /// Cycles for which the switch has been on.
  std::uint64_t replicated_cycles() const;

  void on_access(const ObservedAccess& access) override;

  /// To be called at kernel ends: invalidates the sampled tags of flushed slices at once.
  void flush(LaunchSlot launch, std::function<void()> done) override;
  /// Slices hold copies only while the switch is on. With transient costs, the engine also counts
  /// the flushes that full replication would need.
  bool needs_flush() const override { return switch_.on() || config_.transient_costs; }

  /// Epochs with their decision.
  void observe_events(EventObserver& observer) override { observer_ = &observer; }

  /// Always idle, because no block waits for the end of an epoch.
  bool idle() const override { return true; }
  void describe_waiting(std::vector<Waiting>&) const override {}
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  void process();
  void begin_epoch(Tick t);
  void end_epoch();
  void decide(const SampleCounts& seen, double share, Tick end);
  void report_epoch(bool decided, Tick end) const;
  void apply_switch();
  /// Share of the time in which an epoch with flushes does other work than flushing.
  double share_between_flushes() const;

  const ClockDomain clock_;
  const MdrBandwidths raw_;
  ReplicationSwitch& switch_;
  const MdrEngineSite site_;
  SetSampler sampler_;
  const std::uint64_t flush_cycles_;  ///< a slice walks one way a cycle
  std::uint64_t epoch_flushes_ = 0;   ///< kernel ends since the last epoch with a sampled access

  Tick epoch_end_ = kNever;    ///< kNever: no sampled access in the present epoch
  Tick switches_at_ = kNever;  ///< the edge at which the switch changes
  Tick on_since_ = 0;
  std::uint64_t replicated_cycles_ = 0;  ///< up to on_since_
  Estimate last_;
  EventObserver* observer_ = nullptr;

  ProcessTimer wake_;
};

}  // namespace tessera
