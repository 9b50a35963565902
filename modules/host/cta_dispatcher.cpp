// SPDX-License-Identifier: Apache-2.0
#include "modules/host/cta_dispatcher.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/error.h"
#include "modules/kernel/domain.h"
#include "modules/kernel/statistics_visitor.h"

namespace tessera {

namespace {

std::shared_ptr<const KernelScheduler> scheduler_of(const CtaDispatcherSite& site) {
  if (site.kernels != nullptr) return site.kernels;
  return make_policy<KernelScheduler>(DispatchConfig{}.kernel_scheduler);
}

/// Throws InputError if a CTA of the kernel does not fit an SM, or if the CTAs of a cooperative
/// kernel do not fit `sms` SMs at once.
void check_room(const KernelProgram& kernel, const SmResources& capacity, std::size_t sms) {
  const CtaResources r = kernel.resources();
  const unsigned n = capacity.room_for(SmResources::of(r));
  const std::uint64_t ctas = kernel.grid().count();
  const std::uint64_t room = std::uint64_t{n} * sms;
  if (n != 0 && kernel.cooperative() && ctas > room) {
    throw InputError("kernel '" + kernel.name() + "' synchronises its grid: all " +
                     std::to_string(ctas) + " CTAs must be resident at once, but " +
                     std::to_string(sms) + " SMs hold " + std::to_string(n) + " of them each, " +
                     std::to_string(room) +
                     " in all; launch fewer CTAs, or see sm.max_ctas, sm.max_threads, "
                     "sm.registers, sm.shared_bytes");
  }
  if (n != 0) return;
  throw InputError("kernel '" + kernel.name() + "': a CTA of " + std::to_string(r.threads) +
                   " threads, " + std::to_string(r.registers_per_thread) +
                   " registers a thread and " + std::to_string(r.shared_bytes) +
                   " bytes of shared memory does not fit an SM; see sm.max_threads, sm.registers, "
                   "sm.shared_bytes");
}

}  // namespace

CtaDispatcher::CtaDispatcher(const sc_core::sc_module_name& name, const DispatchConfig& config,
                             const CtaSchedulerFactory& make_scheduler,
                             const CtaDispatcherSite& site)
    : BlockBase(name, config, Unvalidated{}),
      sms("sms", site.sms),
      events("events"),
      clock_(config.clock_hz),
      make_scheduler_(make_scheduler),
      kernel_scheduler_(scheduler_of(site)),
      sms_per_gpu_(site.sms / static_cast<unsigned>(std::max<std::size_t>(1, site.gpus.size()))),
      parts_(sms_per_gpu_, site.sms_per_node == 0 ? sms_per_gpu_ : site.sms_per_node,
             kernel_scheduler_->parts()),
      latency_(site.gpus.size() > 1 ? config.gpu_latency_ns * kTicksPerNs : 0) {
  events.bind(*this);
  wake_.bind<&CtaDispatcher::process>(*this);
  Domain& own = Domain::under_construction();
  gpus_.resize(std::max<std::size_t>(1, site.gpus.size()));
  for (std::size_t g = 0; g < gpus_.size(); ++g) {
    add_gpu(g, own, site.gpus.empty() ? own : *site.gpus[g]);
  }
}

void CtaDispatcher::add_gpu(std::size_t g, Domain& own, Domain& domain) {
  Gpu& gpu = gpus_[g];
  const std::string here = name();
  const std::string there = here + " in GPU " + std::to_string(g);
  gpu.scheduler = make_scheduler_(parts_.count());
  {
    const Domain::Construction in(domain);
    gpu.part = std::make_unique<GpuDispatcher>(
        config_.clock_hz, SmId(static_cast<std::uint32_t>(g) * sms_per_gpu_), parts_,
        *kernel_scheduler_, [this, &gpu, g](DispatchReport&& r) {
          r.gpu = GpuId(static_cast<std::uint32_t>(g));
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

void CtaDispatcher::set_flush_stages(GpuId gpu, FlushStages stages) {
  flush_.have_stages(stages);
  gpus_[gpu.value].part->set_flush_stages(std::move(stages));
}

LaunchSlot CtaDispatcher::launch(KernelLaunch launch) {
  if (kernels_.empty()) {
    failure_ = {};
    reports_.clear();
    stops_ = false;
    stopped_ = nullptr;
    ended_before_ += ctas_done();
    started_before_ = started();
    ctas_total_ = 0;
  }
  const auto used = [this](LaunchSlot slot) {
    return std::any_of(kernels_.begin(), kernels_.end(),
                       [slot](const auto& k) { return k->slot == slot; });
  };
  do {
    last_slot_ = LaunchSlot(last_slot_.value % (LaunchSlot::kCount - 1) + 1);
  } while (used(last_slot_));
  auto k = std::make_unique<DispatchedKernel>();
  k->launch = std::move(launch);
  k->slot = last_slot_;
  k->ctas = k->launch.kernel->grid().count();
  k->start_at = clock_.after(now() + 1, config_.launch_cycles);
  ctas_total_ += k->ctas;
  wake_.at(k->start_at);
  const auto after = std::find_if(kernels_.begin(), kernels_.end(), [&](const auto& other) {
    return k->launch.priority < other->launch.priority;
  });
  kernels_.insert(after, std::move(k));
  return last_slot_;
}

void CtaDispatcher::process() {
  const Tick t = now();
  if (kernels_.empty()) return;
  handle_reports(t);
  while (!failure_.error && step(t)) {
  }
  if (failure_.error) {
    fail(t);
    return;
  }
  wake_.at(reports_.next_due());
  for (const auto& k : kernels_) {
    if (k->state != State::kWaiting) continue;
    if (k->start_at > t) {
      wake_.at(k->start_at);
    } else {
      k->waited = true;
    }
  }
}

/// Does the next thing that can be done at t. Returns false if there is none.
bool CtaDispatcher::step(Tick t) {
  if (flush_.running() && flush_outstanding_ == 0) {
    proceed_flush(t);
    return true;
  }
  for (const auto& k : kernels_) {
    if (k->state != State::kRunning || k->outstanding != 0) continue;
    ctas_ended(*k, t);
    return true;
  }
  if (!flush_.running() && count(State::kEnded, State::kEnded) != 0) {
    const auto first = std::find_if(kernels_.begin(), kernels_.end(),
                                    [](const auto& k) { return k->state == State::kEnded; });
    begin_flush((*first)->slot, t);
    return true;
  }
  for (const auto& k : kernels_) {
    if (!may_begin(*k, t)) continue;
    begin(*k, t);
    return true;
  }
  return false;
}

/// Kernels in these states and between.
std::size_t CtaDispatcher::count(State from, State to) const {
  return static_cast<std::size_t>(
      std::count_if(kernels_.begin(), kernels_.end(),
                    [&](const auto& k) { return k->state >= from && k->state <= to; }));
}

/// Whether the kernel can begin. Selects the SMs' part that it would use.
bool CtaDispatcher::may_begin(DispatchedKernel& k, Tick t) const {
  if (k.state != State::kWaiting || k.start_at > t) return false;
  // With a flush before kernels, it can be the flush after a kernel that this one depends on.
  if (flush_.running() && (put_off_ || flush_.mode() == FlushMode::kAlone)) return false;
  const std::size_t running = count(State::kFlushing, State::kRunning);
  const std::uint32_t most = kernel_scheduler_->most_kernels();
  if (most != 0 && running >= most) return false;
  for (k.part = 0; k.part < parts_.count(); ++k.part) {
    const bool free = std::none_of(kernels_.begin(), kernels_.end(), [&](const auto& other) {
      const bool uses = other->state == State::kFlushing || other->state == State::kRunning;
      if (!uses) return false;
      return (parts_.count() > 1 && other->part == k.part) ||
             (other->launch.kernel->cooperative() && k.launch.kernel->cooperative());
    });
    if (free) return true;
  }
  return false;
}

void CtaDispatcher::begin(DispatchedKernel& k, Tick t) {
  if (k.waited && k.launch.on_turn) k.launch.on_turn();
  if (!runs()) busy_since_ = t;
  if (!std::exchange(flush_due_, false)) {
    deal(k, t);
    return;
  }
  k.state = State::kFlushing;
  begin_flush(k.slot, t);
}

/// The dispatcher's own schedulers serve one kernel at a time.
void CtaDispatcher::select_schedulers(DispatchedKernel& k) {
  for (const Gpu& gpu : gpus_) {
    const std::size_t g = k.schedulers.size();
    const bool used = std::any_of(kernels_.begin(), kernels_.end(), [&](const auto& other) {
      return other.get() != &k && g < other->schedulers.size() &&
             other->schedulers[g] == gpu.scheduler;
    });
    if (k.launch.make_scheduler) {
      k.schedulers.push_back(k.launch.make_scheduler(parts_.count()));
    } else if (used) {
      k.schedulers.push_back(make_scheduler_(parts_.count()));
    } else {
      k.schedulers.push_back(gpu.scheduler);
    }
  }
}

/// Orders the GPUs to deal the kernel's CTAs.
void CtaDispatcher::deal(DispatchedKernel& k, Tick t) {
  KernelProgram& kernel = *k.launch.kernel;
  const std::size_t usable = sms.size() / parts_.count();
  try {
    check_room(kernel, sms[0]->capacity(), usable);
  } catch (...) {
    end(k, std::current_exception(), t);
    return;
  }
  k.state = State::kRunning;
  select_schedulers(k);
  const Dim3 grid = kernel.grid();
  for (const auto& s : k.schedulers) {
    s->begin(CtaGrid{grid.x, grid.y, grid.z}, static_cast<unsigned>(usable));
  }
  if (stops_) return;
  SkipResult skipped;
  skipped.of_gpu.resize(gpus_.size());
  if (skip_) {
    try {
      skipped = skip_ctas(kernel, k.launch_schedulers(parts_.size()), skip_);
    } catch (...) {
      failure_.error = std::current_exception();
      return;
    }
    if (!skipped.more) {
      skip_ = nullptr;
      std::exchange(skip_done_, nullptr)();
    }
  }
  order_ctas(k, skipped, t);
}

void CtaDispatcher::order_ctas(DispatchedKernel& k, const SkipResult& skipped, Tick t) {
  ++stats_.kernels;
  DispatchOrder order;
  order.launch = k.slot;
  order.kernel = k.launch.kernel;
  order.each = SmResources::of(k.launch.kernel->resources());
  order.priority = k.launch.priority;
  order.part = k.part;
  for (std::size_t g = 0; g < gpus_.size(); ++g) {
    order.scheduler = k.schedulers[g];
    order.skipped = skipped.of_gpu[g];
    if (k.launch.on_begin) {
      order.on_begin = [f = k.launch.on_begin, g](bool alone) {
        f(GpuId(static_cast<std::uint32_t>(g)), alone);
      };
    }
    gpus_[g].orders->send(clock_.after(t + latency_, 0), order);
  }
  k.outstanding = gpus_.size();
}

void CtaDispatcher::order_all(Tick t, const DispatchOrder& order) {
  for (Gpu& gpu : gpus_) gpu.orders->send(clock_.after(t + latency_, 0), order);
}

// Statistics and housekeeping.

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

/// Kernels run. Time in which several run counts once.
void CtaDispatcher::count_busy_cycles(Tick t) {
  stats_.busy_cycles += clock_.cycle_at(t) - clock_.cycle_at(busy_since_);
  busy_since_ = t;
}

void CtaDispatcher::settle_statistics() {
  count_ctas();
  if (runs()) count_busy_cycles(now());
}

std::uint64_t CtaDispatcher::started() const {
  std::uint64_t sum = 0;
  for (const Gpu& gpu : gpus_) sum += gpu.part->started();
  return sum;
}

void CtaDispatcher::describe_waiting(std::vector<Waiting>& out) const {
  if (kernels_.empty()) return;
  const std::string base = std::string(name()) + ".";
  std::uint64_t pending = ctas_total_ + started_before_ - started();
  std::size_t waiting = 0;
  for (const auto& k : kernels_) {
    if (k->state == State::kFlushing) pending -= k->ctas;
    if (k->state == State::kWaiting && k->waited) ++waiting;
  }
  if (pending != 0) {
    out.push_back({base + "pending_ctas", static_cast<std::size_t>(pending),
                   WaitKind::kResourceBusy, "room on an SM"});
  }
  if (waiting != 0)
    out.push_back({base + "kernels", waiting, WaitKind::kOrdering, "other kernels to end"});
  for (std::size_t g = 0; g < gpus_.size(); ++g) {
    const std::string part = gpus_.size() == 1 ? base : base + "gpu" + std::to_string(g) + ".";
    gpus_[g].part->describe_waiting(part, out);
  }
}

void CtaDispatcher::reset() {
  kernels_.clear();
  skip_ = nullptr;
  skip_done_ = nullptr;
  stops_ = false;
  stopped_ = nullptr;
  failure_ = {};
  flush_.reset();
  flush_outstanding_ = 0;
  flush_due_ = false;
  drained_at_ = 0;
  last_slot_ = {};
  reports_.clear();
  for (Gpu& gpu : gpus_) gpu.part->reset();
  wake_.cancel();
}

void CtaDispatcher::register_statistics(StatisticsRegistry& registry) const {
  BlockBase::register_statistics(registry);
  registry.counters(name(), kernel_scheduler_->counters());
  for (std::size_t g = 0; g < gpus_.size(); ++g) {
    const std::string part = gpus_.size() == 1 ? "" : ".gpu" + std::to_string(g);
    registry.counters(name() + part, gpus_[g].scheduler->counters());
  }
}

}  // namespace tessera
