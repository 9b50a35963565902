// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "common/ids.h"
#include "modules/kernel/block.h"
#include "modules/kernel/parameters.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/stats.h"
#include "modules/sm/l1_observer.h"
#include "policies/transfer_policy.h"

namespace tessera {

struct DecisionConfig {
  std::uint64_t clock_hz = 1'000'000'000;
  std::uint64_t warmup_accesses = 1'000;   ///< remote accesses of a GPU before its window (ours)
  std::uint64_t window_accesses = 20'000;  ///< remote accesses of a GPU (DualOpt section 4.3)

  /// All configuration errors; empty if the configuration is valid.
  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, DecisionConfig& c);

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
/// Hardware: counters for each GPU. After a warm-up of `warmup_accesses` remote accesses follows a
/// window of `window_accesses` remote accesses. At the end of its window the GPU votes with
/// TransferPolicy::decide(). For GPUs with few remote accesses, the warm-up also ends after
/// warmup_accesses / least_remote_ratio() accesses of all kinds and the window after
/// window_accesses / least_remote_ratio(); the remote ratio is then below that ratio (ours). A vote
/// is adopted as soon as more than half of the GPUs that have accessed memory agree. If all of
/// these GPUs have voted without a majority, the policy decides on the sum of their windows (scope
/// and rule are ours).
///
/// Timing: the end of a phase and a decision are computed one femtosecond before the next clock
/// edge and take effect at that edge. All L1 accesses of the cycle are counted, independent of the
/// process order, and all L1s see the verdict at the edge.
/// Not modelled: the transfer of the counts and of the verdict between chips.
class DecisionEngine final : public sc_core::sc_module, public Block, public L1Observer {
 public:
  enum class Verdict : std::uint8_t { kNone, kLine, kCoalescing, kRemoteCache };

  /// `gpus`: 1 or more. `line_bytes`: size of an L1 line, a multiple of 4. `gpu_of`: the GPU of an
  /// SM. The engine sets `transfer` to policy.start() in the constructor and in reset(), and later
  /// to the verdict. `policy` and `transfer` must outlive the engine. An invalid `config` is an
  /// SC_FATAL.
  DecisionEngine(const sc_core::sc_module_name& name, const DecisionConfig& config, unsigned gpus,
                 std::uint32_t line_bytes, std::function<GpuId(SmId)> gpu_of,
                 const TransferPolicy& policy, RemoteAccessMode& transfer);

  const DecisionConfig& config() const { return config_; }
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

  void on_l1_access(const MemoryRequest& request, bool remote, bool hit) override;

  /// Always idle, because no block waits for the end of a window.
  bool idle() const override { return true; }
  void describe_waiting(std::vector<Waiting>&) const override {}
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  enum class Phase : std::uint8_t { kWarmUp, kWindow, kVoted };
  struct Gpu {
    Phase phase = Phase::kWarmUp;
    TransferSample present;  ///< sample of the current phase; of the window after the vote
    TransferSample whole;
    RemoteAccessMode vote;
  };

  TransferSample no_accesses() const;
  void process();
  bool complete(const Gpu& gpu) const;
  void tally();
  void adopt(const RemoteAccessMode& verdict);

  const DecisionConfig config_;
  const ClockDomain clock_;
  const std::uint32_t words_per_line_;
  const std::function<GpuId(SmId)> gpu_of_;
  const TransferPolicy& policy_;
  const double least_remote_ratio_;  ///< copy of policy_'s value, because every access reads it
  RemoteAccessMode& transfer_;

  std::vector<Gpu> gpus_;
  Verdict verdict_ = Verdict::kNone;
  Tick decided_at_ = kNever;
  ProcessTimer wake_;
};

}  // namespace tessera
