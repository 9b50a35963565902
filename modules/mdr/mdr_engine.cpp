// SPDX-License-Identifier: Apache-2.0
#include "modules/mdr/mdr_engine.h"

#include <algorithm>

#include "modules/kernel/statistics_visitor.h"
#include "modules/protocol/memory_request.h"

namespace tessera {

namespace {

SetSampler::Shape sampled(SetSampler::Shape slice, const MdrConfig& config) {
  slice.sampled_sets = config.sampled_sets;
  return slice;
}

void add(SampledHits& to, const SampledHits& more) {
  to.lookups += more.lookups;
  to.hits += more.hits;
}

void add(SampleCounts& to, const SampleCounts& more) {
  to.local += more.local;
  to.leaving += more.leaving;
  to.arriving += more.arriving;
  add(to.no_replication, more.no_replication);
  add(to.full_replication, more.full_replication);
}

}  // namespace

MdrEngine::MdrEngine(const sc_core::sc_module_name& name, const MdrConfig& config,
                     SetSampler::Shape slice, const MdrBandwidths& raw, ReplicationSwitch& decision)
    : MdrEngine(name, config, slice, raw, decision, MdrEngineSite{}) {}

MdrEngine::MdrEngine(const sc_core::sc_module_name& name, const MdrConfig& config,
                     SetSampler::Shape slice, const MdrBandwidths& raw, ReplicationSwitch& decision,
                     const MdrEngineSite& site)
    : BlockBase(name, config, Unvalidated{}),
      clock_(config.clock_hz),
      raw_(raw),
      switch_(decision),
      site_(site),
      sampler_(sampled(slice, config)),
      flush_cycles_(std::uint64_t{slice.sets} * slice.ways) {
  wake_.bind<&MdrEngine::process>(*this);
}

// Calls from the slice.

void MdrEngine::on_access(const ObservedAccess& access) {
  const std::uint64_t set_index = access.request.home().slice_line;
  if (!sampler_.samples(set_index)) return;
  const std::uint32_t home = access.request.home().slice.value;
  if (home < site_.slices.first.value || home >= site_.slices.second.value) return;
  const Tick t = now();
  // At the edge of an epoch's end, the slice's process can run before the engine's.
  if (t >= epoch_end_) end_epoch();
  if (epoch_end_ == kNever) begin_epoch(t);
  const RequesterId requester = access.request.requester;
  const bool own_sm = requester.is_sm() && requester.sm().value >= site_.sms.first.value &&
                      requester.sm().value < site_.sms.second.value;
  sampler_.observe(set_index, access.address, access.origin, access.request.read_only && own_sm,
                   switch_.on());
}

void MdrEngine::flush(LaunchSlot, std::function<void()> done) {
  if (config_.transient_costs && !switch_.on()) {
    sampler_.forget_replicating();
  } else {
    sampler_.forget_lines();
  }
  ++epoch_flushes_;
  done();
}

// Processes.

void MdrEngine::process() {
  const Tick t = now();
  if (t >= epoch_end_) end_epoch();
  if (switches_at_ != kNever && t + 1 >= switches_at_) apply_switch();
  wake_.at(epoch_end_);
  if (switches_at_ != kNever) wake_.at(switches_at_ - 1);
}

void MdrEngine::begin_epoch(Tick t) {
  const std::uint64_t epoch = clock_.cycle_at(t) / config_.epoch_cycles;
  epoch_end_ = clock_.time_of((epoch + 1) * config_.epoch_cycles);
  wake_.at(epoch_end_);
  if (config_.transient_costs && !switch_.on()) sampler_.forget_copies();
}

double MdrEngine::share_between_flushes() const {
  if (!config_.transient_costs) return 1;
  const auto epoch = static_cast<double>(config_.epoch_cycles);
  return epoch / (epoch + static_cast<double>(epoch_flushes_ * flush_cycles_));
}

void MdrEngine::end_epoch() {
  const Tick end = epoch_end_;
  epoch_end_ = kNever;
  const SampleCounts seen = sampler_.counts();
  const double share = share_between_flushes();
  epoch_flushes_ = 0;
  sampler_.start_counting();
  ++stats_.epochs;
  add(stats_.sampled, seen);
  if (seen.complete()) {
    decide(seen, share, end);
  } else {
    ++stats_.epochs_undecided;
  }
  if (observer_ != nullptr) report_epoch(seen.complete(), end);
}

void MdrEngine::report_epoch(bool decided, Tick end) const {
  const Tick begin = clock_.time_of(clock_.cycle_at(end) - config_.epoch_cycles);
  if (!decided) {
    observer_->on_event("epochs", "undecided", begin, end, {});
    return;
  }
  observer_->on_event("epochs", last_.replicate() ? "replicate" : "no replication", begin, end,
                      {{"fraction_local", last_.fraction_local},
                       {"bandwidth_no_replication", last_.bandwidth_no_replication},
                       {"bandwidth_full_replication", last_.bandwidth_full_replication}});
}

void MdrEngine::decide(const SampleCounts& seen, double share, Tick end) {
  last_.fraction_local = seen.fraction_local();
  last_.hit_rate_no_replication = seen.no_replication.rate();
  last_.hit_rate_full_replication = seen.full_replication.rate();
  last_.bandwidth_no_replication =
      bandwidth_without_replication(raw_, last_.fraction_local, last_.hit_rate_no_replication);
  last_.bandwidth_full_replication =
      share *
      bandwidth_with_full_replication(raw_, last_.fraction_local, last_.hit_rate_full_replication);
  ++(last_.replicate() ? stats_.decisions_replicate : stats_.decisions_no_replication);
  if (last_.replicate() == switch_.on()) return;
  switches_at_ = clock_.after(end, config_.evaluation_cycles);
  // The switch changes a femtosecond before the edge. No process runs at that time, and all
  // processes of the edge run later.
  wake_.at(switches_at_ - 1);
}

void MdrEngine::apply_switch() {
  if (switch_.on()) {
    replicated_cycles_ += clock_.cycle_at(switches_at_) - clock_.cycle_at(on_since_);
  }
  on_since_ = switches_at_;
  switch_.set(!switch_.on());
  ++stats_.switches;
  switches_at_ = kNever;
}

// Housekeeping.

std::uint64_t MdrEngine::replicated_cycles() const {
  if (!switch_.on()) return replicated_cycles_;
  // The switch changes a femtosecond before its edge, so that now() can precede `since`.
  const std::uint64_t since = clock_.cycle_at(on_since_);
  return replicated_cycles_ + std::max(clock_.cycle_at(now()), since) - since;
}

void MdrEngine::reset() {
  wake_.cancel();
  switch_.set(false);
  sampler_.start_counting();
  sampler_.forget_lines();
  epoch_flushes_ = 0;
  epoch_end_ = kNever;
  switches_at_ = kNever;
  on_since_ = 0;
  replicated_cycles_ = 0;
  last_ = Estimate{};
  stats_ = MdrStats{};
}

void describe(StatisticsVisitor& v, MdrStats& s) {
  v.counter("epochs", s.epochs, "epoch", "epochs with an access to a sampled set");
  v.counter("epochs_undecided", s.epochs_undecided, "epoch",
            "epochs with an access to a sampled set that left an input of the model open");
  v.counter("decisions_replicate", s.decisions_replicate, "epoch", "decisions to replicate");
  v.counter("decisions_no_replication", s.decisions_no_replication, "epoch",
            "decisions not to replicate");
  v.counter("switches", s.switches, "change", "decisions that changed what was running");
  v.counter("sampled_local", s.sampled.local, "access",
            "own SMs' accesses to local lines, sampled");
  v.counter("sampled_leaving", s.sampled.leaving, "access",
            "own SMs' accesses to remote lines, sampled");
  v.counter("sampled_arriving", s.sampled.arriving, "access", "other SMs' accesses, sampled");
}

void MdrEngine::register_statistics(StatisticsRegistry& r) const {
  const std::string m = name();
  BlockBase::register_statistics(r);
  r.value(
      m, "replicated_cycles", [this] { return static_cast<double>(replicated_cycles()); }, "cycle",
      "cycles during which read-only lines were replicated");
  r.value(
      m, "hit_rate_no_replication", [this] { return stats_.sampled.no_replication.rate(); }, "",
      "sampled hit rate without replication, over all epochs");
  r.value(
      m, "hit_rate_full_replication", [this] { return stats_.sampled.full_replication.rate(); }, "",
      "sampled hit rate under full replication, over all epochs");
  const auto of_last = [&](const char* statistic, double Estimate::*field, const char* unit,
                           const char* description) {
    r.value(
        m, statistic, [this, field] { return last_.*field; }, unit, description);
  };
  of_last("last_fraction_local", &Estimate::fraction_local, "",
          "fraction of local accesses in the last epoch decided");
  of_last("last_hit_rate_no_replication", &Estimate::hit_rate_no_replication, "",
          "sampled hit rate without replication in the last epoch decided");
  of_last("last_hit_rate_full_replication", &Estimate::hit_rate_full_replication, "",
          "sampled hit rate under full replication in the last epoch decided");
  of_last("last_bandwidth_no_replication", &Estimate::bandwidth_no_replication, "byte/s",
          "estimated bandwidth without replication in the last epoch decided");
  of_last("last_bandwidth_full_replication", &Estimate::bandwidth_full_replication, "byte/s",
          "estimated bandwidth under full replication in the last epoch decided");
}

}  // namespace tessera
