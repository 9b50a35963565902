// SPDX-License-Identifier: Apache-2.0
// The ends of kernels: reports of the GPUs, flushes, kernels that are stopped.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "common/error.h"
#include "modules/host/cta_dispatcher.h"

namespace tessera {

namespace {

/// Each part ends when its scheduler has no CTA left for any of its SMs.
std::exception_ptr undealt_ctas(const DispatchedKernel& k) {
  if (k.started == k.ctas && k.started_numbers == k.ctas * (k.ctas - 1) / 2) return nullptr;
  return std::make_exception_ptr(RunError(
      "kernel '" + k.launch.kernel->name() + "': the CTA schedulers have not returned each of " +
      std::to_string(k.ctas) + " CTAs once, but " + std::to_string(k.started) + " in all"));
}

}  // namespace

/// Of failures that are reported at the same time, the earliest counts; of these, the lowest SM's.
void CtaDispatcher::handle_reports(Tick t) {
  while (reports_.due(t)) {
    DispatchReport r = reports_.pop();
    switch (r.kind) {
      case DispatchReport::Kind::kEnded:
        for (const auto& k : kernels_) {
          if (k->slot != r.launch) continue;
          --k->outstanding;
          k->started += r.started;
          k->started_numbers += r.started_numbers;
          k->first_cta_at = std::min(k->first_cta_at, r.first_cta_at);
          if (k->launch.on_gpu_end) k->launch.on_gpu_end(r.gpu, r.first_cta_at);
        }
        break;
      case DispatchReport::Kind::kFlushed:
        --flush_outstanding_;
        if (r.wrote_back_until != 0) flush_.ended(clock_.after(r.wrote_back_until + latency_, 0));
        break;
      case DispatchReport::Kind::kFailed:
        if (!failure_.error || r.failed_at < failure_.failed_at) failure_ = std::move(r);
        break;
    }
  }
}

/// The CTAs of the kernel have ended in all GPUs.
void CtaDispatcher::ctas_ended(DispatchedKernel& k, Tick t) {
  if (stops_) {
    end(k, nullptr, t);
    return;
  }
  failure_.error = undealt_ctas(k);
  if (failure_.error) return;
  drained_at_ = t;
  k.state = State::kEnded;
  if (!put_off_) return;
  flush_due_ = true;
  end(k, nullptr, t);
}

// Flushes.

/// Begins the flush after the kernels that have ended, or before the kernel of this launch.
void CtaDispatcher::begin_flush(LaunchSlot of, Tick t) {
  flush_of_ = of;
  flush_.begin(count(State::kRunning, State::kRunning) == 0 ? FlushMode::kAlone
                                                            : FlushMode::kBesideKernels);
  for (const auto& k : kernels_) {
    if (k->state == State::kEnded) k->shares_flush = true;
  }
  proceed_flush(t);
}

/// The flush has begun, or a stage of it has ended in all GPUs.
void CtaDispatcher::proceed_flush(Tick t) {
  if (const std::optional<std::size_t> stage = flush_.next(t)) {
    flush_outstanding_ = gpus_.size();
    DispatchOrder order;
    order.kind = DispatchOrder::Kind::kFlush;
    order.launch = flush_of_;
    order.mode = flush_.mode();
    order.stage = *stage;
    order_all(t, order);
    return;
  }
  stats_.flush_cycles += flush_.cycles();
  std::vector<DispatchedKernel*> waiting;
  for (const auto& k : kernels_) {
    if (k->state == State::kFlushing || k->shares_flush) waiting.push_back(k.get());
  }
  for (DispatchedKernel* k : waiting) {
    if (k->state == State::kFlushing) {
      deal(*k, t);
    } else {
      end(*k, nullptr, t);
    }
  }
}

// Ends.

/// Removes the kernel. `error`: it has been refused.
void CtaDispatcher::end(DispatchedKernel& k, const std::exception_ptr& error, Tick t) {
  if (!error) {
    count_busy_cycles(t);
    count_ctas();
  }
  const auto at = std::find_if(kernels_.begin(), kernels_.end(),
                               [&k](const auto& other) { return other.get() == &k; });
  std::unique_ptr<DispatchedKernel> ended = std::move(*at);
  kernels_.erase(at);
  const auto on_end = std::move(ended->launch.on_end);
  const KernelEnd how{error, ended->first_cta_at};
  if (stops_) stopped_ = std::move(ended);
  on_end(how);
}

/// A failed kernel still occupies its SMs, so that all kernels end with its failure.
void CtaDispatcher::fail(Tick t) {
  DispatchOrder abort;
  abort.kind = DispatchOrder::Kind::kAbort;
  order_all(t, abort);
  flush_.reset();
  const std::vector<std::unique_ptr<DispatchedKernel>> failed = std::exchange(kernels_, {});
  for (const auto& k : failed) k->launch.on_end({failure_.error, k->first_cta_at});
}

// Kernels that are stopped.

void CtaDispatcher::skip_first(CtaSkip skip, std::function<void()> done) {
  skip_ = std::move(skip);
  skip_done_ = std::move(done);
}

void CtaDispatcher::stop() {
  sc_assert(kernels_.size() <= 1);
  if (kernels_.empty() || stops_) return;
  stops_ = true;
  if (kernels_.front()->state == State::kWaiting) return;
  DispatchOrder order;
  order.kind = DispatchOrder::Kind::kStop;
  order_all(now(), order);
}

std::optional<KernelRest> CtaDispatcher::take_rest() {
  if (stopped_ == nullptr) return std::nullopt;
  KernelRest rest;
  rest.kernel = stopped_->launch.kernel;
  for (Gpu& gpu : gpus_) {
    for (HeldCta& cta : gpu.part->take_released()) rest.held.push_back(std::move(cta));
  }
  std::sort(rest.held.begin(), rest.held.end(),
            [](const HeldCta& a, const HeldCta& b) { return a.id < b.id; });
  const std::shared_ptr<DispatchedKernel> kernel = std::move(stopped_);
  rest.next = [kernel, next = ctas_left(kernel->launch_schedulers(parts_.size()))] {
    return next();
  };
  return rest;
}

}  // namespace tessera
