// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "common/ids.h"
#include "modules/core/block.h"
#include "modules/core/l1_observer.h"
#include "modules/core/parameters.h"
#include "modules/core/process_timer.h"
#include "policies/transfer_policy.h"

namespace tessera {

struct DecisionConfig {
  std::uint64_t clock_hz = 1'000'000'000;
  std::uint64_t warmup_accesses =
      1'000;  ///< remote accesses of a GPU that are not looked at (ours)
  std::uint64_t window_accesses = 20'000;  ///< remote accesses of a GPU (DualOpt section 4.3)

  /// Every fault, in words; empty when sound.
  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, DecisionConfig& c);

/// The decision engine of the whole system (DualOpt section 4.3, figure 11): watches the L1s of
/// each GPU for a while, then says once how other GPUs' lines travel from now on.
///
/// Hardware: counters for each GPU. After a warm-up (so many remote accesses) comes a window (so
/// many remote accesses), after which the GPU votes: TransferPolicy::decide() on what the window
/// held. A GPU with few remote accesses would never fill either: the warm-up also ends after
/// warmup_accesses / least_remote_ratio() accesses of all kinds and the window after
/// window_accesses / least_remote_ratio(), and then its remote ratio is below it (ours). As
/// soon as more than half of the GPUs that have accessed memory at all agree, all follow; when all
/// of these have voted and none has a majority, the sum of their windows decides (scope and rule
/// are ours).
///
/// Timing: a phase's end and a decision take effect at the next clock edge, a femtosecond before
/// it: everything that L1s do in the cycle counts, in whatever order they run, and all of them see
/// the verdict at the edge.
/// Not modelled: the way of the counts and of the verdict over the chips.
class DecisionEngine final : public sc_core::sc_module, public Block, public L1Observer {
 public:
  enum class Verdict : std::uint8_t { kNone, kLine, kCoalescing, kRemoteCache };

  /// `gpus`: 1 or more. `line_bytes`: of an L1 line, a multiple of 4. `gpu_of`: the GPU of an SM.
  /// `transfer` is set to policy.start() now and at reset(), and to the verdict. `policy` and
  /// `transfer` outlive this. A fault in `config` is an SC_FATAL.
  DecisionEngine(const sc_core::sc_module_name& name, const DecisionConfig& config, unsigned gpus,
                 std::uint32_t line_bytes, std::function<GpuId(SmId)> gpu_of,
                 const TransferPolicy& policy, RemoteAccessMode& transfer);

  const DecisionConfig& config() const { return config_; }
  Verdict verdict() const { return verdict_; }
  /// The edge from which on the verdict is in effect; kNever before.
  Tick decided_at() const { return decided_at_; }
  /// What the whole run so far would have led to, all GPUs together: figure 12's golden model.
  /// kNone before the first access.
  Verdict golden_verdict() const;
  /// Of the windows (so far) or of the whole run, all GPUs together.
  TransferSample window() const;
  TransferSample whole_run() const;

  void on_l1_access(const MemoryRequest& request, bool remote, bool hit) override;

  /// An open window is nothing that anybody waits for: always idle.
  bool idle() const override { return true; }
  void describe_waiting(std::vector<Waiting>&) const override {}
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  enum class Phase : std::uint8_t { kWarmUp, kWindow, kVoted };
  struct Gpu {
    Phase phase = Phase::kWarmUp;
    TransferSample present;  ///< of the present phase; the window's once voted
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
  const std::uint32_t pieces_per_line_;
  const std::function<GpuId(SmId)> gpu_of_;
  const TransferPolicy& policy_;
  const double least_remote_ratio_;  ///< of policy_: looked at for every access
  RemoteAccessMode& transfer_;

  std::vector<Gpu> gpus_;
  Verdict verdict_ = Verdict::kNone;
  Tick decided_at_ = kNever;
  ProcessTimer wake_;
};

}  // namespace tessera
