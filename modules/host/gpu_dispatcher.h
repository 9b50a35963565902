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

#include "modules/core/process_timer.h"
#include "modules/core/time.h"
#include "modules/core/timed_queue.h"
#include "modules/host/flush_stages.h"
#include "modules/host/partial_kernel.h"
#include "modules/sm/sm_interfaces.h"
#include "policies/cta_scheduler.h"

namespace tessera {

/// A command of the CtaDispatcher to a GPU's part.
struct DispatchOrder {
  enum class Kind : std::uint8_t {
    kBegin,  ///< deal the kernel's CTAs
    kStop,   ///< deal no more, and release the CTAs that run
    kFlush,  ///< run a flush stage
    kAbort,  ///< the kernel has failed: deal no more
  };
  Kind kind = Kind::kBegin;
  KernelProgram* kernel = nullptr;
  unsigned residents = 0;                   ///< the kernel's maximum of CTAs per SM
  std::shared_ptr<CtaScheduler> scheduler;  ///< begun; this GPU's own
  std::shared_ptr<SkippedCtas> skipped;     ///< null if there are none
  std::size_t stage = 0;
};

/// A message of a GPU's part to the CtaDispatcher.
struct DispatchReport {
  enum class Kind : std::uint8_t {
    kEnded,    ///< the GPU's CTAs have ended or left, and their stores are performed
    kFlushed,  ///< the flush stage has ended
    kFailed,   ///< an SM has reported a failure
  };
  Kind kind = Kind::kEnded;
  Tick wrote_back_until = 0;  ///< kFlushed: StageFlush::wrote_back_until()
  std::exception_ptr error;
  Tick failed_at = kNever;  ///< time and SM of error
  SmId failed_sm;
};

/// The part of the CtaDispatcher in one GPU: it deals the GPU's CTAs to its SMs and flushes its
/// caches. It belongs to the GPU's domain.
///
/// Timing: an SM with free resources gets at most one CTA a cycle. An SM's notification takes
/// effect at the next clock edge. Orders take effect, and reports are made, at a clock edge.
class GpuDispatcher {
 public:
  /// `first`: the GPU's first SM. `sms`: ports of its SMs, in order. `report`: called at the time
  /// of a report.
  GpuDispatcher(std::uint64_t clock_hz, SmId first,
                std::function<void(DispatchReport&& report)> report);
  void add(sc_core::sc_port<CtaSinkIf>& sm) { sms_.push_back({&sm, {}, true}); }
  void set_flush_stages(std::vector<FlushStage> stages) { flush_.set_stages(std::move(stages)); }

  /// Enqueues an order that arrives at `at`.
  void order(Tick at, DispatchOrder&& order);
  void cta_finished(SmId sm, CtaId cta) { notify(sm, {Notification::Kind::kCtaFinished, cta}); }
  void sm_drained(SmId sm) { notify(sm, {Notification::Kind::kDrained, {}}); }
  void kernel_failed(SmId sm, std::exception_ptr error);

  /// CTAs of all kernels so far.
  std::uint64_t started() const { return started_; }
  /// Sum of the numbers of the CTAs that have started.
  std::uint64_t started_numbers() const { return started_numbers_; }
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
    std::vector<CtaId> running;
    bool drained = true;
  };
  struct Notification {
    enum class Kind : std::uint8_t { kCtaFinished, kCtaReleased, kDrained };
    Kind kind = Kind::kDrained;
    CtaId cta;
  };

  void process();
  void follow(DispatchOrder order, Tick t);
  void adopt(SkippedCtas& skipped, Tick t);
  void release_all();
  void released(std::uint32_t sm, CtaId cta, std::unique_ptr<CtaProgram> program);
  void handle_notifications(Tick t);
  bool deal(Tick t);
  void notify(SmId sm, const Notification& what);

  const ClockDomain clock_;
  const SmId first_;
  const std::function<void(DispatchReport&&)> report_;
  std::vector<Sm> sms_;
  TimedQueue<DispatchOrder> orders_;
  TimedQueue<Notification> notifications_;  ///< by SM; due at the edge after its arrival
  KernelProgram* kernel_ = nullptr;         ///< null unless CTAs are pending or running
  std::shared_ptr<CtaScheduler> scheduler_;
  unsigned residents_ = 0;
  bool stopped_ = false;
  std::vector<HeldCta> released_;
  DispatchReport failure_;  ///< the first failure, if failure_.error is set
  Tick failure_due_ = kNever;
  StageFlush flush_;
  std::uint64_t started_ = 0;
  std::uint64_t started_numbers_ = 0;
  std::uint64_t ended_ = 0;
  std::uint64_t skipped_ = 0;
  ProcessTimer wake_;
};

}  // namespace tessera
