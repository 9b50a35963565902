// SPDX-License-Identifier: Apache-2.0
#pragma once

// SlicePipeline's process, except for accesses to the arrays. Included by
// modules/llc/slice_pipeline.h.

#include "modules/llc/slice_pipeline.h"
#include "modules/protocol/atomics.h"

namespace tessera {

template <class Role>
void SlicePipeline<Role>::process() {
  const Tick t = now();
  if (unlikely(copies_end_at_ <= t)) invalidate_copies();
  if (to_memory_.responses.due(t)) handle_fills(t);
  if constexpr (Role::kReachesSlices) {
    handle_remote(t);
    role_.handle_messages(t);
  }
  if (bypassing_.due(t)) handle_bypassing(t);
  send_all(t);
  look_up(t);
  if (flush_way_ != kNotFlushing) walk_flush(t);
  schedule_next(t);
}

template <class Role>
void SlicePipeline<Role>::handle_fills(Tick t) {
  while (to_memory_.responses.due(t)) {
    const Tick due = to_memory_.responses.next_due();
    Payload& payload = to_memory_.pop_response();
    if (role_.passes_back(payload)) {
      --outstanding_bypasses_;
      respond(request_of(payload).pop_route(), due, payload);
    } else if (payload.is_write()) {
      acknowledge_write(payload);
    } else {
      fill(payload, due);
    }
  }
}

template <class Role>
void SlicePipeline<Role>::handle_remote(Tick t) {
  while (to_remote_.responses.due(t)) {
    Payload& payload = to_remote_.pop_response();
    if (role_.handles_response(payload, t)) continue;
    const Mshr<Access>::Entry* entry = mshr_.find(line_of(payload));
    if (entry != nullptr && entry->fetch == &payload) {
      fill(payload, t);
      continue;
    }
    --outstanding_bypasses_;
    respond(request_of(payload).pop_route(), t, payload);
  }
}

/// Forwards requests that bypass the arrays. A request holds its port's queue entry until it
/// leaves.
template <class Role>
void SlicePipeline<Role>::handle_bypassing(Tick t) {
  while (bypassing_.due(t)) {
    const Access a = bypassing_.pop();
    ++stats_.bypasses;
    if (local(a) && a.request->kind == RequestKind::kLoad) ++stats_.sm_loads;
    notify_observers(a, true);
    send_bypass(role_.onward(), a, t, kHoldsEntry + a.port);
  }
}

template <class Role>
void SlicePipeline<Role>::send_all(Tick t) {
  for (Input& input : inputs_) {
    if (input.responses.queue.due(t)) send_responses(input.responses, t);
  }
  if (to_memory_.requests.queue.due(t)) send(to_memory_, t);
  if constexpr (Role::kReachesSlices) {
    if (to_remote_.requests.queue.due(t)) send(to_remote_, t);
  }
}

template <class Role>
void SlicePipeline<Role>::send_responses(QueuedOutput<ResponseSender>& out, Tick t) {
  const Tick delay = clock_.after(t, 1) - t;
  while (out.ready(t, t + delay)) {
    count_wait(stats_.response_wait_cycles, clock_, out.queue.next_due(), t);
    Payload& payload = *out.queue.pop();
    MemoryRequest& request = request_of(payload);
    stamp_departure(request, role_.serves_as(request), t + delay);
    const std::uint32_t bytes = payload.is_read() ? config_.line_bytes : request.useful_bytes;
    (payload.is_read() ? stats_.bytes_read : stats_.bytes_written) += bytes;
    stats_.bandwidth.add(bytes, t);
    counts_[request.launch].bytes += bytes;
    out.sender.send(payload, delay);
  }
}

template <class Role>
void SlicePipeline<Role>::look_up(Tick t) {
  stalled_ = Stall::kNone;
  if (lookup_free_at_ > t || (!lmr_.due(t) && !rmr_.due(t))) return;
  if (output_backed_up()) {
    for (TimedQueue<Access>* queue : {&lmr_, &rmr_}) {
      if (queue->due(t)) stall(queue->front(), stats_.stalls_output);
    }
    stalled_ = Stall::kOutputs;
    return;
  }
  // If the head of the first queue stalls, the other queue is tried, and the first keeps its turn.
  const bool local_first = lmr_.due(t) && rmr_.due(t) ? arbitrate() : local_turn_;
  if (try_queue(local_first ? lmr_ : rmr_, t)) {
    local_turn_ = !local_first;
  } else {
    stalled_ = try_queue(local_first ? rmr_ : lmr_, t) ? Stall::kNone : Stall::kArrays;
  }
  send_all(t);
}

/// Whether the LMR queue is looked up first. Precondition: both queues have a request.
template <class Role>
bool SlicePipeline<Role>::arbitrate() const {
  // Due times order requests by arrival: each is the arrival plus the same lookup latency.
  const std::array<std::uint64_t, 2> arrived = {rmr_.next_due(), lmr_.next_due()};
  return arbiter_->choose({3, local_turn_ ? 0U : 1U, arrived.data()}) == 1;
}

template <class Role>
bool SlicePipeline<Role>::try_queue(TimedQueue<Access>& queue, Tick t) {
  if (!queue.due(t)) return false;
  const Access a = queue.front();
  if (access(a, t) == Outcome::kStalled) return false;
  count_wait(stats_.lookup_wait_cycles, clock_, queue.next_due(), t);
  queue.pop();
  stall_tracker_[local(a)].proceed(t);
  ++(&queue == &lmr_ ? stats_.local_lookups : stats_.remote_lookups);
  notify_observers(a, false);
  std::uint64_t cycles = 1;
  if (a.request->kind == RequestKind::kAtomic && role_.owns(a.request->home())) {
    cycles = atomic_cycles(*a.request->atomics, config_.atomic_lanes_per_cycle,
                           config_.atomic_block_bytes);
  }
  lookup_free_at_ = clock_.after(t, cycles);
  inputs_[a.port].release();
  return true;
}

}  // namespace tessera
