// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "platforms/execution_window.h"
#include "platforms/gpu_device.h"
#include "platforms/system.h"

namespace tessera {

/// A run of which only a window is simulated in detail: executes what lies before and after it
/// without timing, and moves the values between the memory system and the flat memory.
class WindowedRun {
 public:
  struct Hooks {
    std::function<void()> begun;  ///< the first CTAs of the window start now
    std::function<void()> ended;  ///< called one tick after the window's last edge
    std::function<void()> drain;  ///< waits until no block has work
    /// Progress of host work: what it is, and the fraction that is done.
    std::function<void(const std::string&, double)> host_works;
  };

  /// The pointees must outlive it.
  WindowedRun(const WindowOptions& options, const GpuConfig& config, System& system,
              GpuDevice& device, Hooks hooks);

  const ExecutionWindow& window() const { return window_; }
  /// Whether the window is over, and the run ends with it.
  bool ends_run() const { return window_.over() && !options_.rest; }
  /// After each timed launch.
  void launch_ended();
  /// Executes a launch after the window.
  void run_untimed_launch(const LaunchRequest& request);

 private:
  bool skip(KernelProgram& kernel, const std::vector<CtaProgram*>& ctas);
  void begin();
  void end();
  void run_rest(const KernelRest& rest);

  const WindowOptions options_;
  System& system_;
  GpuDevice& device_;
  const Hooks hooks_;
  ExecutionWindow window_;
  bool gathered_ = false;  ///< device_.gather_values() in this launch
};

}  // namespace tessera
