// SPDX-License-Identifier: Apache-2.0
#include "modules/host/gpu_dispatcher.h"

#include <algorithm>
#include <utility>

namespace tessera {

GpuDispatcher::GpuDispatcher(std::uint64_t clock_hz, SmId first,
                             std::function<void(DispatchReport&&)> report)
    : clock_(clock_hz),
      first_(first),
      report_(std::move(report)),
      flush_(clock_, [this](Tick t) { wake_.at(t); }) {
  wake_.bind<&GpuDispatcher::process>(*this);
}

void GpuDispatcher::order(Tick at, DispatchOrder&& order) {
  orders_.push(at, 0, std::move(order));
  wake_.at(at);
}

void GpuDispatcher::notify(SmId sm, Notification what) {
  if (kernel_ == nullptr) return;  // after a failure, SMs can still complete CTAs
  const Tick due = clock_.after(now() + 1, 0);
  notifications_.push(due, sm.value - first_.value, what);
  wake_.at(due);
}

/// Keeps the first failure. Of failures at the same time, the one of the lowest SM.
void GpuDispatcher::kernel_failed(SmId sm, std::exception_ptr error) {
  if (!failure_.error || (failure_.failed_at == now() && sm.value < failure_.failed_sm.value)) {
    failure_ = {DispatchReport::Kind::kFailed, 0, std::move(error), now(), sm};
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
    kernel_ = nullptr;
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
  if (kernel_ == nullptr) return;
  handle_notifications(t);
  if (deal(t)) {
    wake_.at(clock_.after(t, 1));
  } else if (std::all_of(sms_.begin(), sms_.end(),
                         [](const Sm& s) { return s.running == 0 && s.drained; })) {
    // The scheduler has no more CTAs for these SMs.
    kernel_ = nullptr;
    report_({});
    return;
  }
  wake_.at(notifications_.next_due());
}

void GpuDispatcher::follow(const DispatchOrder& order, Tick t) {
  switch (order.kind) {
    case DispatchOrder::Kind::kBegin:
      kernel_ = order.kernel;
      scheduler_ = order.scheduler;
      residents_ = order.residents;
      failure_ = {};
      notifications_.clear();
      break;
    case DispatchOrder::Kind::kFlush:
      flush_.begin(order.stage, t);
      break;
    case DispatchOrder::Kind::kAbort:
      kernel_ = nullptr;
      flush_.reset();
      break;
  }
}

void GpuDispatcher::handle_notifications(Tick t) {
  while (notifications_.due(t)) {
    Sm& s = sms_[notifications_.front_port()];
    if (notifications_.pop() == Notification::kCtaFinished) {
      --s.running;
      ++ended_;
    } else if (s.running == 0) {
      s.drained = true;  // unless a CTA has been dispatched since
    }
  }
}

/// Dispatches at most one CTA to each SM with free resources. Returns whether it dispatched any,
/// because another round can then dispatch more.
bool GpuDispatcher::deal(Tick t) {
  bool dealt = false;
  scheduler_->begin_round();
  for (std::uint32_t i = 0; i < sms_.size(); ++i) {
    Sm& sm = sms_[i];
    if (sm.running >= residents_) continue;
    const std::optional<CtaId> cta = scheduler_->next(SmId(first_.value + i));
    if (!cta) continue;
    ++sm.running;
    sm.drained = false;
    ++started_;
    started_numbers_ += cta->value;
    (*sm.port)->start_cta(*kernel_, *cta, clock_.after(t, 1));
    dealt = true;
  }
  return dealt;
}

void GpuDispatcher::describe_waiting(const std::string& base, std::vector<Waiting>& out) const {
  flush_.describe_waiting(base, out);
  if (kernel_ == nullptr) return;
  std::size_t running = 0;
  std::size_t undrained = 0;
  for (const Sm& s : sms_) {
    running += s.running;
    if (s.running == 0 && !s.drained) ++undrained;
  }
  if (running != 0) out.push_back({base + "running_ctas", running, "their warps to end"});
  if (undrained != 0) {
    out.push_back({base + "undrained_sms", undrained, "acknowledgements of their stores"});
  }
}

void GpuDispatcher::reset() {
  kernel_ = nullptr;
  failure_ = {};
  failure_due_ = kNever;
  for (Sm& s : sms_) {
    s.running = 0;
    s.drained = true;
  }
  orders_.clear();
  notifications_.clear();
  flush_.reset();
  wake_.cancel();
}

}  // namespace tessera
