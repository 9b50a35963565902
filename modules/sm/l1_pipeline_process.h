// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions of L1Pipeline. Included by modules/sm/l1_pipeline.h only.

#include <algorithm>

#include "modules/kernel/sample_time.h"
#include "modules/kernel/unlikely.h"
#include "modules/sm/l1_pipeline.h"

namespace tessera {

// Transport.

template <class Role>
tlm::tlm_sync_enum L1Pipeline<Role>::backward(Payload& payload, tlm::tlm_phase& phase,
                                              sc_core::sc_time& delay) {
  const auto ended = [this] { memory_port_.requests.schedule_next(clock_, wake_, now()); };
  return memory_port_.backward(payload, phase, delay, ended, [&](Tick arrival) {
    ended();
    response_arrives(payload, clock_.after(arrival, 0));
  });
}

/// A response will arrive at `due`, which is an edge.
template <class Role>
void L1Pipeline<Role>::response_arrives(Payload& payload, Tick due) {
  if (memory_port_.responses.empty() && evicts_at_ < now() && soonest_lookup() >= due &&
      !probes_.attached() && due < next_sample_time) {
    // No access is looked up before the line arrives, so that the effects of the fill can be
    // computed now. Only one eviction is computed in advance, because a flush before the arrival
    // must take it back.
    const bool next = core_port_.responses.queue.empty();
    memory_port_.release();
    handle_response(payload, due);
    if (next) {
      send_to_core(due);
      core_port_.responses.schedule_next(clock_, wake_, due);
    }
    return;
  }
  memory_port_.responses.push(due, 0, &payload);
  wake_.at(due);
}

// Processes.

template <class Role>
void L1Pipeline<Role>::process() {
  const Tick t = now();
  if (flush_at_ <= t) drop_lines();
  while (memory_port_.responses.due(t)) handle_response(memory_port_.pop_response(), t);
  send_all(t);
  look_up(t);
  if (unlikely(probes_.due() <= t)) lookup_free_at_ = probes_.serve(lookup_free_at_, t);
  schedule_next(t);
}

/// Handles a response from memory that arrives at t, which is now or later.
template <class Role>
void L1Pipeline<Role>::handle_response(Payload& payload, Tick t) {
  Misses::Entry* entry = mshr_.find(line_of(payload), &payload);
  if (entry != nullptr) {
    if (unlikely(failed(payload))) {
      refuse_fill(*entry);
    } else {
      fill(*entry, t);
    }
  } else {
    --forwarded_;
  }
  if (!is_scalar(request_of(payload))) role_.responded(payload, t, clock_);
  TimedQueue<Payload*>& to_core = core_port_.responses.queue;
  to_core.push(t, 0, &payload);
  if (entry != nullptr) {
    entry->for_each_waiting([&](const Access& a) {
      if (a.payload->is_read()) {
        to_core.push(t, 0, a.payload);
      } else {
        a.payload->release();
      }
    });
    mshr_.release(*entry);
  }
}

template <class Role>
void L1Pipeline<Role>::look_up(Tick t) {
  stalled_ = false;
  if (lookup_free_at_ > t || !pipeline_.due(t)) return;
  if (memory_port_.requests.queue.size() >= config_.miss_queue_depth) {
    stall_tracker_.stall(stats_.stalls_miss_queue, t);
    stalled_ = true;
    return;
  }
  no_free_way_ = false;
  if (access(pipeline_.front(), t) == Lookup::kStalled) {
    stall_tracker_.stall(no_free_way_ ? stats_.stalls_frames : stats_.stalls_mshr, t);
    stalled_ = true;
    return;
  }
  pipeline_.pop();
  stall_tracker_.proceed(t);
  lookup_free_at_ = clock_.after(t, 1);
  core_port_.release();
  send_all(t);
}

template <class Role>
L1Cache::Lookup L1Pipeline<Role>::observed(const Access& a, Lookup outcome) {
  if (unlikely(observer_ != nullptr) && outcome != Lookup::kStalled) {
    observer_->on_lookup(*a.payload, *a.request, outcome);
  }
  return outcome;
}

template <class Role>
L1Cache::Lookup L1Pipeline<Role>::access(const Access& a, Tick t) {
  if (unlikely(is_scalar(*a.request))) return observed(a, load_scalar(a, t));
  const L1Handling how = role_.handling(*a.payload, *a.request);
  Lookup outcome = Lookup::kStalled;
  if (a.request->kind != RequestKind::kLoad) {
    if constexpr (Role::kBypassesArray) {
      // An outstanding fetch past the array returns bytes older than this access, so that later
      // loads must not merge with it.
      mshr_.for_each_of(line_of(*a.payload), [](Misses::Entry& e) {
        if (e.bypass) e.keep = false;
      });
    }
    outcome = write_or_atomic(a, t);
  } else if (Role::kBypassesArray && how.past_array) {
    outcome = load_past_array(a, how.word_mask, t);
  } else {
    outcome = load(a, t);
  }
  if (outcome != Lookup::kStalled) role_.looked_up(*a.request, how, outcome);
  return observed(a, outcome);
}

}  // namespace tessera
