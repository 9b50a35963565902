// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "modules/core/block.h"
#include "modules/core/domain_link.h"
#include "modules/core/process_timer.h"
#include "modules/core/time.h"
#include "modules/core/timed_queue.h"
#include "modules/host/dispatch_config.h"
#include "modules/host/flush_stages.h"
#include "modules/host/gpu_dispatcher.h"
#include "modules/host/partial_kernel.h"
#include "modules/sm/sm_interfaces.h"
#include "policies/cta_scheduler.h"

namespace tessera {

/// Makes the CtaScheduler of a GPU.
using CtaSchedulerFactory = std::function<std::unique_ptr<CtaScheduler>()>;

/// CTA dispatcher: runs one kernel at a time for the CommandProcessor. A part in each GPU
/// (GpuDispatcher) dispatches the GPU's CTAs to its SMs, in the order of a CtaScheduler of its own,
/// and flushes the GPU's caches stage by stage when the kernel has ended in all GPUs.
///
/// Timing: that of the parts. With several GPUs, an order to a part and its report take
/// `gpu_latency_ns` each, rounded up to a clock edge. A kernel's CTAs have then ended when the last
/// report has arrived, and so has a flush stage. Not modelled: concurrent kernels, CTAs that change
/// their GPU.
class CtaDispatcher final : public sc_core::sc_module, public Block, public DispatchEventsIf {
 public:
  sc_core::sc_vector<sc_core::sc_port<CtaSinkIf>> sms;
  sc_core::sc_export<DispatchEventsIf> events;

  /// `gpus`: domains of the GPUs, which have the same number of SMs each. Empty: one GPU, in the
  /// domain under construction.
  CtaDispatcher(const sc_core::sc_module_name& name, const DispatchConfig& config,
                const CtaSchedulerFactory& make_scheduler, unsigned sm_count,
                const std::vector<Domain*>& gpus = {});

  /// Sets the caches of a GPU that are flushed when a kernel ends, in order. All GPUs have the same
  /// stages; the last ones of a GPU can be left out. Not while a kernel runs.
  void set_flush_stages(GpuId gpu, std::vector<FlushStage> stages);
  /// From now on, a kernel ends without flush, and the next kernel begins with it.
  void flush_before_kernels() { flush_.put_off(); }

  /// Starts a kernel, if none is running. The dispatcher's process calls `on_end` when the last CTA
  /// has ended, all stores are performed and the caches are flushed. After a failure it calls
  /// `on_end` with the error: RunError from the kernel, or if schedulers leave CTAs out; InputError
  /// if a CTA does not fit an SM, or if the grid of a cooperative kernel does not fit all SMs at
  /// once. The kernel must live until that call; after a failure, until the platform is reset or
  /// destroyed. `make_scheduler`: for this launch; empty: the dispatcher's own schedulers.
  void launch(KernelProgram& kernel, std::function<void(std::exception_ptr)> on_end,
              const CtaSchedulerFactory& make_scheduler = {});

  /// Kernels that start from now on are executed by `skip` first, CTA by CTA, until it returns
  /// false. It gets the CTAs in the order in which equally fast SMs would get them, and all CTAs of
  /// a cooperative kernel at once. SMs adopt those that it leaves partially executed. The
  /// statistics count no skipped CTA. `done`: called when `skip` has returned false; the kernel's
  /// other CTAs are then about to start.
  void skip_first(CtaSkip skip, std::function<void()> done);
  /// Stops the running kernel, if there is one: the parts deal no more CTAs, and the SMs release
  /// theirs when they have no outstanding access. It ends without flush; see take_rest().
  void stop();
  /// The rest of the last kernel, if it was stopped; otherwise nothing.
  std::optional<KernelRest> take_rest();

  void cta_finished(SmId sm, CtaId cta) override { part_of(sm).cta_finished(sm, cta); }
  void sm_drained(SmId sm) override { part_of(sm).sm_drained(sm); }
  void kernel_failed(SmId sm, std::exception_ptr error) override {
    part_of(sm).kernel_failed(sm, std::move(error));
  }

  /// CTAs of the running or the last kernel.
  std::uint64_t ctas_done() const;
  std::uint64_t ctas_total() const { return ctas_total_; }
  /// When the last CTA of a kernel ended the last time, and its stores were performed.
  Tick drained_at() const { return drained_at_; }
  const DispatchStats& stats() const { return stats_; }
  /// Brings stats().ctas up to date, while a kernel runs as well, and returns it.
  std::uint64_t count_ctas();
  /// Counts the CTAs and the busy cycles up to now.
  void settle_statistics();

  bool idle() const override { return kernel_ == nullptr; }
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  /// A GPU's part and the paths to and from it.
  struct Gpu {
    std::shared_ptr<CtaScheduler> scheduler;  ///< the part's own
    std::unique_ptr<GpuDispatcher> part;
    std::unique_ptr<DomainLink<DispatchOrder>> orders;
    std::unique_ptr<DomainLink<DispatchReport>> reports;
  };

  void add_gpu(std::size_t g, Domain& own, Domain& domain, const CtaSchedulerFactory& make);
  GpuDispatcher& part_of(SmId sm) { return *gpus_[sm.value / sms_per_gpu_].part; }
  void process();
  void begin(Tick t);
  void deal(Tick t);
  LaunchSchedulers schedulers() const;
  void handle_reports(Tick t);
  void proceed(Tick t);
  void check_dealt();
  void order_all(Tick t, const DispatchOrder& order);
  unsigned residents() const;
  std::uint64_t started() const;
  std::uint64_t started_numbers() const;
  void count_busy_cycles(Tick t);
  void fail(Tick t);
  void end_kernel(Tick t);

  const DispatchConfig config_;
  const ClockDomain clock_;
  const unsigned sms_per_gpu_;
  const Tick latency_;  ///< between the dispatcher and a part
  std::vector<Gpu> gpus_;
  TimedQueue<DispatchReport> reports_;  ///< by GPU
  KernelProgram* kernel_ = nullptr;
  std::vector<std::shared_ptr<CtaScheduler>> planned_;  ///< by GPU, for a launch; can be empty
  std::function<void(std::exception_ptr)> on_end_;
  CtaSkip skip_;
  std::function<void()> skip_done_;
  KernelProgram* stopped_ = nullptr;  ///< the last kernel, if it was stopped
  DispatchReport failure_;
  Tick start_at_ = 0;
  Tick busy_since_ = 0;          ///< of the running kernel: busy cycles are counted up to here
  bool begun_ = false;           ///< the parts have been ordered to begin
  std::size_t outstanding_ = 0;  ///< reports of parts that have not ended, or not flushed
  Tick drained_at_ = 0;
  FlushSequence flush_{clock_};
  std::uint64_t ctas_total_ = 0;
  std::uint64_t ended_before_ = 0;  ///< CTAs of earlier kernels
  std::uint64_t started_before_ = 0;
  std::uint64_t numbers_before_ = 0;  ///< GpuDispatcher::started_numbers()
  ProcessTimer wake_;
  DispatchStats stats_;
};

}  // namespace tessera
