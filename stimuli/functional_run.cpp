// SPDX-License-Identifier: Apache-2.0
#include "stimuli/functional_run.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "common/error.h"

namespace tessera {

namespace {

/// Issues the instructions of a CTA, warp by warp.
class CtaRunner {
 public:
  CtaRunner(const std::string& kernel, CtaProgram& cta, IssueResult& result)
      : kernel_(kernel), cta_(cta), result_(result), warps_(cta.warp_count()) {}

  bool ended() const { return cta_.live_warps() == 0; }
  const Executed& executed() const { return executed_; }

  /// Runs every warp that can issue, for at most `slice` instructions or up to its barrier, and
  /// stops when the CTA has executed `most` thread instructions. `before`: warp instructions of
  /// other CTAs, for the clock. `budget`: 0 = no limit.
  void sweep(std::uint64_t slice, std::uint64_t most, std::uint64_t before, std::uint64_t budget) {
    const std::uint64_t executed = executed_.warp_instructions;
    // Computed once, because barriers are released at the end of the sweep.
    const std::uint64_t idle = cta_.waiting_warps() | cta_.ended_warps();
    for (unsigned w = 0; w < warps_ && executed_.thread_instructions < most; ++w) {
      if ((idle >> w & 1) != 0) continue;
      std::uint64_t left = slice;
      if (budget != 0) left = std::min(left, budget - executed_.warp_instructions);
      if (run_warp(w, left, most, before) && executed_.warp_instructions == budget && budget != 0) {
        fail_budget(w, budget);
      }
    }
    const bool released = release_complete();
    if (released || executed_.warp_instructions != executed) return;
    if (executed_.thread_instructions < most && !end_limited_wait(idle, before)) fail_deadlock();
  }

 private:
  /// Runs the warp for at most `left` instructions. Returns true if it can continue.
  bool run_warp(unsigned w, std::uint64_t left, std::uint64_t most, std::uint64_t before) {
    WarpProgram& warp = cta_.warp(w);
    IssueContext context;
    context.warp_slot = w;
    context.end_wait = false;
    for (; left != 0 && executed_.thread_instructions < most; --left) {
      if (!issue(warp, context, before)) return false;
    }
    return true;
  }

  /// Executes one instruction of the warp in the context's slot. Returns true if the warp can
  /// continue.
  [[gnu::always_inline]] bool issue(WarpProgram& warp, IssueContext& context,
                                    std::uint64_t before) {
    const auto w = static_cast<unsigned>(context.warp_slot);
    context.cycle = before + executed_.warp_instructions;
    warp.issue(context, result_);
    if (result_.kind == IssueResult::Kind::kBlocked) return false;
    ++executed_.warp_instructions;
    executed_.thread_instructions += static_cast<unsigned>(__builtin_popcount(result_.active));
    switch (result_.kind) {
      case IssueResult::Kind::kBarrier:
        cta_.arrive(w, result_);
        return result_.barrier_arrive_only;
      case IssueResult::Kind::kExit:
        if (result_.warp_done) cta_.end_warp(w);
        return !result_.warp_done;
      case IssueResult::Kind::kMemory: {
        const MemoryOp& op = result_.memory;
        if (!op.values_done) fail_values();
        if (op.asynchronous) warp.complete({op.pc, 0, op.copy}, nullptr);
        return true;
      }
      case IssueResult::Kind::kCompute:
      case IssueResult::Kind::kFence:
      case IssueResult::Kind::kBlocked:
        return true;
    }
    return true;
  }

  /// Ends the limited waits of all warps that do not wait at a barrier. Returns true if there is
  /// one.
  bool end_limited_wait(std::uint64_t idle, std::uint64_t before) {
    bool any = false;
    for (unsigned w = 0; w < warps_; ++w) {
      if ((idle >> w & 1) != 0 || !cta_.warp(w).wait_is_limited()) continue;
      IssueContext context;
      context.warp_slot = w;
      context.end_wait = true;
      issue(cta_.warp(w), context, before);
      any = true;
    }
    return any;
  }

  bool release_complete() {
    bool any = false;
    for (unsigned id = 0; id < CtaProgram::kBarriers; ++id) any = cta_.release(id) != 0 || any;
    return any;
  }

