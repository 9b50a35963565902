// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "modules/core/block.h"
#include "modules/core/parameters.h"
#include "modules/core/process_timer.h"
#include "modules/core/time.h"
#include "modules/core/timed_queue.h"
#include "modules/host/flush_stages.h"
#include "modules/sm/sm_interfaces.h"
#include "policies/cta_scheduler.h"

namespace tessera {

/// Configuration of the command processor and the CTA dispatcher, which share a clock.
struct DispatchConfig {
  std::uint64_t clock_hz = 1'400'000'000;
  std::string planner = "immediate";
  std::string scheduler = "distributed";
  std::uint64_t fetch_cycles = 0;
  std::uint64_t launch_cycles = 0;
};

void describe(ParameterVisitor& v, DispatchConfig& c);

struct DispatchStats {
  Counter kernels = 0;
  Counter ctas = 0;
  Counter busy_cycles = 0;
  Counter flush_cycles = 0;
};

void describe(StatisticsVisitor& v, DispatchStats& s);

/// CTA dispatcher: runs one kernel at a time for the CommandProcessor. It dispatches the kernel's
/// CTAs to the SMs in the CtaScheduler's order, and flushes the caches stage by stage when the
/// kernel ends.
///
/// Timing: an SM with free resources gets at most one CTA a cycle. An SM's notification (a CTA has
/// ended, or all stores are acknowledged) takes effect at the next clock edge. Flushes:
/// flush_stages.h. Not modelled: concurrent kernels.
class CtaDispatcher final : public sc_core::sc_module, public Block, public DispatchEventsIf {
 public:
  sc_core::sc_vector<sc_core::sc_port<CtaSinkIf>> sms;
  sc_core::sc_export<DispatchEventsIf> events;

  CtaDispatcher(const sc_core::sc_module_name& name, const DispatchConfig& config,
                std::unique_ptr<CtaScheduler> scheduler, unsigned sm_count);

  /// Sets the caches that are flushed when a kernel ends, in order. Not while a kernel runs.
  void set_flush_stages(std::vector<FlushStage> stages) { flush_.set_stages(std::move(stages)); }

  /// Starts a kernel, if none is running. The dispatcher's process calls `on_end` when the
  /// kernel's last CTA has ended, all its stores are performed and the caches are flushed. After a
  /// failure it calls `on_end` with the error: RunError from the kernel; InputError if a CTA does
  /// not fit an SM, or if the grid of a cooperative kernel does not fit all SMs at once. The kernel
  /// must live until that call; after a failure, until the platform is reset or destroyed.
  /// `scheduler`: for this launch; null: the dispatcher's own.
  void launch(KernelProgram& kernel, std::function<void(std::exception_ptr)> on_end,
              std::unique_ptr<CtaScheduler> scheduler = nullptr);

  void cta_finished(SmId sm) override;
  void sm_drained(SmId sm) override;
  void kernel_failed(SmId sm, std::exception_ptr error) override;

  std::uint64_t ctas_done() const { return ctas_done_; }
  std::uint64_t ctas_total() const { return ctas_total_; }
  const DispatchStats& stats() const { return stats_; }

  bool idle() const override { return kernel_ == nullptr; }
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  /// The dispatcher's state of an SM.
  struct Sm {
    std::uint32_t running = 0;
    bool drained = true;
  };
  enum class Notification : std::uint8_t { kCtaFinished, kDrained };

  void process();
  void fail();
  unsigned residents() const;
  void handle_notifications(Tick t);
  bool deal(Tick t);
  void end_kernel(Tick t);
  void notify(SmId sm, Notification what);

  const DispatchConfig config_;
  const ClockDomain clock_;
  const std::unique_ptr<CtaScheduler> own_scheduler_;
  std::unique_ptr<CtaScheduler> planned_scheduler_;  ///< of the running launch; can be null
  CtaScheduler* scheduler_;  ///< planned_scheduler_, or the dispatcher's own
  std::vector<Sm> sm_;
  TimedQueue<Notification> notifications_;  ///< by SM; due at the edge after its arrival
  KernelProgram* kernel_ = nullptr;
  std::function<void(std::exception_ptr)> on_end_;
  std::exception_ptr error_;
  Tick failed_at_ = kNever;  ///< time and SM of error_
  SmId failed_sm_;
  unsigned residents_ = 0;  ///< the kernel's maximum of CTAs per SM
  Tick start_at_ = 0;
  FlushSequence flush_;
  std::uint64_t ctas_done_ = 0;
  std::uint64_t ctas_total_ = 0;
  ProcessTimer wake_;
  DispatchStats stats_;
};

}  // namespace tessera
