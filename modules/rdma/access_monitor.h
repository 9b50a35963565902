// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "common/ids.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/time.h"
#include "modules/kernel/timed_queue.h"
#include "modules/protocol/event_observer.h"
#include "modules/rdma/decision_config.h"
#include "modules/sm/l1_observer.h"
#include "policies/transfer_policy.h"

namespace tessera {

/// A message of a GPU's AccessMonitor to the DecisionEngine.
struct MonitorReport {
  enum class Kind : std::uint8_t {
    kFirstAccess,  ///< the GPU accesses memory
    kVote,         ///< the GPU's window has ended
  };
  Kind kind = Kind::kFirstAccess;
  TransferSample window;  ///< kVote
};

/// The part of the DecisionEngine in one GPU: the counters of the accesses of the GPU's L1s, and
/// the GPU's RemoteAccessMode, which its L1s, remote cache and RDMA engine read. It belongs to the
/// GPU's domain.
///
/// Timing: the end of a phase is computed one femtosecond before the next clock edge, when no L1 is
/// active, so that it counts all accesses of the cycle. A verdict that arrives one femtosecond
/// before an edge is in effect at the edge. Neither depends on the order of processes.
class AccessMonitor final : public L1Observer {
 public:
  enum class Phase : std::uint8_t { kWarmUp, kWindow, kVoted };
  /// Sends a report that takes effect at the clock edge at or after `edge`.
  using Report = std::function<void(Tick edge, MonitorReport&& report)>;

  /// `line_bytes`: size of an L1 line, a multiple of 4. Sets `mode` to policy.start(), here and in
  /// reset(), and later to the verdict. `policy` and `mode` must outlive the monitor.
  AccessMonitor(const DecisionConfig& config, GpuId gpu, std::uint32_t line_bytes,
                const TransferPolicy& policy, RemoteAccessMode& mode, Report report);

  bool observes(GpuId gpu) const override { return gpu == gpu_; }
  void on_l1_access(const MemoryRequest& request, bool remote, bool hit) override;
  /// Enqueues a verdict that arrives at `at`.
  void verdict(Tick at, const RemoteAccessMode& mode);

  Phase phase() const { return phase_; }
  /// Sample of the current phase; of the window after the vote.
  const TransferSample& present() const { return present_; }
  const TransferSample& whole_run() const { return whole_; }
  const ClockDomain& clock() const { return clock_; }
  /// Phases that have ended.
  void observe_events(EventObserver& observer) { observer_ = &observer; }
  void reset();

 private:
  TransferSample no_accesses() const;
  bool complete() const;
  void process();
  void end_phase(Tick t);

  const DecisionConfig config_;
  const ClockDomain clock_;
  const GpuId gpu_;
  const std::uint32_t words_per_line_;
  const TransferPolicy& policy_;
  const double least_remote_ratio_;  ///< copy of policy_'s value, because every access reads it
  RemoteAccessMode& mode_;
  const Report report_;

  Phase phase_ = Phase::kWarmUp;
  TransferSample present_;
  TransferSample whole_;
  TimedQueue<RemoteAccessMode> verdicts_;
  EventObserver* observer_ = nullptr;
  Tick phase_since_ = 0;
  ProcessTimer wake_;
};

/// Adds the counts of another sample.
void add(TransferSample& to, const TransferSample& more);

}  // namespace tessera
