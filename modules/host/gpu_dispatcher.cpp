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

void GpuDispatcher::notify(SmId sm, const Notification& what) {
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
                         [](const Sm& s) { return s.running.empty() && s.drained; })) {
    // The scheduler has no more CTAs for these SMs, or they have released theirs.
    kernel_ = nullptr;
    report_({});
    return;
  }
  wake_.at(notifications_.next_due());
}

void GpuDispatcher::follow(DispatchOrder order, Tick t) {
  switch (order.kind) {
    case DispatchOrder::Kind::kBegin:
      kernel_ = order.kernel;
      scheduler_ = std::move(order.scheduler);
      residents_ = order.residents;
      stopped_ = false;
      failure_ = {};
      notifications_.clear();
      if (order.skipped != nullptr) adopt(*order.skipped, t);
      break;
    case DispatchOrder::Kind::kStop:
      if (kernel_ != nullptr) release_all();
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

/// The CTAs that have been executed to their ends count as dealt and ended.
void GpuDispatcher::adopt(SkippedCtas& skipped, Tick t) {
  skipped_ += skipped.ended + skipped.held.size();
  started_ += skipped.ended;
  started_numbers_ += skipped.ended_numbers;
  ended_ += skipped.ended;
  for (HeldCta& cta : skipped.held) {
    Sm& sm = sms_[cta.sm.value - first_.value];
    sm.running.push_back(cta.id);
    sm.drained = false;
    ++started_;
    started_numbers_ += cta.id.value;
    (*sm.port)->adopt_cta(std::move(cta.program), cta.id, clock_.after(t, 1));
  }
}

void GpuDispatcher::release_all() {
  stopped_ = true;
  for (std::uint32_t i = 0; i < sms_.size(); ++i) {
    for (const CtaId cta : sms_[i].running) {
      (*sms_[i].port)->release_cta(cta, [this, i, cta](std::unique_ptr<CtaProgram> program) {
        released(i, cta, std::move(program));
      });
    }
  }
}

/// `program`: null if the CTA had ended, which a notification says.
void GpuDispatcher::released(std::uint32_t sm, CtaId cta, std::unique_ptr<CtaProgram> program) {
  if (program == nullptr) return;
  released_.push_back({SmId(first_.value + sm), cta, std::move(program)});
  notify(released_.back().sm, {Notification::Kind::kCtaReleased, cta});
}

void GpuDispatcher::handle_notifications(Tick t) {
  while (notifications_.due(t)) {
    Sm& s = sms_[notifications_.front_port()];
    const Notification n = notifications_.pop();
    if (n.kind == Notification::Kind::kDrained) {
      if (s.running.empty()) s.drained = true;  // unless a CTA has been dispatched since
      continue;
    }
    const auto running = std::find(s.running.begin(), s.running.end(), n.cta);
    sc_assert(running != s.running.end());
    s.running.erase(running);
    if (n.kind == Notification::Kind::kCtaFinished) ++ended_;
  }
}

/// Dispatches at most one CTA to each SM with free resources. Returns whether it dispatched any,
/// because another round can then dispatch more.
bool GpuDispatcher::deal(Tick t) {
  if (stopped_) return false;
  bool dealt = false;
  scheduler_->begin_round();
  for (std::uint32_t i = 0; i < sms_.size(); ++i) {
    Sm& sm = sms_[i];
    if (sm.running.size() >= residents_) continue;
    const std::optional<CtaId> cta = scheduler_->next(SmId(first_.value + i));
    if (!cta) continue;
    sm.running.push_back(*cta);
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
    running += s.running.size();
    if (s.running.empty() && !s.drained) ++undrained;
  }
  if (running != 0) out.push_back({base + "running_ctas", running, "their warps to end"});
  if (undrained != 0) {
    out.push_back({base + "undrained_sms", undrained, "acknowledgements of their stores"});
  }
}

void GpuDispatcher::reset() {
  kernel_ = nullptr;
  stopped_ = false;
  released_.clear();
  failure_ = {};
  failure_due_ = kNever;
  for (Sm& s : sms_) {
    s.running.clear();
    s.drained = true;
  }
  orders_.clear();
  notifications_.clear();
  flush_.reset();
  wake_.cancel();
}

}  // namespace tessera
