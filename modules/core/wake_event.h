// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <systemc>
#include <utility>

#include "modules/core/time.h"
#include "modules/core/wake_queue.h"

namespace tessera {

/// When a block's process is to be woken: armed for the block's earliest work.
///
/// A process begins with `fired()`, does all work due now, and ends by arming itself for the next.
/// It is called by the model's one SC_METHOD (modules/core/wake_queue.h), so it must not call
/// wait() or next_trigger().
class WakeEvent {
 public:
  WakeEvent() = default;
  ~WakeEvent() {
    if (queue_ != nullptr) queue_->forget(*this);
  }
  WakeEvent(const WakeEvent&) = delete;
  WakeEvent& operator=(const WakeEvent&) = delete;

  /// The process that is woken; to be called once, in the constructor of the block.
  void drives(std::function<void()> process) {
    process_ = std::move(process);
    queue_ = &WakeQueue::instance();
  }

  /// Wakes the process at t or earlier. t must not lie in the past; kNever does nothing.
  void at(Tick t) {
    if (t >= armed_) return;
    sc_assert(t >= now());
    armed_ = t;
    queue_->enter(*this, t);
  }

  /// The process has been woken (or runs for another reason).
  void fired() { armed_ = kNever; }

  void cancel() { armed_ = kNever; }

  Tick armed() const { return armed_; }

 private:
  friend class WakeQueue;
  void wake() { process_(); }

  Tick armed_ = kNever;
  WakeQueue* queue_ = nullptr;
  std::function<void()> process_;
};

}  // namespace tessera
