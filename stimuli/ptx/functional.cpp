// SPDX-License-Identifier: Apache-2.0
// Runs a launch without timing.

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/error.h"
#include "stimuli/ptx/program.h"

namespace tessera::ptx {

namespace {

/// Issues the instructions of a CTA, warp by warp.
class CtaRunner {
 public:
  static constexpr std::uint64_t kNoSlice = ~std::uint64_t{0};

  CtaRunner(const std::string& kernel, CtaProgram& cta, IssueResult& result)
      : kernel_(kernel), cta_(cta), result_(result), warps_(cta.warp_count()) {}

  bool ended() const { return cta_.live_warps() == 0; }
  std::uint64_t issued() const { return issued_; }

  /// Runs the CTA to its end, or, for cooperative kernels, every warp for at most `slice`
  /// instructions or up to its barrier. `before`: instructions of other CTAs so far, for the clock.
  /// `budget`: 0 = no limit.
  void run(std::uint64_t budget, std::uint64_t before, std::uint64_t slice) {
    do {
      sweep(before, slice, budget == 0 ? kNoSlice : budget);
      if (budget != 0 && issued_ == budget && stopped_ < warps_) fail_budget(budget);
    } while (!ended() && slice == kNoSlice);
  }

  /// Runs for at most so many instructions.
  void run_for(std::uint64_t most) {
    while (!ended() && issued_ < most) sweep(0, kNoSlice, most);
  }

 private:
  /// Every warp that can issue, for at most `slice` instructions up to its barrier; stops within a
  /// warp when the CTA has issued `most`.
  void sweep(std::uint64_t before, std::uint64_t slice, std::uint64_t most) {
    bool progress = false;
    stopped_ = warps_;
    // A warp's barrier is not released before the sweep's end.
    const std::uint64_t idle = cta_.waiting_warps() | cta_.ended_warps();
    for (unsigned w = 0; w < warps_; ++w) {
      if ((idle >> w & 1) != 0) continue;
      progress = true;
      if (run_warp(w, before, std::min(slice, most - issued_)) && issued_ == most) {
        stopped_ = w;
        break;
      }
    }
    if (!release_complete() && !progress) fail_deadlock();
  }

  /// True when the warp can go on.
  bool run_warp(unsigned w, std::uint64_t before, std::uint64_t most) {
    WarpProgram& warp = cta_.warp(w);
    IssueContext context;
    context.warp_slot = w;
    for (const std::uint64_t end = issued_ + most; issued_ != end;) {
      context.cycle = before + issued_;
      warp.issue(context, result_);
      ++issued_;
      switch (result_.kind) {
        case IssueResult::Kind::kBarrier:
          cta_.arrive(w, result_);
          if (!result_.barrier_arrive_only) return false;
          break;
        case IssueResult::Kind::kExit:
          if (!result_.warp_done) break;
          cta_.end_warp(w);
          return false;
        case IssueResult::Kind::kMemory:
          if (!result_.memory.values_done) fail_values();
          break;
        case IssueResult::Kind::kCompute:
        case IssueResult::Kind::kFence:
          break;
      }
    }
    return true;
  }

  bool release_complete() {
    bool any = false;
    for (unsigned id = 0; id < CtaProgram::kBarriers; ++id) any = cta_.release(id) != 0 || any;
    return any;
  }

  [[noreturn]] void fail_budget(std::uint64_t budget) {
    throw RunError("kernel '" + kernel_ + "', " + cta_.warp(stopped_).where() +
                   ": the CTA has taken "
                   "more than " +
                   std::to_string(budget) +
                   " warp instructions; an endless loop, or a spin on a value that another "
                   "lane or CTA has to write");
  }

  [[noreturn]] void fail_values() const {
    throw std::logic_error("kernel '" + kernel_ +
                           "' runs functionally, but its values travel: make the launch with "
                           "MemoryView::flat");
  }

  [[noreturn]] void fail_deadlock() const {
    std::string who;
    for (unsigned id = 0; id < CtaProgram::kBarriers; ++id) {
      const CtaBarrier& b = cta_.barrier(id);
      if (b.arrived == 0) continue;
      who += "; barrier " + std::to_string(id) + " has " +
             std::to_string(__builtin_popcountll(b.waiting)) + " waiting warps";
      if (b.waiting != 0) {
        const auto first = static_cast<unsigned>(__builtin_ctzll(b.waiting));
        who += ", first " + cta_.warp(first).last_barrier();
      }
    }
    throw RunError("kernel '" + kernel_ +
                   "': deadlock at a barrier: " + std::to_string(warps_ - cta_.live_warps()) +
                   " of " + std::to_string(warps_) + " warps of the CTA have ended" + who);
  }

  const std::string& kernel_;
  CtaProgram& cta_;
  IssueResult& result_;
  const unsigned warps_;
  unsigned stopped_ = 0;  ///< warp at which the last sweep stopped early; warps_: none
  std::uint64_t issued_ = 0;
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
  std::vector<std::unique_ptr<CtaProgram>> running;
  std::vector<CtaRunner> runners;
  for (std::uint32_t c = 0; c < ctas; ++c) {
    running.push_back(program.start_cta(CtaId(c)));
    runners.emplace_back(program.name(), *running.back(), result);
  }
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
    const auto cta = program.start_cta(CtaId(static_cast<std::uint32_t>(c)));
    CtaRunner runner(program.name(), *cta, *result);
    runner.run(instruction_budget, issued, CtaRunner::kNoSlice);
    issued += runner.issued();
  }
  return issued;
}

std::uint64_t run_cta(const KernelProgram& program, CtaProgram& cta, std::uint64_t most) {
  const auto result = std::make_unique<IssueResult>();
  CtaRunner runner(program.name(), cta, *result);
  runner.run_for(most);
  return runner.issued();
}

}  // namespace tessera::ptx
