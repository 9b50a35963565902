// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "modules/host/dispatch_messages.h"
#include "modules/host/flush_stages.h"
#include "modules/host/gpu_kernel.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/time.h"
#include "modules/kernel/timed_queue.h"
#include "modules/sm/sm_interfaces.h"
#include "policies/kernel_scheduler.h"
#include "policies/sm_parts.h"

namespace tessera {

/// The part of the CtaDispatcher in one GPU: it deals the CTAs of the kernels that run on the GPU
/// to its SMs, and flushes the GPU's caches. It belongs to the GPU's domain.
///
/// Timing: an SM with free resources gets at most one CTA a cycle. An SM's notification takes
/// effect at the next clock edge. Orders take effect, and reports are made, at a clock edge.
class GpuDispatcher {
 public:
  /// `first`: the GPU's first SM. `report`: called at the time of a report. `kernels` must outlive
  /// it.
  GpuDispatcher(std::uint64_t clock_hz, SmId first, const SmParts& parts,
                const KernelScheduler& kernels,
                std::function<void(DispatchReport&& report)> report);
  /// Adds the port of the next SM, in order.
  void add(sc_core::sc_port<CtaSinkIf>& sm) { sms_.push_back({&sm, {}}); }
  void set_flush_stages(FlushStages stages) { flush_.set_stages(std::move(stages)); }

  /// Enqueues an order that arrives at `at`.
  void order(Tick at, DispatchOrder&& order);
  void cta_finished(SmId sm, LaunchedCta cta) {
    notify(sm, {Notification::Kind::kCtaFinished, cta});
  }
  void sm_drained(SmId sm, LaunchSlot launch) {
    notify(sm, {Notification::Kind::kDrained, {CtaId(0), launch}});
  }
  void kernel_failed(SmId sm, std::exception_ptr error);

  /// CTAs of all kernels so far.
  std::uint64_t started() const { return started_; }
  std::uint64_t ended() const { return ended_; }
  /// Those of started() that were executed without timing, at least in part.
  std::uint64_t skipped() const { return skipped_; }
  /// After kStop: the CTAs that the SMs have released, in any order.
  std::vector<HeldCta> take_released() { return std::exchange(released_, {}); }
  void describe_waiting(const std::string& base, std::vector<Waiting>& out) const;
  void reset();

 private:
  struct Sm {
    sc_core::sc_port<CtaSinkIf>* port = nullptr;
    SmResources used;
  };
  struct Notification {
    enum class Kind : std::uint8_t { kCtaFinished, kCtaReleased, kDrained };
    Kind kind = Kind::kDrained;
    LaunchedCta cta;
  };

  void process();
  void follow(DispatchOrder order, Tick t);
  void begin(DispatchOrder order, Tick t);
  void adopt(GpuKernel& kernel, SkippedCtas& skipped, Tick t);
  void release_all();
  void released(std::uint32_t sm, LaunchedCta cta, std::unique_ptr<CtaProgram> program);
  void handle_notifications(Tick t);
  bool deal(Tick t);
  GpuKernel* choose(std::uint32_t sm);
  bool fits(std::uint32_t sm, const GpuKernel& kernel);
  void occupy(std::uint32_t sm, GpuKernel& kernel, CtaId cta, Tick t);
  void report_ended();
  void notify(SmId sm, const Notification& what);

  const ClockDomain clock_;
  const SmId first_;
  const SmParts parts_;
  const KernelScheduler& scheduling_;
  const std::function<void(DispatchReport&&)> report_;
  std::vector<Sm> sms_;
  SmResources capacity_;  ///< of each SM; known when CTAs are dealt
  TimedQueue<DispatchOrder> orders_;
  TimedQueue<Notification> notifications_;  ///< by SM; due at the edge after its arrival
  /// Kernels with CTAs that are pending or run, by priority, then in the order in which they began.
  std::vector<std::unique_ptr<GpuKernel>> kernels_;
  std::vector<GpuKernel*> candidates_;  ///< of choose()
  std::vector<KernelAtSm> views_;
  std::vector<HeldCta> released_;
  DispatchReport failure_;  ///< the first failure, if failure_.error is set
  Tick failure_due_ = kNever;
  StageFlush flush_;
  std::uint64_t started_ = 0;
  std::uint64_t ended_ = 0;
  std::uint64_t skipped_ = 0;
  ProcessTimer wake_;
};

}  // namespace tessera
