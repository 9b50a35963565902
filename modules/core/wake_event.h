// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "modules/core/time.h"
#include "modules/core/wake_queue.h"

namespace tessera {

/// When a block's process is to be woken: armed for the block's earliest work.
///
/// A process does all work due now, and ends by arming itself for the next. It is called by the
/// model's one SC_METHOD (modules/core/wake_queue.h), so it must not call wait() or next_trigger().
class WakeEvent {
 public:
  WakeEvent() = default;
  ~WakeEvent() {
    if (queue_ != nullptr) queue_->remove(id_);
  }
  WakeEvent(const WakeEvent&) = delete;
  WakeEvent& operator=(const WakeEvent&) = delete;

  /// The process that is woken, `&Block::process`; to be called once, in the constructor of the
  /// block, before anything else is. Among processes that are due at one instant, those of earlier
  /// calls run first (WakeQueue::run_in_reverse(): last).
  template <auto kProcess, class Block>
  void drives(Block& block) {
    check_time_resolution();
    queue_ = &WakeQueue::instance();
    id_ = queue_->add([](void* b) { (static_cast<Block*>(b)->*kProcess)(); }, &block);
  }

  /// Wakes the process at t or earlier. t must not lie in the past; kNever does nothing.
  void at(Tick t) { queue_->arm(id_, t); }

  void cancel() { queue_->disarm(id_); }

  /// kNever when it is not armed; while the process runs, until it arms itself again.
  Tick armed() const { return queue_->armed(id_); }

 private:
  WakeQueue* queue_ = nullptr;
  WakeQueue::Id id_ = 0;
};

}  // namespace tessera
