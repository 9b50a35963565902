// SPDX-License-Identifier: Apache-2.0
#include "platforms/execution_window.h"

#include <algorithm>
#include <utility>

#include "common/json.h"

namespace tessera {

ExecutionWindow::ExecutionWindow(const WindowOptions& options, std::uint64_t clock_hz,
                                 std::uint64_t most_per_cycle, Hooks hooks)
    : options_(options),
      clock_(clock_hz),
      most_per_cycle_(most_per_cycle),
      hooks_(std::move(hooks)) {
  wake_.bind<&ExecutionWindow::process>(*this);
}

void ExecutionWindow::begin() {
  begun_ = true;
  began_at_ = now();
  if (options_.detail != 0) wake_.at(clock_.after(began_at_, 0) + 1);
}

void ExecutionWindow::process() {
  const std::uint64_t executed = hooks_.executed();
  if (executed < options_.detail) {
    const std::uint64_t left = options_.detail - executed;
    const std::uint64_t cycles = (left + most_per_cycle_ - 1) / most_per_cycle_;
    wake_.at(clock_.after(now(), cycles - 1) + 1);
    return;
  }
  over_ = true;
  ended_at_ = now();
  detailed_ = executed;
  hooks_.on_end();
}

nlohmann::ordered_json ExecutionWindow::to_json() const {
  // Instructions that SMs issue between the window's end and the release of their CTAs belong to
  // the rest.
  const std::uint64_t late = hooks_.executed() - detailed();
  return {{"skip", options_.skip},
          {"detail", options_.detail},
          {"begin_cycle", clock_.cycle_at(began_at_)},
          {"end_cycle", clock_.cycle_at(ended_at())},
          {"rest", options_.rest},
          {"complete", over_},
          {"skipped_thread_instructions", skipped_},
          {"detailed_thread_instructions", detailed()},
          {"rest_thread_instructions", rest_ + late}};
}

void run_untimed(const KernelRest& rest,
                 const std::function<void(std::uint64_t ended, const Executed& more)>& working) {
  KernelProgram& kernel = *rest.kernel;
  std::vector<CtaProgram*> held;
  for (const HeldCta& cta : rest.held) held.push_back(cta.program.get());
  std::uint64_t ended = held.size();
  working(ended, run_ctas(kernel, held, kAllInstructions, kUntimedBudget));
  while (const std::optional<CtaId> id = rest.next()) {
    const std::unique_ptr<CtaProgram> cta = kernel.start_cta(*id);
    working(++ended, run_ctas(kernel, {cta.get()}, kAllInstructions, kUntimedBudget));
  }
}

KernelRest whole_kernel(KernelProgram& kernel) {
  KernelRest rest;
  rest.kernel = &kernel;
  const std::uint64_t ctas = kernel.grid().count();
  if (kernel.cooperative()) {
    for (std::uint32_t c = 0; c < ctas; ++c) {
      rest.held.push_back({{}, CtaId(c), kernel.start_cta(CtaId(c))});
    }
    rest.next = []() -> std::optional<CtaId> { return std::nullopt; };
    return rest;
  }
  rest.next = [ctas, next = std::uint32_t{0}]() mutable -> std::optional<CtaId> {
    if (next == ctas) return std::nullopt;
    return CtaId(next++);
  };
  return rest;
}

}  // namespace tessera
