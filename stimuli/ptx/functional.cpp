// SPDX-License-Identifier: Apache-2.0
// Runs a launch without timing.

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "common/error.h"
#include "stimuli/ptx/program.h"

namespace tessera::ptx {

namespace {

/// The arrived threads and the waiting warps of a barrier.
struct BarrierState {
  std::uint32_t arrived = 0;
  std::uint32_t expected = 0;  ///< threads; 0: all warps that have not exited
  std::vector<unsigned> waiting;
};

class CtaRunner {
 public:
  static constexpr std::uint64_t kNoSlice = ~std::uint64_t{0};

  CtaRunner(KernelProgram& program, CtaId id, IssueResult& result)
      : program_(program), cta_(program.start_cta(id)), result_(result) {
    warps_ = cta_->warp_count();
    state_.assign(warps_, State::kRunning);
  }

  bool ended() const { return ended_ == warps_; }
  std::uint64_t issued() const { return issued_; }

  /// Runs the CTA to its end, or, for cooperative kernels, every warp for at most `slice`
  /// instructions or up to its barrier. `before`: instructions of other CTAs so far, for the clock.
  /// `budget`: 0 = no limit.
  void run(std::uint64_t budget, std::uint64_t before, std::uint64_t slice) {
    do {
      bool progress = false;
      for (unsigned w = 0; w < warps_; ++w) {
        if (state_[w] != State::kRunning) continue;
        progress = true;
        run_warp(w, budget, before, slice);
        if (state_[w] == State::kEnded) ++ended_;
      }
      if (!progress)
        release_or_fail(ended_);
      else
        release_complete(ended_);
    } while (!ended() && slice == kNoSlice);
  }

 private:
  enum class State { kRunning, kWaiting, kEnded };

  void run_warp(unsigned w, std::uint64_t budget, std::uint64_t before, std::uint64_t slice) {
    WarpProgram& warp = cta_->warp(w);
    IssueContext context;
    context.warp_slot = w;
    const std::uint64_t left = budget == 0 ? kNoSlice : budget - issued_;
    const std::uint64_t most = std::min(left, slice);
    std::uint64_t issued = 0;
    while (state_[w] == State::kRunning && issued < most) {
      context.cycle = before + issued_ + issued;
      warp.issue(context, result_);
      ++issued;
      if (result_.kind == IssueResult::Kind::kBarrier) {
        arrive(w);
      } else if (result_.kind == IssueResult::Kind::kExit && result_.warp_done) {
        state_[w] = State::kEnded;
      }
    }
    issued_ += issued;
    if (state_[w] != State::kRunning || issued != left) return;
    throw RunError("kernel '" + program_.name() + "', " + warp.where() +
                   ": the CTA has taken "
                   "more than " +
                   std::to_string(budget) +
                   " warp instructions; an endless loop, or a spin on a value that another "
                   "lane or CTA has to write");
  }

  void arrive(unsigned w) {
    BarrierState& b = barriers_[result_.barrier_id];
    b.arrived += kWarpLanes;
    b.expected = result_.barrier_threads;
    if (!result_.barrier_arrive_only) {
      b.waiting.push_back(w);
      state_[w] = State::kWaiting;
    }
  }

  void release(BarrierState& b) {
    for (const unsigned w : b.waiting) state_[w] = State::kRunning;
    b = BarrierState{};
  }

  bool release_complete(unsigned ended) {
    bool any = false;
    for (BarrierState& b : barriers_) {
      if (b.arrived == 0) continue;
      const std::uint32_t needed = b.expected != 0 ? b.expected : (warps_ - ended) * kWarpLanes;
      if (b.arrived >= needed) {
        release(b);
        any = true;
      }
    }
    return any;
  }

  void release_or_fail(unsigned ended) {
    if (release_complete(ended)) return;
    std::string who;
    for (std::size_t i = 0; i < barriers_.size(); ++i) {
      const BarrierState& b = barriers_[i];
      if (b.arrived == 0) continue;
      who += "; barrier " + std::to_string(i) + " has " + std::to_string(b.waiting.size()) +
             " waiting warps";
      if (!b.waiting.empty()) who += ", first " + cta_->warp(b.waiting.front()).last_barrier();
    }
    throw RunError("kernel '" + program_.name() +
                   "': deadlock at a barrier: " + std::to_string(ended) + " of " +
                   std::to_string(warps_) + " warps of the CTA have ended" + who);
  }

  KernelProgram& program_;
  std::unique_ptr<CtaProgram> cta_;
  IssueResult& result_;
  unsigned warps_ = 0;
  unsigned ended_ = 0;
  std::uint64_t issued_ = 0;
  std::vector<State> state_;
  std::array<BarrierState, 16> barriers_;
};

/// Instructions per warp before the next CTA runs.
constexpr std::uint64_t kSlice = 256;
/// Maximum number of resident CTAs; larger than that of any GPU.
constexpr std::uint64_t kMostTogether = 16384;

/// Runs a cooperative kernel with all CTAs resident, because they wait for each other.
std::uint64_t run_together(KernelProgram& program, std::uint64_t budget, IssueResult& result) {
  const std::uint64_t ctas = program.grid().count();
  if (ctas > kMostTogether) {
    throw InputError("kernel '" + program.name() + "' synchronises its grid: its " +
                     std::to_string(ctas) + " CTAs must be resident at once, at most " +
                     std::to_string(kMostTogether));
  }
  std::deque<CtaRunner> runners;
  for (std::uint32_t c = 0; c < ctas; ++c) runners.emplace_back(program, CtaId(c), result);
  std::uint64_t issued = 0;
  for (bool any = true; any;) {
    any = false;
    for (CtaRunner& runner : runners) {
      if (runner.ended()) continue;
      const std::uint64_t before = runner.issued();
      runner.run(budget, issued - before, kSlice);
      issued += runner.issued() - before;
      any = any || !runner.ended();
    }
  }
  return issued;
}

}  // namespace

std::uint64_t run_functionally(KernelProgram& program, std::uint64_t instruction_budget) {
  const auto result = std::make_unique<IssueResult>();
  if (program.cooperative()) return run_together(program, instruction_budget, *result);
  const std::uint64_t ctas = program.grid().count();
  std::uint64_t issued = 0;
  for (std::uint64_t c = 0; c < ctas; ++c) {
    CtaRunner runner(program, CtaId(static_cast<std::uint32_t>(c)), *result);
    runner.run(instruction_budget, issued, CtaRunner::kNoSlice);
    issued += runner.issued();
  }
  return issued;
}

}  // namespace tessera::ptx
