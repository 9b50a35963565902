// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "modules/kernel/block.h"
#include "modules/kernel/domain_link.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/stats.h"
#include "modules/kernel/timed_queue.h"
#include "modules/protocol/event_observer.h"
#include "modules/rdma/access_monitor.h"
#include "modules/rdma/decision_config.h"
#include "modules/rdma/engine_site.h"
#include "policies/transfer_policy.h"

namespace tessera {

struct DecisionStats {
  std::uint64_t decided = 0;  ///< 0 or 1
  std::uint64_t decided_at_cycle = 0;
  std::uint64_t verdict = 0;         ///< DecisionEngine::Verdict
  std::uint64_t golden_verdict = 0;  ///< DecisionEngine::Verdict
  TransferSample window;
  TransferSample whole_run;
};

void describe(StatisticsVisitor& v, DecisionStats& s);

/// The decision engine of the whole system (DualOpt section 4.3, figure 11): samples the L1
/// accesses of each GPU for a window and then selects, once, the transfer mode of remote lines.
///
/// Hardware: a part in each GPU (AccessMonitor) with its counters. After a warm-up of
/// `warmup_accesses` remote accesses follows a window of `window_accesses` remote accesses. At the
/// end of its window the GPU votes: TransferPolicy::decide() for its sample. For GPUs with few
/// remote accesses, the warm-up also ends after warmup_accesses / least_remote_ratio() accesses of
/// all kinds and the window after window_accesses / least_remote_ratio(); the remote ratio is then
/// below that ratio (ours). A vote is adopted as soon as more than half of the GPUs that have
/// accessed memory agree. If all of these GPUs have voted without a majority, the policy decides on
/// the sum of their windows (scope and rule are ours).
///
/// Timing: the end of a phase and a decision take effect at a clock edge and are computed one
/// femtosecond before it. All L1 accesses of the cycle are counted, and all L1s of a GPU see the
/// verdict at the edge, independent of the process order. A report of a GPU and the verdict take
/// `gpu_latency_ns` each, rounded up to a clock edge. Without latency all happen at one instant,
/// with the same result in any order of the votes: a vote that arrives later at this instant can
/// only complete a majority, because first accesses are reported before.
/// Not modelled: the links on which reports and verdicts travel.
class DecisionEngine final : public sc_core::sc_module, public Block, public ObservedIf {
 public:
  enum class Verdict : std::uint8_t { kNone, kLine, kCoalescing, kRemoteCache };

  /// The engine sets the modes of `site` to policy.start() in the constructor and in reset(), and
  /// later to the verdict. `policy` must outlive the engine. An invalid `config` is an SC_FATAL.
  DecisionEngine(const sc_core::sc_module_name& name, const DecisionConfig& config,
                 const TransferPolicy& policy, const DecisionEngineSite& site);

  using Config = DecisionConfig;
  using Stats = DecisionStats;
  using Site = DecisionEngineSite;

  const DecisionConfig& config() const { return config_; }
  std::size_t gpus() const { return gpus_.size(); }
  /// The observer of a GPU's L1s.
  AccessMonitor& monitor(GpuId gpu) { return *gpus_[gpu.value].monitor; }
  /// kNone before a decision.
  Verdict verdict() const { return verdict_; }
  /// The edge at which the verdict takes effect; kNever before a decision.
  Tick decided_at() const { return decided_at_; }
  /// The decision on the whole run so far, summed over all GPUs: the golden model of figure 12.
  /// kNone before the first access.
  Verdict golden_verdict() const;
  /// Samples of the windows so far and of the whole run, summed over all GPUs.
  TransferSample window() const;
  TransferSample whole_run() const;
  DecisionStats stats() const;

  /// Phases of each GPU, and the verdict on its way to the GPUs.
  void observe_events(EventObserver& observer) override;

  /// Always idle, because no block waits for the end of a window.
  bool idle() const override { return true; }
  void describe_waiting(std::vector<Waiting>&) const override {}
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  /// A GPU's part, the paths to and from it, and its reports.
  struct Gpu {
    std::unique_ptr<AccessMonitor> monitor;
    std::unique_ptr<DomainLink<MonitorReport>> reports;
    std::unique_ptr<DomainLink<RemoteAccessMode>> verdicts;
    bool busy = false;  ///< has accessed memory
    bool voted = false;
    TransferSample window;  ///< if it has voted
    RemoteAccessMode vote;
  };

  void add_gpu(std::size_t g, const DecisionEngineSite& site, Domain& own, Domain& domain);
  TransferSample no_accesses() const;
  void process();
  void handle(const MonitorReport& report, Gpu& gpu);
  void tally(Tick t);
  void adopt(const RemoteAccessMode& verdict, Tick t);

  const DecisionConfig config_;
  const ClockDomain clock_;
  const std::uint32_t words_per_line_;
  const TransferPolicy& policy_;
  const Tick latency_;  ///< between the engine and a GPU

  std::vector<Gpu> gpus_;
  TimedQueue<MonitorReport> reports_;  ///< by GPU
  Verdict verdict_ = Verdict::kNone;
  Tick decided_at_ = kNever;
  EventObserver* observer_ = nullptr;
  ProcessTimer wake_;
};

}  // namespace tessera
