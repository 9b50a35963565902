// SPDX-License-Identifier: Apache-2.0
#include "modules/host/gpu_dispatcher.h"

#include <algorithm>
#include <utility>

namespace tessera {

bool GpuKernel::ended() const {
  const bool busy = std::any_of(on_sm.begin(), on_sm.end(),
                                [](const OnSm& s) { return !s.running.empty() || !s.drained; });
  if (busy) return false;
  if (stopped) return true;
  for (std::uint32_t i = 0; i < on_sm.size(); ++i) {
    if (uses(i) && has_more(i)) return false;
  }
  return true;
}

GpuDispatcher::GpuDispatcher(std::uint64_t clock_hz, SmId first, const SmParts& parts,
                             const KernelScheduler& kernels,
                             std::function<void(DispatchReport&&)> report)
    : clock_(clock_hz),
      first_(first),
      parts_(parts),
      scheduling_(kernels),
      report_(std::move(report)),
      flush_(clock_, [this](Tick t) { wake_.at(t); }) {
  wake_.bind<&GpuDispatcher::process>(*this);
}

void GpuDispatcher::order(Tick at, DispatchOrder&& order) {
  orders_.push(at, 0, std::move(order));
  wake_.at(at);
}

void GpuDispatcher::notify(SmId sm, const Notification& what) {
  if (kernels_.empty()) return;  // after a failure, SMs can still complete CTAs
  const Tick due = clock_.after(now() + 1, 0);
  notifications_.push(due, sm.value - first_.value, what);
  wake_.at(due);
}

/// Keeps the first failure. Of failures at the same time, the one of the lowest SM.
void GpuDispatcher::kernel_failed(SmId sm, std::exception_ptr error) {
  if (!failure_.error || (failure_.failed_at == now() && sm.value < failure_.failed_sm.value)) {
    failure_ = DispatchReport{};
    failure_.kind = DispatchReport::Kind::kFailed;
    failure_.error = std::move(error);
    failure_.failed_at = now();
    failure_.failed_sm = sm;
    failure_due_ = clock_.after(now() + 1, 0);
  }
  wake_.at(failure_due_);
}

void GpuDispatcher::process() {
  const Tick t = now();
  while (orders_.due(t)) follow(orders_.pop(), t);
  wake_.at(orders_.next_due());
  if (failure_due_ <= t) {
    failure_due_ = kNever;
    kernels_.clear();
    flush_.reset();
    report_(DispatchReport(failure_));
  }
  wake_.at(failure_due_);
  if (flush_.running() && flush_.ended(t)) {
    DispatchReport flushed;
    flushed.kind = DispatchReport::Kind::kFlushed;
    flushed.wrote_back_until = flush_.wrote_back_until();
    report_(std::move(flushed));
  }
  if (kernels_.empty()) return;
  handle_notifications(t);
  if (deal(t)) wake_.at(clock_.after(t, 1));
  report_ended();
  wake_.at(notifications_.next_due());
}

void GpuDispatcher::report_ended() {
  for (auto k = kernels_.begin(); k != kernels_.end();) {
    if (!(*k)->ended()) {
      ++k;
      continue;
    }
    DispatchReport ended;
    ended.launch = (*k)->launch;
    ended.started = (*k)->started;
    ended.started_numbers = (*k)->started_numbers;
    ended.first_cta_at = (*k)->first_cta_at;
    k = kernels_.erase(k);
    report_(std::move(ended));
  }
}

void GpuDispatcher::follow(DispatchOrder order, Tick t) {
  switch (order.kind) {
    case DispatchOrder::Kind::kBegin:
      begin(std::move(order), t);
      break;
    case DispatchOrder::Kind::kStop:
      release_all();
      break;
    case DispatchOrder::Kind::kFlush:
      flush_.begin(order.mode, order.stage, order.launch, t);
      break;
    case DispatchOrder::Kind::kAbort:
      kernels_.clear();
      flush_.reset();
      break;
  }
}

void GpuDispatcher::begin(DispatchOrder order, Tick t) {
  if (order.on_begin) order.on_begin(kernels_.empty());
  if (kernels_.empty()) {
    failure_ = {};
    notifications_.clear();
    capacity_ = (*sms_.front().port)->capacity();
  }
  const auto after = std::find_if(kernels_.begin(), kernels_.end(),
                                  [&](const auto& k) { return order.priority < k->priority; });
  GpuKernel& kernel =
      **kernels_.insert(after, std::make_unique<GpuKernel>(order, parts_, first_, sms_.size()));
  if (order.skipped != nullptr) adopt(kernel, *order.skipped, t);
}

/// A CTA begins on an SM.
void GpuDispatcher::occupy(std::uint32_t sm, GpuKernel& kernel, CtaId cta, Tick t) {
  sms_[sm].used += kernel.each;
  GpuKernel::OnSm& here = kernel.on_sm[sm];
  here.running.push_back(cta);
  here.drained = false;
  ++started_;
  ++kernel.started;
  kernel.started_numbers += cta.value;
  kernel.first_cta_at = std::min(kernel.first_cta_at, clock_.after(t, 1));
}

/// The CTAs that have been executed to their ends count as dealt and ended.
void GpuDispatcher::adopt(GpuKernel& kernel, SkippedCtas& skipped, Tick t) {
  skipped_ += skipped.ended + skipped.held.size();
  started_ += skipped.ended;
  ended_ += skipped.ended;
  kernel.started += skipped.ended;
  kernel.started_numbers += skipped.ended_numbers;
  for (HeldCta& cta : skipped.held) {
    const std::uint32_t sm = parts_.sm_of(kernel.part, cta.sm.value % parts_.size());
    occupy(sm, kernel, cta.id, t);
    (*sms_[sm].port)
        ->adopt_cta(*kernel.program, std::move(cta.program), {cta.id, kernel.launch},
                    clock_.after(t, 1));
  }
}

void GpuDispatcher::release_all() {
  for (const auto& kernel : kernels_) {
    kernel->stopped = true;
    for (std::uint32_t i = 0; i < sms_.size(); ++i) {
      for (const CtaId id : kernel->on_sm[i].running) {
        const LaunchedCta cta(id, kernel->launch);
        (*sms_[i].port)->release_cta(cta, [this, i, cta](std::unique_ptr<CtaProgram> program) {
          released(i, cta, std::move(program));
        });
      }
    }
  }
}

/// `program`: null if the CTA had ended, which a notification says.
void GpuDispatcher::released(std::uint32_t sm, LaunchedCta cta,
                             std::unique_ptr<CtaProgram> program) {
  if (program == nullptr) return;
  released_.push_back({SmId(first_.value + sm), cta.id, std::move(program)});
  notify(released_.back().sm, {Notification::Kind::kCtaReleased, cta});
}

void GpuDispatcher::handle_notifications(Tick t) {
  while (notifications_.due(t)) {
    const std::uint32_t sm = notifications_.front_port();
    const Notification n = notifications_.pop();
    const auto of = std::find_if(kernels_.begin(), kernels_.end(),
                                 [&](const auto& k) { return k->launch == n.cta.launch; });
    sc_assert(of != kernels_.end());
    GpuKernel& kernel = **of;
    GpuKernel::OnSm& here = kernel.on_sm[sm];
    if (n.kind == Notification::Kind::kDrained) {
      if (here.running.empty()) here.drained = true;  // unless a CTA has been dispatched since
      continue;
    }
    const auto running = std::find(here.running.begin(), here.running.end(), n.cta.id);
    sc_assert(running != here.running.end());
    here.running.erase(running);
    sms_[sm].used -= kernel.each;
    if (n.kind == Notification::Kind::kCtaFinished) ++ended_;
  }
}

bool GpuDispatcher::fits(std::uint32_t sm, const GpuKernel& kernel) {
  return capacity_.has_room_for(kernel.each, sms_[sm].used);
}

/// The kernel that gives the SM its next CTA; nullptr: none.
GpuKernel* GpuDispatcher::choose(std::uint32_t sm) {
  candidates_.clear();
  for (const auto& k : kernels_) {
    if (k->uses(sm) && !k->stopped) candidates_.push_back(k.get());
  }
  if (candidates_.empty()) return nullptr;
  if (candidates_.size() == 1) return fits(sm, *candidates_[0]) ? candidates_[0] : nullptr;
  views_.clear();
  for (const GpuKernel* k : candidates_) {
    views_.push_back(
        {fits(sm, *k), k->has_more(sm), static_cast<std::uint32_t>(k->on_sm[sm].running.size())});
  }
  const std::optional<std::size_t> chosen = scheduling_.choose(views_);
  if (!chosen) return nullptr;
  sc_assert(*chosen < views_.size() && views_[*chosen].fits && views_[*chosen].has_more);
  return candidates_[*chosen];
}

/// Dispatches at most one CTA to each SM with free resources. Returns whether it dispatched any,
/// because another round can then dispatch more.
bool GpuDispatcher::deal(Tick t) {
  bool dealt = false;
  for (const auto& k : kernels_) {
    if (!k->stopped) k->scheduler->begin_round();
  }
  for (std::uint32_t i = 0; i < sms_.size(); ++i) {
    GpuKernel* const kernel = choose(i);
    if (kernel == nullptr) continue;
    const std::optional<CtaId> cta = kernel->scheduler->next(kernel->number_of(i));
    if (!cta) continue;
    occupy(i, *kernel, *cta, t);
    (*sms_[i].port)->start_cta(*kernel->program, {*cta, kernel->launch}, clock_.after(t, 1));
    dealt = true;
  }
  return dealt;
}

void GpuDispatcher::describe_waiting(const std::string& base, std::vector<Waiting>& out) const {
  flush_.describe_waiting(base, out);
  std::size_t running = 0;
  std::size_t undrained = 0;
  for (const auto& k : kernels_) {
    for (const GpuKernel::OnSm& s : k->on_sm) {
      running += s.running.size();
      if (s.running.empty() && !s.drained) ++undrained;
    }
  }
  if (running != 0)
    out.push_back({base + "running_ctas", running, WaitKind::kOrdering, "their warps to end"});
  if (undrained != 0) {
    out.push_back({base + "undrained_sms", undrained, WaitKind::kDataDependence,
                   "acknowledgements of their stores"});
  }
}

void GpuDispatcher::reset() {
  kernels_.clear();
  released_.clear();
  failure_ = {};
  failure_due_ = kNever;
  for (Sm& s : sms_) s.used = {};
  orders_.clear();
  notifications_.clear();
  flush_.reset();
  wake_.cancel();
}

}  // namespace tessera