  [[noreturn]] void fail_budget(unsigned warp, std::uint64_t budget) {
    throw RunError("kernel '" + kernel_ + "', " + cta_.warp(warp).where() +
                   ": the CTA has taken "
                   "more than " +
                   std::to_string(budget) +
                   " warp instructions; an endless loop, or a spin on a value that another "
                   "lane or CTA has to write");
  }

  [[noreturn]] void fail_values() const {
    throw std::logic_error("kernel '" + kernel_ +
                           "' runs functionally, but its values travel: give its program a "
                           "flat memory");
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
    for (unsigned w = 0; w < warps_; ++w) {
      if (((cta_.waiting_warps() | cta_.ended_warps()) >> w & 1) != 0) continue;
      who += "; a warp waits for asynchronous copies or the phase of an mbarrier: " +
             cta_.warp(w).where();
      break;
    }
    throw RunError("kernel '" + kernel_ +
                   "': deadlock at a barrier: " + std::to_string(warps_ - cta_.live_warps()) +
                   " of " + std::to_string(warps_) + " warps of the CTA have ended" + who);
  }

  const std::string& kernel_;
  CtaProgram& cta_;
  IssueResult& result_;
  const unsigned warps_;
  Executed executed_;
};

/// Instructions per warp before the next CTA runs.
constexpr std::uint64_t kSlice = 256;
/// Instructions per warp before the next warp runs, if there is only one CTA: warps can wait for
/// each other.
constexpr std::uint64_t kLongSlice = 1 << 20;
/// Maximum number of resident CTAs; larger than that of any GPU.
constexpr std::uint64_t kMostTogether = 16384;

/// Runs a cooperative kernel with all CTAs resident, because they wait for each other.
Executed run_cooperative(KernelProgram& program, std::uint64_t budget) {
  const std::uint64_t ctas = program.grid().count();
  if (ctas > kMostTogether) {
    throw InputError("kernel '" + program.name() + "' synchronises its grid: its " +
                     std::to_string(ctas) + " CTAs must be resident at once, at most " +
                     std::to_string(kMostTogether));
  }
  std::vector<std::unique_ptr<CtaProgram>> running;
  std::vector<CtaProgram*> all;
  for (std::uint32_t c = 0; c < ctas; ++c) {
    running.push_back(program.start_cta(CtaId(c)));
    all.push_back(running.back().get());
  }
  return run_ctas(program, all, kAllInstructions, budget);
}

}  // namespace

Executed run_ctas(const KernelProgram& program, const std::vector<CtaProgram*>& ctas,
                  std::uint64_t most, std::uint64_t budget) {
  const auto result = std::make_unique<IssueResult>();
  std::vector<CtaRunner> runners;
  runners.reserve(ctas.size());
  for (CtaProgram* cta : ctas) runners.emplace_back(program.name(), *cta, *result);
  const std::uint64_t slice = ctas.size() == 1 ? kLongSlice : kSlice;
  Executed all;
  for (bool any = true; any;) {
    any = false;
    for (CtaRunner& runner : runners) {
      if (runner.ended()) continue;
      if (all.thread_instructions >= most) return all;
      const Executed own = runner.executed();
      const std::uint64_t left = most - all.thread_instructions;
      const std::uint64_t until = left > kAllInstructions - own.thread_instructions
                                      ? kAllInstructions
                                      : own.thread_instructions + left;
      runner.sweep(slice, until, all.warp_instructions - own.warp_instructions, budget);
      all.warp_instructions += runner.executed().warp_instructions - own.warp_instructions;
      all.thread_instructions += runner.executed().thread_instructions - own.thread_instructions;
      any = true;
    }
  }
  return all;
}

Executed run_functionally(KernelProgram& program, std::uint64_t budget) {
  if (program.cooperative()) return run_cooperative(program, budget);
  const std::uint64_t ctas = program.grid().count();
  Executed all;
  for (std::uint64_t c = 0; c < ctas; ++c) {
    const auto cta = program.start_cta(CtaId(static_cast<std::uint32_t>(c)));
    all += run_ctas(program, {cta.get()}, kAllInstructions, budget);
  }
  return all;
}

}  // namespace tessera
