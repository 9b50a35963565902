// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "modules/kernel/domain.h"
#include "modules/kernel/time.h"

namespace tessera {

/// The timer of a block's process, scheduled for the block's earliest work.
///
/// A process does all work that is due and then schedules itself for the next work. The scheduler
/// of the block's domain (modules/kernel/process_scheduler.h) calls it from the model's one
/// SC_METHOD, so that it must not call wait() or next_trigger().
class ProcessTimer {
 public:
  ProcessTimer() = default;
  ~ProcessTimer() {
    if (queue_ != nullptr) queue_->remove(id_);
  }
  ProcessTimer(const ProcessTimer&) = delete;
  ProcessTimer& operator=(const ProcessTimer&) = delete;

  /// Sets the process to wake, `&Block::process`. To be called once, in the constructor of the
  /// block, before any other function of the timer. Processes of a domain that are due at the same
  /// time run in the order of their bind() calls (reversed by DomainRunner::run_in_reverse()).
  template <auto kProcess, class Block>
  void bind(Block& block) {
    check_time_resolution();
    Domain& domain = Domain::under_construction();
    queue_ = &domain.scheduler();
    id_ = domain.add([](void* b) { (static_cast<Block*>(b)->*kProcess)(); }, &block);
  }

  /// Wakes the process at t or earlier. t must not be in the past; kNever has no effect. Inline,
  /// because most calls find an earlier time: a call costs 3 % of a miss.
  [[gnu::always_inline]] void at(Tick t) { queue_->schedule(id_, t); }

  void cancel() { queue_->cancel(id_); }

  /// kNever if the process is not scheduled, and while it runs until it is scheduled again.
  Tick scheduled_at() const { return queue_->scheduled_at(id_); }

 private:
  ProcessScheduler* queue_ = nullptr;
  ProcessScheduler::Id id_ = 0;
};

}  // namespace tessera
