// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/ids.h"
#include "common/json_fwd.h"
#include "modules/kernel/time.h"
#include "modules/vp/riscv_core.h"
#include "modules/vp/timeline.h"
#include "platforms/kernel_records.h"

namespace tessera {

/// What cores and GPUs of a virtual platform did over simulated time: "timeline" of stats.json
/// (docs/guide/virtual-platform.md, "Time line"). Its memory is bounded (BoundedIntervals): a row a
/// core, and for each GPU a row a command queue that has launched.
///
/// No call has an effect after end().
class MachineTimeline {
 public:
  /// `detailed`: DETAIL of GPU services, at the begin.
  MachineTimeline(std::uint32_t harts, std::uint32_t gpus, bool detailed);

  void set_activity(std::uint32_t hart, CoreActivity activity, Tick at);
  /// An access to a device or to device memory takes this time of the core.
  void access(std::uint32_t hart, Tick begin, Tick end);
  /// `wires`: bits of mip.
  void interrupt(std::uint32_t hart, std::uint64_t wires, Tick at);
  void exception(std::uint32_t hart, std::uint64_t cause, Tick at);
  void doorbell(std::uint32_t hart, std::uint32_t queue, Tick at);

  /// A kernel is launched; it begins when it waits for no other kernel.
  void start_kernel(const StartedLaunch& launch, const std::string& name);
  void begin_kernel(LaunchId launch, Tick at);
  /// A GPU has ended its CTAs. `first_cta_at`: kNever: there were none.
  void end_on_gpu(LaunchId launch, GpuId gpu, Tick first_cta_at, Tick at);
  /// The kernel has ended: with an error, if a GPU has not ended its CTAs.
  void end_kernel(LaunchId launch, Tick at);

  /// A page fault of a GPU begins to wait for software, or no longer does.
  void set_fault(std::uint64_t gpu, bool waits, Tick at);
  void set_detail(bool detailed, Tick at);

  void end(Tick at);
  nlohmann::ordered_json to_json() const;

 private:
  struct Core {
    StateTimeline activity;
    SpanTimeline interrupts, exceptions, doorbells;
  };
  struct ByNumber {  ///< "queue 2" before "queue 10"
    bool operator()(const std::string& a, const std::string& b) const {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    }
  };
  struct Gpu {
    std::map<std::string, SpanTimeline, ByNumber> queues;
    StateTimeline faults;
    std::uint64_t waiting = 0;  ///< faults
  };
  struct Kernel {
    std::string name;
    std::string queue;
    Tick begin = 0;
    std::vector<bool> runs_on;  ///< by GPU
  };

  void end_unfinished(const Kernel& kernel, Tick at);

  std::vector<Core> cores_;
  std::vector<Gpu> gpus_;
  StateTimeline detail_;
  std::map<LaunchId, Kernel> kernels_;  ///< that run
  bool ended_ = false;
  std::uint64_t end_ns_ = 0;
};

}  // namespace tessera
