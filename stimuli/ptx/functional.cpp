// SPDX-License-Identifier: Apache-2.0
// Runs a launch without timing.

#include <array>
#include <vector>

#include "common/error.h"
#include "stimuli/ptx/program.h"

namespace tessera::ptx {

namespace {

/// Threads that have come to one barrier, and the warps that wait there.
struct BarrierState {
  std::uint32_t arrived = 0;
  std::uint32_t expected = 0;  ///< 0: all warps that have not ended
  std::vector<unsigned> waiting;
};

class CtaRunner {
 public:
  CtaRunner(KernelProgram& program, CtaId id, IssueResult& result)
      : program_(program), cta_(program.start_cta(id)), result_(result) {
    warps_ = cta_->warp_count();
    state_.assign(warps_, State::kRunning);
  }

  /// Runs to the end. `before`: instructions of earlier CTAs, for the clock. Returns its own.
  std::uint64_t run(std::uint64_t budget, std::uint64_t before) {
    std::uint64_t issued = 0;
    unsigned ended = 0;
    while (ended < warps_) {
      bool progress = false;
      for (unsigned w = 0; w < warps_; ++w) {
        if (state_[w] != State::kRunning) continue;
        progress = true;
        issued += run_warp(w, budget, before, issued);
        if (state_[w] == State::kEnded) ++ended;
      }
      if (!progress)
        release_or_fail(ended);
      else
        release_complete(ended);
    }
    return issued;
  }

 private:
  enum class State { kRunning, kWaiting, kEnded };

  std::uint64_t run_warp(unsigned w, std::uint64_t budget, std::uint64_t before,
                         std::uint64_t spent) {
    WarpProgram& warp = cta_->warp(w);
    IssueContext context;
    context.warp_slot = w;
    std::uint64_t issued = 0;
    while (state_[w] == State::kRunning) {
      context.cycle = before + spent + issued;
      if (budget != 0 && spent + issued >= budget) {
        throw RunError("kernel '" + program_.name() + "', " + warp.where() +
                       ": the CTA has taken "
                       "more than " +
                       std::to_string(budget) +
                       " warp instructions; an endless loop, or a spin on a value that another "
                       "lane or CTA has to write");
      }
      warp.issue(context, result_);
      ++issued;
      if (result_.kind == IssueResult::Kind::kBarrier) {
        arrive(w);
      } else if (result_.kind == IssueResult::Kind::kExit && result_.warp_done) {
        state_[w] = State::kEnded;
      }
    }
    return issued;
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
  std::vector<State> state_;
  std::array<BarrierState, 16> barriers_;
};

}  // namespace

std::uint64_t run_functionally(KernelProgram& program, std::uint64_t instruction_budget) {
  const auto result = std::make_unique<IssueResult>();
  const std::uint64_t ctas = program.grid().count();
  std::uint64_t issued = 0;
  for (std::uint64_t c = 0; c < ctas; ++c) {
    CtaRunner runner(program, CtaId(static_cast<std::uint32_t>(c)), *result);
    issued += runner.run(instruction_budget, issued);
  }
  return issued;
}

}  // namespace tessera::ptx
