// SPDX-License-Identifier: Apache-2.0
#include "modules/host/cta_dispatcher.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/error.h"
#include "modules/core/statistics_visitor.h"
#include "policies/launch_planner.h"

namespace tessera {

void describe(ParameterVisitor& v, DispatchConfig& c) {
  v.integer("clock_hz", c.clock_hz, "Hz", "clock of the dispatcher (NUBA Table 1)", 1'000'000,
            100'000'000'000);
  v.text("planner", c.planner,
         "how a kernel is launched: pages placed before the start, CTA scheduler, caching (ours: "
         "the papers' baselines place pages on first touch)",
         policy_names<LaunchPlanner>());
  v.text("scheduler", c.scheduler, "which SM runs a CTA (NUBA section 6: distributed)",
         policy_names<CtaScheduler>());
  v.integer("fetch_cycles", c.fetch_cycles, "cycle",
            "from a doorbell, or the end of the kernel before, to the fetched packet (ours: the "
            "papers count kernels only)",
            0, 1'000'000'000);
  v.integer("launch_cycles", c.launch_cycles, "cycle",
            "from a fetched packet to the first CTA's start (ours: the papers count kernels only)",
            0, 1'000'000'000);
}

CtaDispatcher::CtaDispatcher(const sc_core::sc_module_name& name, const DispatchConfig& config,
                             std::unique_ptr<CtaScheduler> scheduler, unsigned sm_count)
    : sc_module(name),
      sms("sms", sm_count),
      events("events"),
      config_(config),
      clock_(config.clock_hz),
      own_scheduler_(std::move(scheduler)),
      scheduler_(own_scheduler_.get()),
      sm_(sm_count),
      flush_(clock_, [this](Tick t) { wake_.at(t); }) {
  events.bind(*this);
  wake_.bind<&CtaDispatcher::process>(*this);
}

void CtaDispatcher::launch(KernelProgram& kernel, std::function<void(std::exception_ptr)> on_end,
                           std::unique_ptr<CtaScheduler> scheduler) {
  sc_assert(kernel_ == nullptr);
  kernel_ = &kernel;
  planned_scheduler_ = std::move(scheduler);
  scheduler_ = planned_scheduler_ ? planned_scheduler_.get() : own_scheduler_.get();
  on_end_ = std::move(on_end);
  error_ = nullptr;
  residents_ = 0;
  const Dim3 grid = kernel.grid();
  scheduler_->begin(CtaGrid{grid.x, grid.y, grid.z}, static_cast<unsigned>(sm_.size()));
  notifications_.clear();
  ctas_done_ = 0;
  ctas_total_ = grid.count();
  ++stats_.kernels;
  start_at_ = clock_.after(now() + 1, config_.launch_cycles);
  wake_.at(start_at_);
}

/// Maximum of CTAs of the kernel on one SM.
unsigned CtaDispatcher::residents() const {
  const CtaResources r = kernel_->resources();
  const unsigned n = sms[0]->resident_ctas(r);
  const std::uint64_t room = std::uint64_t{n} * sm_.size();
  if (n != 0 && kernel_->cooperative() && ctas_total_ > room) {
    throw InputError("kernel '" + kernel_->name() + "' synchronises its grid: all " +
                     std::to_string(ctas_total_) + " CTAs must be resident at once, but " +
                     std::to_string(sm_.size()) + " SMs hold " + std::to_string(n) +
                     " of them each, " + std::to_string(room) +
                     " in all; launch fewer CTAs, or see sm.max_ctas, sm.max_threads, "
                     "sm.registers, sm.shared_bytes");
  }
  if (n != 0) return n;
  throw InputError("kernel '" + kernel_->name() + "': a CTA of " + std::to_string(r.threads) +
                   " threads, " + std::to_string(r.registers_per_thread) +
                   " registers a thread and " + std::to_string(r.shared_bytes) +
                   " bytes of shared memory does not fit an SM; see sm.max_threads, sm.registers, "
                   "sm.shared_bytes");
}

void CtaDispatcher::fail() {
  kernel_ = nullptr;
  flush_.reset();
  std::exchange(on_end_, nullptr)(error_);
}

void CtaDispatcher::notify(SmId sm, Notification what) {
  if (kernel_ == nullptr) return;  // after a failure, SMs can still complete CTAs
  const Tick due = clock_.after(now() + 1, 0);
  notifications_.push(due, sm.value, what);
  wake_.at(due);
}

void CtaDispatcher::cta_finished(SmId sm) { notify(sm, Notification::kCtaFinished); }

void CtaDispatcher::sm_drained(SmId sm) { notify(sm, Notification::kDrained); }

/// Keeps the first failure. Of failures at the same time, the one of the lowest SM.
void CtaDispatcher::kernel_failed(SmId sm, std::exception_ptr error) {
  if (!error_ || (failed_at_ == now() && sm.value < failed_sm_.value)) {
    error_ = std::move(error);
    failed_at_ = now();
    failed_sm_ = sm;
  }
  wake_.at(clock_.after(now() + 1, 0));
}

void CtaDispatcher::process() {
  const Tick t = now();
  if (kernel_ == nullptr) return;
  if (residents_ == 0 && !error_) {
    try {
      residents_ = residents();
    } catch (...) {
      error_ = std::current_exception();
    }
  }
  if (error_) {
    fail();
    return;
  }
  if (flush_.running()) {
    if (flush_.advance(t)) end_kernel(t);
    return;
  }
  handle_notifications(t);
  const bool more = t >= start_at_ && deal(t);
  const bool done =
      t >= start_at_ && scheduler_->pending() == 0 &&
      std::all_of(sm_.begin(), sm_.end(), [](const Sm& s) { return s.running == 0 && s.drained; });
  if (done) {
    flush_.begin(t);
    if (flush_.advance(t)) end_kernel(t);
    return;
  }
  if (more) wake_.at(clock_.after(t, 1));
  wake_.at(notifications_.next_due());
}

void CtaDispatcher::handle_notifications(Tick t) {
  while (notifications_.due(t)) {
    Sm& s = sm_[notifications_.front_port()];
    if (notifications_.pop() == Notification::kCtaFinished) {
      --s.running;
      ++ctas_done_;
    } else if (s.running == 0) {
      s.drained = true;  // unless a CTA has been dispatched since
    }
  }
}

/// Dispatches at most one CTA to each SM with free resources. Returns whether it dispatched any,
/// because another round can then dispatch more.
bool CtaDispatcher::deal(Tick t) {
  bool dealt = false;
  scheduler_->begin_round();
  for (std::uint32_t i = 0; i < sm_.size(); ++i) {
    if (sm_[i].running >= residents_) continue;
    const std::optional<CtaId> cta = scheduler_->next(SmId(i));
    if (!cta) continue;
    ++sm_[i].running;
    sm_[i].drained = false;
    ++stats_.ctas;
    sms[i]->start_cta(*kernel_, *cta, clock_.after(t, 1));
    dealt = true;
  }
  return dealt;
}

void CtaDispatcher::end_kernel(Tick t) {
  stats_.busy_cycles += clock_.cycle_at(t) - clock_.cycle_at(start_at_);
  stats_.flush_cycles += flush_.write_back_cycles();
  kernel_ = nullptr;
  std::exchange(on_end_, nullptr)(nullptr);
}

void CtaDispatcher::describe_waiting(std::vector<Waiting>& out) const {
  if (kernel_ == nullptr) return;
  const std::string base = std::string(name()) + ".";
  if (scheduler_->pending() != 0) {
    out.push_back(
        {base + "pending_ctas", static_cast<std::size_t>(scheduler_->pending()), "room on an SM"});
  }
  std::size_t running = 0;
  std::size_t undrained = 0;
  for (const Sm& s : sm_) {
    running += s.running;
    if (s.running == 0 && !s.drained) ++undrained;
  }
  if (running != 0) out.push_back({base + "running_ctas", running, "their warps to end"});
  flush_.describe_waiting(base, out);
  if (undrained != 0) {
    out.push_back({base + "undrained_sms", undrained, "acknowledgements of their stores"});
  }
}

void CtaDispatcher::reset() {
  kernel_ = nullptr;
  on_end_ = nullptr;
  error_ = nullptr;
  for (Sm& s : sm_) s = Sm{};
  notifications_.clear();
  flush_.reset();
  wake_.cancel();
}

void describe(StatisticsVisitor& v, DispatchStats& s) {
  v.counter("kernels", s.kernels, "kernel", "kernels launched");
  v.counter("ctas", s.ctas, "CTA", "CTAs dealt");
  v.counter("flush_cycles", s.flush_cycles, "cycle",
            "of these, while the slices were flushed at kernel ends");
  v.counter("busy_cycles", s.busy_cycles, "cycle",
            "from first CTA to flushed caches, summed over kernels");
}

void CtaDispatcher::register_statistics(StatisticsRegistry& registry) const {
  register_statistics_of(registry, name(), stats_);
  registry.counters(name(), scheduler_->counters());
}

}  // namespace tessera
