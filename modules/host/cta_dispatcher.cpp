// SPDX-License-Identifier: Apache-2.0
#include "modules/host/cta_dispatcher.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/error.h"
#include "modules/core/domain.h"
#include "modules/core/statistics_visitor.h"
#include "policies/launch_planner.h"

namespace tessera {

CtaDispatcher::CtaDispatcher(const sc_core::sc_module_name& name, const DispatchConfig& config,
                             const CtaSchedulerFactory& make_scheduler, unsigned sm_count,
                             const std::vector<Domain*>& gpus)
    : sc_module(name),
      sms("sms", sm_count),
      events("events"),
      config_(config),
      clock_(config.clock_hz),
      sms_per_gpu_(gpus.empty() ? sm_count : sm_count / static_cast<unsigned>(gpus.size())),
      latency_(gpus.size() > 1 ? config.gpu_latency_ns * (kTicksPerSecond / 1'000'000'000) : 0) {
  events.bind(*this);
  wake_.bind<&CtaDispatcher::process>(*this);
  Domain& own = Domain::under_construction();
  const std::size_t count = std::max<std::size_t>(1, gpus.size());
  gpus_.resize(count);
  for (std::size_t g = 0; g < count; ++g) {
    add_gpu(g, own, gpus.empty() ? own : *gpus[g], make_scheduler);
  }
}

void CtaDispatcher::add_gpu(std::size_t g, Domain& own, Domain& domain,
                            const CtaSchedulerFactory& make) {
  Gpu& gpu = gpus_[g];
  const std::string here = name();
  const std::string there = here + " in GPU " + std::to_string(g);
  gpu.scheduler = make();
  {
    const Domain::Construction in(domain);
    gpu.part = std::make_unique<GpuDispatcher>(
        config_.clock_hz, SmId(static_cast<std::uint32_t>(g) * sms_per_gpu_),
        [this, &gpu](DispatchReport&& r) {
          gpu.reports->send(clock_.after(now() + latency_, 0), std::move(r));
        });
  }
  for (unsigned i = 0; i < sms_per_gpu_; ++i) gpu.part->add(sms[g * sms_per_gpu_ + i]);
  gpu.orders = std::make_unique<DomainLink<DispatchOrder>>(
      here, own, there, domain, latency_,
      [&gpu](Tick at, DispatchOrder&& o) { gpu.part->order(at, std::move(o)); });
  gpu.reports = std::make_unique<DomainLink<DispatchReport>>(
      there, domain, here, own, latency_, [this, g](Tick at, DispatchReport&& r) {
        reports_.push(at, static_cast<std::uint32_t>(g), std::move(r));
        wake_.at(at);
      });
}

void CtaDispatcher::set_flush_stages(GpuId gpu, std::vector<FlushStage> stages) {
  flush_.have_stages(stages.size());
  gpus_[gpu.value].part->set_flush_stages(std::move(stages));
}

void CtaDispatcher::launch(KernelProgram& kernel, std::function<void(std::exception_ptr)> on_end,
                           const CtaSchedulerFactory& make_scheduler) {
  sc_assert(kernel_ == nullptr);
  kernel_ = &kernel;
  planned_.clear();
  if (make_scheduler) {
    for (std::size_t g = 0; g < gpus_.size(); ++g) planned_.push_back(make_scheduler());
  }
  on_end_ = std::move(on_end);
  failure_ = {};
  begun_ = false;
  stopped_ = nullptr;
  reports_.clear();
  ended_before_ += ctas_done();
  started_before_ = started();
  numbers_before_ = started_numbers();
  ctas_total_ = kernel.grid().count();
  start_at_ = clock_.after(now() + 1, config_.launch_cycles);
  wake_.at(start_at_);
}

/// Maximum of CTAs of the kernel on one SM.
unsigned CtaDispatcher::residents() const {
  const CtaResources r = kernel_->resources();
  const unsigned n = sms[0]->resident_ctas(r);
  const std::uint64_t room = std::uint64_t{n} * sms.size();
  if (n != 0 && kernel_->cooperative() && ctas_total_ > room) {
    throw InputError("kernel '" + kernel_->name() + "' synchronises its grid: all " +
                     std::to_string(ctas_total_) + " CTAs must be resident at once, but " +
                     std::to_string(sms.size()) + " SMs hold " + std::to_string(n) +
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

void CtaDispatcher::fail(Tick t) {
  DispatchOrder abort;
  abort.kind = DispatchOrder::Kind::kAbort;
  order_all(t, abort);
  kernel_ = nullptr;
  std::exchange(on_end_, nullptr)(failure_.error);
}

void CtaDispatcher::order_all(Tick t, const DispatchOrder& order) {
  for (Gpu& gpu : gpus_) gpu.orders->send(clock_.after(t + latency_, 0), order);
}

void CtaDispatcher::process() {
  const Tick t = now();
  if (kernel_ == nullptr) return;
  if (!begun_ && t >= start_at_) begin(t);
  handle_reports(t);
  while (kernel_ != nullptr && begun_ && outstanding_ == 0 && !failure_.error) proceed(t);
  if (failure_.error) {
    fail(t);
    return;
  }
  wake_.at(reports_.next_due());
}

void CtaDispatcher::begin(Tick t) {
  begun_ = true;
  busy_since_ = t;
  outstanding_ = 0;
  if (!flush_.begin_kernel()) deal(t);
}

/// Orders the GPUs to deal the kernel's CTAs.
void CtaDispatcher::deal(Tick t) {
  DispatchOrder order;
  order.kernel = kernel_;
  try {
    order.residents = residents();
  } catch (...) {
    failure_.error = std::current_exception();
    return;
  }
  const Dim3 grid = kernel_->grid();
  const LaunchSchedulers launch = schedulers();
  for (CtaScheduler* s : launch.of_gpu) {
    s->begin(CtaGrid{grid.x, grid.y, grid.z}, static_cast<unsigned>(sms.size()));
  }
  if (stopped_ != nullptr) return;
  SkipResult skipped;
  skipped.of_gpu.resize(gpus_.size());
  if (skip_) {
    try {
      skipped = skip_ctas(*kernel_, launch, skip_);
    } catch (...) {
      failure_.error = std::current_exception();
      return;
    }
    if (!skipped.more) {
      skip_ = nullptr;
      std::exchange(skip_done_, nullptr)();
    }
  }
  ++stats_.kernels;
  for (std::size_t g = 0; g < gpus_.size(); ++g) {
    order.scheduler = planned_.empty() ? gpus_[g].scheduler : planned_[g];
    order.skipped = skipped.of_gpu[g];
    gpus_[g].orders->send(clock_.after(t + latency_, 0), order);
  }
  outstanding_ = gpus_.size();
}

void CtaDispatcher::skip_first(CtaSkip skip, std::function<void()> done) {
  skip_ = std::move(skip);
  skip_done_ = std::move(done);
}

LaunchSchedulers CtaDispatcher::schedulers() const {
  LaunchSchedulers s;
  s.sms_per_gpu = sms_per_gpu_;
  for (std::size_t g = 0; g < gpus_.size(); ++g) {
    s.of_gpu.push_back(planned_.empty() ? gpus_[g].scheduler.get() : planned_[g].get());
  }
  return s;
}

void CtaDispatcher::stop() {
  if (kernel_ == nullptr || stopped_ != nullptr) return;
  stopped_ = kernel_;
  if (!begun_) return;
  DispatchOrder order;
  order.kind = DispatchOrder::Kind::kStop;
  order_all(now(), order);
}

std::optional<KernelRest> CtaDispatcher::take_rest() {
  if (stopped_ == nullptr) return std::nullopt;
  KernelRest rest;
  rest.kernel = std::exchange(stopped_, nullptr);
  for (Gpu& gpu : gpus_) {
    for (HeldCta& cta : gpu.part->take_released()) rest.held.push_back(std::move(cta));
  }
  std::sort(rest.held.begin(), rest.held.end(),
            [](const HeldCta& a, const HeldCta& b) { return a.id < b.id; });
  rest.next = ctas_left(schedulers());
  return rest;
}

/// Of failures that are reported at the same time, the earliest counts; of these, the lowest SM's.
void CtaDispatcher::handle_reports(Tick t) {
  while (reports_.due(t)) {
    DispatchReport r = reports_.pop();
    if (r.kind != DispatchReport::Kind::kFailed) {
      --outstanding_;
      if (r.wrote_back_until != 0) flush_.ended(clock_.after(r.wrote_back_until + latency_, 0));
    } else if (!failure_.error || r.failed_at < failure_.failed_at) {
      failure_ = std::move(r);
    }
  }
}

/// The kernel, or a flush stage, has ended in all GPUs.
void CtaDispatcher::proceed(Tick t) {
  if (stopped_ != nullptr) {
    end_kernel(t);
    return;
  }
  if (!flush_.running()) {
    check_dealt();
    if (failure_.error) return;
    drained_at_ = t;
    flush_.end_ctas();
  }
  if (const std::optional<std::size_t> stage = flush_.next(t)) {
    outstanding_ = gpus_.size();
    DispatchOrder order;
    order.kind = DispatchOrder::Kind::kFlush;
    order.stage = *stage;
    order_all(t, order);
  } else if (flush_.precedes()) {
    flush_.end();
    deal(t);
  } else {
    end_kernel(t);
  }
}

/// Each part ends when its scheduler returns no CTA for any of its SMs.
void CtaDispatcher::check_dealt() {
  const std::uint64_t dealt = started() - started_before_;
  const std::uint64_t numbers = started_numbers() - numbers_before_;
  if (dealt == ctas_total_ && numbers == ctas_total_ * (ctas_total_ - 1) / 2) return;
  failure_.error = std::make_exception_ptr(RunError(
      "kernel '" + kernel_->name() + "': the CTA schedulers have not returned each of " +
      std::to_string(ctas_total_) + " CTAs once, but " + std::to_string(dealt) + " in all"));
}

void CtaDispatcher::end_kernel(Tick t) {
  count_busy_cycles(t);
  count_ctas();
  stats_.flush_cycles += flush_.cycles();
  kernel_ = nullptr;
  std::exchange(on_end_, nullptr)(nullptr);
}

std::uint64_t CtaDispatcher::ctas_done() const {
  std::uint64_t ended = 0;
  for (const Gpu& gpu : gpus_) ended += gpu.part->ended();
  return ended - ended_before_;
}

std::uint64_t CtaDispatcher::count_ctas() {
  stats_.ctas = 0;
  for (const Gpu& gpu : gpus_) stats_.ctas += gpu.part->started() - gpu.part->skipped();
  return stats_.ctas;
}

void CtaDispatcher::count_busy_cycles(Tick t) {
  stats_.busy_cycles += clock_.cycle_at(t) - clock_.cycle_at(busy_since_);
  busy_since_ = t;
}

void CtaDispatcher::settle_statistics() {
  count_ctas();
  if (kernel_ != nullptr && begun_) count_busy_cycles(now());
}

std::uint64_t CtaDispatcher::started() const {
  std::uint64_t sum = 0;
  for (const Gpu& gpu : gpus_) sum += gpu.part->started();
  return sum;
}

std::uint64_t CtaDispatcher::started_numbers() const {
  std::uint64_t sum = 0;
  for (const Gpu& gpu : gpus_) sum += gpu.part->started_numbers();
  return sum;
}

void CtaDispatcher::describe_waiting(std::vector<Waiting>& out) const {
  if (kernel_ == nullptr) return;
  const std::string base = std::string(name()) + ".";
  std::uint64_t pending = ctas_total_ + started_before_;
  for (const Gpu& gpu : gpus_) pending -= gpu.part->started();
  if (pending != 0 && !flush_.precedes()) {
    out.push_back({base + "pending_ctas", static_cast<std::size_t>(pending), "room on an SM"});
  }
  for (std::size_t g = 0; g < gpus_.size(); ++g) {
    const std::string part = gpus_.size() == 1 ? base : base + "gpu" + std::to_string(g) + ".";
    gpus_[g].part->describe_waiting(part, out);
  }
}

void CtaDispatcher::reset() {
  kernel_ = nullptr;
  on_end_ = nullptr;
  skip_ = nullptr;
  skip_done_ = nullptr;
  stopped_ = nullptr;
  failure_ = {};
  flush_.reset();
  drained_at_ = 0;
  reports_.clear();
  for (Gpu& gpu : gpus_) gpu.part->reset();
  wake_.cancel();
}

void CtaDispatcher::register_statistics(StatisticsRegistry& registry) const {
  register_statistics_of(registry, name(), stats_);
  for (std::size_t g = 0; g < gpus_.size(); ++g) {
    const std::string part = gpus_.size() == 1 ? "" : ".gpu" + std::to_string(g);
    registry.counters(name() + part, gpus_[g].scheduler->counters());
  }
}

}  // namespace tessera
