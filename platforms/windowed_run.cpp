// SPDX-License-Identifier: Apache-2.0
#include "platforms/windowed_run.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace tessera {

WindowedRun::WindowedRun(const WindowOptions& options, const GpuConfig& config, System& system,
                         GpuDevice& device, Hooks hooks)
    : options_(options),
      system_(system),
      device_(device),
      hooks_(std::move(hooks)),
      window_(options, config.sm.clock_hz,
              std::uint64_t{config.system.sms} * config.sm.schedulers * kWarpLanes,
              ExecutionWindow::Hooks{[this] { return system_.sms().thread_instructions(); },
                                     [this] { end(); }}) {
  if (options.skip == 0) {
    window_.begin();
    return;
  }
  system_.dispatcher().skip_first(
      [this](KernelProgram& kernel, const std::vector<CtaProgram*>& ctas) {
        return skip(kernel, ctas);
      },
      [this] { begin(); });
}

/// Executes CTAs before the window. Returns whether more instructions are to be skipped.
bool WindowedRun::skip(KernelProgram& kernel, const std::vector<CtaProgram*>& ctas) {
  if (!std::exchange(gathered_, true)) device_.gather_values();
  kernel.use_flat_memory(&device_.flat_memory());
  window_.skipped(run_ctas(kernel, ctas, window_.skip_left(), kUntimedBudget).thread_instructions);
  if (device_.values() == ValueMode::kCarried) kernel.use_flat_memory(nullptr);
  const auto all = static_cast<double>(options_.skip);
  hooks_.host_works(kernel.name() + ", skipped",
                    1 - static_cast<double>(window_.skip_left()) / all);
  return window_.skip_left() != 0;
}

void WindowedRun::begin() {
  device_.scatter_values();
  gathered_ = false;
  window_.begin();
  hooks_.begun();
}

void WindowedRun::end() {
  hooks_.ended();
  if (options_.rest) {
    system_.dispatcher().stop();
  } else {
    sc_core::sc_pause();
  }
}

/// Executes what is left of a stopped kernel without timing.
void WindowedRun::run_rest(const KernelRest& rest) {
  KernelProgram& kernel = *rest.kernel;
  kernel.use_flat_memory(&device_.flat_memory());
  const auto ctas = static_cast<double>(kernel.grid().count());
  const std::string what = kernel.name() + ", without timing";
  run_untimed(rest, [&](std::uint64_t ended, const Executed& more) {
    window_.rest(more.thread_instructions);
    hooks_.host_works(what, static_cast<double>(ended) / ctas);
  });
}

/// A launch in which the window has not begun, or is over, needs its values in the flat memory.
/// From the window's end on, all kernels are executed without timing.
void WindowedRun::launch_ended() {
  if (std::exchange(gathered_, false)) device_.scatter_values();
  if (!window_.over()) return;
  hooks_.drain();
  device_.gather_values();
  device_.set_values(ValueMode::kFunctional);
  device_.end_timed_accesses();
  if (const std::optional<KernelRest> rest = system_.dispatcher().take_rest()) run_rest(*rest);
}

void WindowedRun::run_untimed_launch(const LaunchRequest& request) {
  const auto program = source_of(request).make(request, device_.flat_environment());
  run_rest(whole_kernel(*program));
}

}  // namespace tessera
