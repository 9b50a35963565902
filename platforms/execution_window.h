// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "modules/host/partial_kernel.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/time.h"
#include "platforms/simulation.h"
#include "stimuli/functional_run.h"
#include "stimuli/runner/functional_device.h"

namespace tessera {

/// The window of a run that is simulated in detail: it begins after `skip` thread instructions and
/// ends after `detail` more.
///
/// The end is exact: the first clock edge of the SMs at which they have issued that many. A process
/// looks at the SMs' counters one tick after an edge, so that all instructions of the edge count.
/// It sleeps for the cycles that the rest takes at the SMs' highest rate, so that issuing
/// instructions costs nothing more.
class ExecutionWindow {
 public:
  struct Hooks {
    std::function<std::uint64_t()> executed;  ///< thread instructions of all SMs
    std::function<void()> on_end;             ///< called one tick after the last edge
  };

  /// `most_per_cycle`: maximum of thread instructions of all SMs per cycle of `clock_hz`.
  ExecutionWindow(const WindowOptions& options, std::uint64_t clock_hz,
                  std::uint64_t most_per_cycle, Hooks hooks);

  /// Thread instructions that are still to be skipped.
  std::uint64_t skip_left() const {
    return skipped_ < options_.skip ? options_.skip - skipped_ : 0;
  }
  void skipped(std::uint64_t thread_instructions) { skipped_ += thread_instructions; }
  /// The instructions to be skipped have been executed: the SMs' instructions count from now on.
  void begin();
  void rest(std::uint64_t thread_instructions) { rest_ += thread_instructions; }

  /// Thread instructions in the window, so far.
  std::uint64_t detailed() const { return over_ ? detailed_ : hooks_.executed(); }
  bool begun() const { return begun_; }
  bool over() const { return over_; }
  /// Of a window that is not over: now.
  Tick ended_at() const { return over_ ? ended_at_ : now(); }

  /// The section "window" of stats.json.
  nlohmann::ordered_json to_json() const;

 private:
  void process();

  const WindowOptions options_;
  const ClockDomain clock_;
  const std::uint64_t most_per_cycle_;
  const Hooks hooks_;
  bool begun_ = false;
  bool over_ = false;
  Tick began_at_ = 0;
  Tick ended_at_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t detailed_ = 0;  ///< when the window was over
  std::uint64_t rest_ = 0;
  ProcessTimer wake_;
};

/// Maximum of warp instructions of a CTA that runs without timing.
inline constexpr std::uint64_t kUntimedBudget = kernels::FunctionalDevice::kInstructionBudget;

/// Executes the rest of a kernel without timing. `working`: called after the partially executed
/// CTAs and after each other one, with the number of CTAs that have ended, and what was executed
/// since its last call.
void run_untimed(const KernelRest& rest,
                 const std::function<void(std::uint64_t ended, const Executed& more)>& working);

/// A kernel of which nothing has been executed.
KernelRest whole_kernel(KernelProgram& kernel);

}  // namespace tessera
