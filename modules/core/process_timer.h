// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "modules/core/process_scheduler.h"
#include "modules/core/time.h"

namespace tessera {

/// When a block's process is to be woken: scheduled_at for the block's earliest work.
///
/// A process does all work due now, and ends by scheduling itself for the next. It is called by the
/// model's one SC_METHOD (modules/core/process_scheduler.h), so it must not call wait() or
/// next_trigger().
class ProcessTimer {
 public:
  ProcessTimer() = default;
  ~ProcessTimer() {
    if (queue_ != nullptr) queue_->remove(id_);
  }
  ProcessTimer(const ProcessTimer&) = delete;
  ProcessTimer& operator=(const ProcessTimer&) = delete;

  /// The process that is woken, `&Block::process`; to be called once, in the constructor of the
  /// block, before anything else is. Among processes that are due at one instant, those of earlier
  /// calls run first (ProcessScheduler::run_in_reverse(): last).
  template <auto kProcess, class Block>
  void bind(Block& block) {
    check_time_resolution();
    queue_ = &ProcessScheduler::instance();
    id_ = queue_->add([](void* b) { (static_cast<Block*>(b)->*kProcess)(); }, &block);
  }

  /// Wakes the process at t or earlier. t must not lie in the past; kNever does nothing.
  void at(Tick t) { queue_->schedule(id_, t); }

  void cancel() { queue_->cancel(id_); }

  /// kNever when it is not scheduled; while the process runs, until it is scheduled again.
  Tick scheduled_at() const { return queue_->scheduled_at(id_); }

 private:
  ProcessScheduler* queue_ = nullptr;
  ProcessScheduler::Id id_ = 0;
};

}  // namespace tessera
