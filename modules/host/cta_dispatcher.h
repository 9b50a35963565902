// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "modules/host/dispatch_config.h"
#include "modules/host/gpu_dispatcher.h"
#include "modules/host/kernel_launch.h"
#include "modules/kernel/block_base.h"
#include "modules/kernel/domain_link.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/time.h"
#include "modules/kernel/timed_queue.h"

namespace tessera {

struct DispatcherSite;

/// CTA dispatcher: runs the kernels that the CommandProcessor launches. The KernelScheduler selects
/// which of them run at the same time. A part in each GPU (GpuDispatcher) dispatches the GPU's CTAs
/// to its SMs, in the order of a CtaScheduler that each kernel has in each GPU, and flushes the
/// GPU's caches stage by stage when a kernel has ended in all GPUs.
///
/// The flush at the end of a kernel makes its writes visible. If no other kernel runs, it is the
/// platform's whole flush, and no kernel begins until it ends. Beside other kernels, caches write
/// back and drop copies of other nodes' lines only, with accesses in flight. Kernels that end while
/// a flush runs share the next one. A cooperative kernel waits until no other cooperative kernel
/// runs, because both could hold SMs that the other one needs.
///
/// Timing: that of the parts. With several GPUs, an order to a part and its report take
/// `gpu_latency_ns` each, rounded up to a clock edge. A kernel's CTAs have then ended when the last
/// report has arrived, and so has a flush stage. Not modelled: preemption, CTAs that move.
class CtaDispatcher final : public BlockBase<DispatchConfig, DispatchStats, DispatcherSite>,
                            public DispatchEventsIf {
 public:
  sc_core::sc_vector<sc_core::sc_port<CtaSinkIf>> sms;
  sc_core::sc_export<DispatchEventsIf> events;

  CtaDispatcher(const sc_core::sc_module_name& name, const DispatchConfig& config,
                const CtaSchedulerFactory& make_scheduler, const CtaDispatcherSite& site);

  /// Sets the caches of a GPU that are flushed when a kernel ends, in order. All GPUs have the same
  /// stages; the last ones of a GPU can be left out. Not while a kernel runs.
  void set_flush_stages(GpuId gpu, FlushStages stages);
  /// From now on, a kernel ends without flush, and the next kernel begins with it.
  void flush_before_kernels() { put_off_ = true; }

  /// Launches a kernel, which begins when the KernelScheduler admits it. Returns its number. At
  /// most DispatchConfig::kMostQueues at a time.
  LaunchSlot launch(KernelLaunch launch);
  /// Kernels that start from now on are executed by `skip` first, CTA by CTA, until it returns
  /// false. It gets the CTAs in the order in which equally fast SMs would get them, and all CTAs of
  /// a cooperative kernel at once. SMs adopt those that it leaves partially executed. The
  /// statistics count no skipped CTA. `done`: called when `skip` has returned false; the kernel's
  /// other CTAs are then about to start. One kernel at a time.
  void skip_first(CtaSkip skip, std::function<void()> done);
  /// Stops the running kernel, if any: the parts deal no more CTAs, and the SMs release theirs when
  /// they have no outstanding access. It ends without flush; see take_rest(). One kernel at a time.
  void stop();
  /// The rest of the last kernel, if it was stopped; otherwise nothing.
  std::optional<KernelRest> take_rest();
  void cta_finished(SmId sm, LaunchedCta cta) override { part_of(sm).cta_finished(sm, cta); }
  void sm_drained(SmId sm, LaunchSlot launch) override { part_of(sm).sm_drained(sm, launch); }
  void kernel_failed(SmId sm, std::exception_ptr error) override {
    part_of(sm).kernel_failed(sm, std::move(error));
  }

  const KernelScheduler& kernel_scheduler() const { return *kernel_scheduler_; }
  /// Whether a kernel runs or is being flushed.
  bool runs() const { return count(State::kFlushing, State::kEnded) != 0; }
  /// CTAs of the kernels that run, or of the last ones.
  std::uint64_t ctas_done() const;
  std::uint64_t ctas_total() const { return ctas_total_; }
  /// When the last CTA of a kernel ended the last time, and its stores were performed.
  Tick drained_at() const { return drained_at_; }
  /// Brings stats().ctas up to date, while a kernel runs as well, and returns it.
  std::uint64_t count_ctas();
  /// Counts the CTAs and the busy cycles up to now.
  void settle_statistics();

  bool idle() const override { return kernels_.empty(); }
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  using State = DispatchedKernel::State;
  /// A GPU's part and the paths to and from it.
  struct Gpu {
    std::shared_ptr<CtaScheduler> scheduler;  ///< of one kernel at a time
    std::unique_ptr<GpuDispatcher> part;
    std::unique_ptr<DomainLink<DispatchOrder>> orders;
    std::unique_ptr<DomainLink<DispatchReport>> reports;
  };

  void add_gpu(std::size_t g, Domain& own, Domain& domain);
  GpuDispatcher& part_of(SmId sm) { return *gpus_[sm.value / sms_per_gpu_].part; }
  void process();
  bool step(Tick t);
  bool may_begin(DispatchedKernel& k, Tick t) const;
  void begin(DispatchedKernel& k, Tick t);
  void deal(DispatchedKernel& k, Tick t);
  void order_ctas(DispatchedKernel& k, const SkipResult& skipped, Tick t);
  void select_schedulers(DispatchedKernel& k);
  void handle_reports(Tick t);
  void ctas_ended(DispatchedKernel& k, Tick t);
  void begin_flush(LaunchSlot of, Tick t);
  void proceed_flush(Tick t);
  void end(DispatchedKernel& k, const std::exception_ptr& error, Tick t);
  void fail(Tick t);
  void order_all(Tick t, const DispatchOrder& order);
  std::size_t count(State from, State to) const;
  std::uint64_t started() const;
  void count_busy_cycles(Tick t);

  const ClockDomain clock_;
  const CtaSchedulerFactory make_scheduler_;
  const std::shared_ptr<const KernelScheduler> kernel_scheduler_;
  const unsigned sms_per_gpu_;
  const SmParts parts_;
  const Tick latency_;  ///< between the dispatcher and a part
  std::vector<Gpu> gpus_;
  TimedQueue<DispatchReport> reports_;                      ///< by GPU
  std::vector<std::unique_ptr<DispatchedKernel>> kernels_;  ///< by priority, then by launch
  CtaSkip skip_;
  std::function<void()> skip_done_;
  bool stops_ = false;                         ///< stop() has been called for the kernel
  std::unique_ptr<DispatchedKernel> stopped_;  ///< the last kernel, if it was stopped
  DispatchReport failure_;
  FlushSequence flush_{clock_};
  std::size_t flush_outstanding_ = 0;  ///< GPUs that have not ended the stage
  LaunchSlot flush_of_;                ///< launch that waits for the flush
  bool put_off_ = false;
  bool flush_due_ = false;  ///< before the next kernel
  Tick busy_since_ = 0;     ///< busy cycles are counted up to here
  Tick drained_at_ = 0;
  std::uint64_t ctas_total_ = 0;
  std::uint64_t ended_before_ = 0;  ///< CTAs of earlier kernels
  std::uint64_t started_before_ = 0;
  LaunchSlot last_slot_;
  ProcessTimer wake_;
};

}  // namespace tessera
