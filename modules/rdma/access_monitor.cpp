// SPDX-License-Identifier: Apache-2.0
#include "modules/rdma/access_monitor.h"

#include <string>
#include <utility>

namespace tessera {

void add(TransferSample& to, const TransferSample& more) {
  to.accesses += more.accesses;
  to.remote_accesses += more.remote_accesses;
  to.remote_loads += more.remote_loads;
  to.remote_load_hits += more.remote_load_hits;
  to.remote_load_words += more.remote_load_words;
}

AccessMonitor::AccessMonitor(const DecisionConfig& config, GpuId gpu, std::uint32_t line_bytes,
                             const TransferPolicy& policy, RemoteAccessMode& mode, Report report)
    : config_(config),
      clock_(config.clock_hz),
      gpu_(gpu),
      words_per_line_(line_bytes / 4),
      policy_(policy),
      least_remote_ratio_(policy.least_remote_ratio()),
      mode_(mode),
      report_(std::move(report)) {
  wake_.bind<&AccessMonitor::process>(*this);
  reset();
}

// Interface to the L1s.

void AccessMonitor::on_l1_access(const MemoryRequest& request, bool remote, bool hit) {
  TransferSample seen;
  seen.accesses = 1;
  if (remote) {
    seen.remote_accesses = 1;
    if (request.kind == RequestKind::kLoad) {
      seen.remote_loads = 1;
      seen.remote_load_hits = hit ? 1 : 0;
      seen.remote_load_words = static_cast<unsigned>(__builtin_popcount(request.word_mask));
    }
  }
  add(whole_, seen);
  if (phase_ == Phase::kVoted) return;
  const bool first = whole_.accesses == 1;
  add(present_, seen);
  if (!first && !complete()) return;
  const Tick edge = clock_.after(now() + 1, 0);
  if (first) report_(edge, {MonitorReport::Kind::kFirstAccess, {}});
  // One femtosecond before the next edge, no block is active.
  if (complete()) wake_.at(edge - 1);
}

void AccessMonitor::verdict(Tick at, const RemoteAccessMode& mode) {
  verdicts_.push(at, 0, mode);
  wake_.at(at);
}

// Processes.

bool AccessMonitor::complete() const {
  if (phase_ == Phase::kVoted) return false;
  const std::uint64_t remote =
      phase_ == Phase::kWarmUp ? config_.warmup_accesses : config_.window_accesses;
  return present_.remote_accesses >= remote ||
         static_cast<double>(present_.accesses) * least_remote_ratio_ >=
             static_cast<double>(remote);
}

/// Runs one femtosecond before clock edges.
void AccessMonitor::process() {
  const Tick t = now();
  if (complete()) end_phase(t);
  while (verdicts_.due(t)) mode_ = verdicts_.pop();
  wake_.at(verdicts_.next_due());
}

void AccessMonitor::end_phase(Tick t) {
  if (observer_ != nullptr) {
    observer_->on_event("GPU " + std::to_string(gpu_.value),
                        phase_ == Phase::kWarmUp ? "warm-up" : "window", phase_since_, t + 1,
                        {{"accesses", static_cast<double>(present_.accesses)},
                         {"remote_accesses", static_cast<double>(present_.remote_accesses)}});
  }
  phase_since_ = t + 1;
  if (phase_ == Phase::kWarmUp) {
    phase_ = Phase::kWindow;
    present_ = no_accesses();
    return;
  }
  phase_ = Phase::kVoted;
  report_(t + 1, {MonitorReport::Kind::kVote, present_});
}

// Housekeeping.

TransferSample AccessMonitor::no_accesses() const {
  TransferSample sample;
  sample.words_per_line = words_per_line_;
  return sample;
}

void AccessMonitor::reset() {
  wake_.cancel();
  verdicts_.clear();
  mode_ = policy_.start();
  phase_ = config_.warmup_accesses == 0 ? Phase::kWindow : Phase::kWarmUp;
  phase_since_ = now();
  present_ = whole_ = no_accesses();
}

}  // namespace tessera
