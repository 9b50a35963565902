// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "modules/host/partial_kernel.h"
#include "modules/kernel/time.h"
#include "policies/cta_scheduler.h"
#include "stimuli/warp_program.h"

namespace tessera {

class Domain;
class KernelScheduler;

/// Makes the CtaScheduler of a GPU for kernels that use one of `parts` equal parts of its SMs
/// (KernelScheduler::parts()).
using CtaSchedulerFactory = std::function<std::unique_ptr<CtaScheduler>(std::uint32_t parts)>;

/// The SMs of a dispatcher, and who divides them.
struct CtaDispatcherSite {
  std::uint32_t sms = 0;
  std::uint32_t sms_per_node = 0;  ///< of innermost nodes; 0: a GPU is one node
  std::vector<Domain*> gpus = {};  ///< domains of GPUs with as many SMs each; empty: one GPU, here
  std::shared_ptr<const KernelScheduler> kernels = {};  ///< null: "leftover"
};

/// How a kernel has ended.
struct KernelEnd {
  std::exception_ptr error;
  Tick first_cta_at = kNever;  ///< when its first CTA began; kNever: none
};

/// A kernel for the CtaDispatcher.
struct KernelLaunch {
  KernelLaunch() = default;
  KernelLaunch(KernelProgram& program, std::function<void(const KernelEnd&)> ended)
      : kernel(&program), on_end(std::move(ended)) {}

  /// Must live until on_end; after a failure, until the platform is reset or destroyed.
  KernelProgram* kernel = nullptr;
  /// For this launch; empty: the dispatcher's own schedulers.
  CtaSchedulerFactory make_scheduler = {};
  std::int32_t priority = 0;  ///< lower numbers first
  /// Called in each GPU's domain before its first CTA begins. `alone`: no other kernel runs on the
  /// GPU. Can be empty.
  std::function<void(GpuId, bool alone)> on_begin = {};
  /// Called when the kernel begins after it has waited for other kernels. Can be empty.
  std::function<void()> on_turn = {};
  /// Called in the dispatcher's process when a GPU has ended its CTAs. `first_cta_at`: when the
  /// first of them began; kNever: there were none. Can be empty.
  std::function<void(GpuId, Tick first_cta_at)> on_gpu_end = {};
  /// Called in the dispatcher's process when the last CTA has ended, all stores are performed and
  /// the caches are flushed. After a failure, with the error: RunError from the kernel, or if
  /// schedulers leave CTAs out; InputError if a CTA does not fit an SM, or if the grid of a
  /// cooperative kernel does not fit its SMs at once.
  std::function<void(const KernelEnd& end)> on_end;
};

/// A kernel in the CtaDispatcher.
struct DispatchedKernel {
  enum class State : std::uint8_t {
    kWaiting,   ///< for its launch latency, or for other kernels
    kFlushing,  ///< a flush precedes its CTAs
    kRunning,
    kEnded,  ///< waits for its flush
  };

  KernelLaunch launch;
  LaunchSlot slot;
  Tick start_at = 0;
  State state = State::kWaiting;
  bool waited = false;        ///< for other kernels
  std::uint32_t part = 0;     ///< of the SMs
  bool shares_flush = false;  ///< kEnded: the flush that runs is also for it
  /// By GPU. The dispatcher's own, or those of the launch.
  std::vector<std::shared_ptr<CtaScheduler>> schedulers;
  std::size_t outstanding = 0;  ///< GPUs that have not ended
  std::uint64_t ctas = 0;
  std::uint64_t started = 0;  ///< in GPUs that have ended
  std::uint64_t started_numbers = 0;
  Tick first_cta_at = kNever;

  LaunchSchedulers launch_schedulers(std::uint32_t sms_per_gpu) const {
    LaunchSchedulers s;
    s.sms_per_gpu = sms_per_gpu;
    for (const auto& scheduler : schedulers) s.of_gpu.push_back(scheduler.get());
    return s;
  }
};

}  // namespace tessera
