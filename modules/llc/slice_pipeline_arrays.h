// SPDX-License-Identifier: Apache-2.0
#pragma once

// SlicePipeline's accesses to the tag and data arrays. Included by modules/llc/slice_pipeline.h.

#include "modules/llc/slice_pipeline.h"

namespace tessera {

template <class Role>
SliceStages::Outcome SlicePipeline<Role>::access(const Access& a, Tick t) {
  const std::uint64_t line = line_of(*a.payload);
  const Home& home = a.request->home();
  const CacheArray::Way f = array_.find(role_.set_index(home), line);
  const bool atomic = a.request->kind == RequestKind::kAtomic;
  const bool is_write = a.payload->is_write() && !atomic;

  Outcome outcome = Outcome::kDone;
  bool served_here = role_.owns(home);
  const std::uint64_t bypasses = stats_.bypasses;
  if (role_.must_reach_home(*a.request)) {
    outcome = role_.write_back_and_forward(a, line, f, t);
  } else if (f != CacheArray::kNone && array_.locked(f)) {
    outcome = merge(a, line);
  } else if (is_write) {
    outcome = write(a, line, f, t);
  } else if (f != CacheArray::kNone && array_.valid(f).contains(array_.whole_line())) {
    ++stats_.hits;
    ++counts_[a.request->launch].hits;
    if (role_.is_foreign(home)) ++stats_.replica_hits;
    array_.touch(f);
    if (role_.forwards_hit(a, f, t)) {
      ++stats_.reads;
      return Outcome::kDone;
    }
    served_here = true;
    apply(a, f);
    finish(a, t);
  } else {
    outcome = miss(a, line, f, t);
  }
  if (outcome == Outcome::kStalled) return outcome;
  // A request that leaves without allocating a way is counted as a bypass only.
  if (stats_.bypasses == bypasses) {
    ++(atomic ? stats_.atomics : is_write ? stats_.writes : stats_.reads);
  }
  if (local(a) && a.request->kind == RequestKind::kLoad) {
    ++stats_.sm_loads;
    if (served_here) ++stats_.sm_loads_served;
  }
  return outcome;
}

template <class Role>
SliceStages::Outcome SlicePipeline<Role>::write(const Access& a, std::uint64_t line,
                                                CacheArray::Way way, Tick t) {
  const Home& home = a.request->home();
  if (way == CacheArray::kNone) {
    way = allocate_way(role_.set_index(home), line, a.request->launch);
    if (way == CacheArray::kNone) return stall(a, stats_.stalls_ways);
    if (role_.is_copy(home)) holds_copies_ = true;
    ++stats_.write_allocations;
  } else {
    ++stats_.hits;
  }
  ++counts_[a.request->launch].hits;
  array_.touch(way);
  apply(a, way);
  finish(a, t);
  return Outcome::kDone;
}

template <class Role>
SliceStages::Outcome SlicePipeline<Role>::miss(const Access& a, std::uint64_t line,
                                               CacheArray::Way way, Tick t) {
  const std::uint64_t index = role_.set_index(a.request->home());
  const bool foreign = role_.is_foreign(a.request->home());
  // Requests of other slices must eventually get an MSHR and a way; otherwise slices that wait for
  // each other's lines deadlock. A fetch of another slice's line therefore leaves a quarter of the
  // MSHRs (at least one) and an unlocked way of the set free. If it cannot, the access is forwarded
  // to the home and its line is not kept.
  if (foreign && (mshr_.used() + std::max(1U, config_.mshr_entries / 4) >= config_.mshr_entries ||
                  array_.unlocked(index) < 2)) {
    return forward_to_home(a, line, way, t);
  }
  if (mshr_.full()) return stall(a, stats_.stalls_mshr);
  if (foreign && to_remote_.requests.queue.size() >= config_.remote_queue_depth)
    return stall(a, stats_.stalls_output);
  if (way == CacheArray::kNone) {
    way = allocate_way(index, line, a.request->launch);
    if (way == CacheArray::kNone) return stall(a, stats_.stalls_ways);
    ++stats_.misses;
  } else {
    ++stats_.partial_fetches;
  }
  ++counts_[a.request->launch].misses;
  if (foreign) ++stats_.replica_misses;
  array_.lock(way, true);
  Mshr<Access>::Entry& entry = mshr_.allocate(line);
  entry.way = way;
  entry.keep = true;
  entry.sent = t;
  entry.add(a);
  entry.fetch = &fetch_for(a, line);
  (foreign ? to_remote_ : to_memory_).requests.queue.push(t, 0, entry.fetch);
  return Outcome::kDone;
}

/// A read of a whole line is forwarded itself. For an atomic, and if the response would carry only
/// words of the line, the slice sends a read of its own.
template <class Role>
tlm::tlm_generic_payload& SlicePipeline<Role>::fetch_for(const Access& a, std::uint64_t line) {
  if (a.payload->is_read() && a.payload->get_data_length() == config_.line_bytes &&
      role_.comes_whole(*a.request)) {
    return *a.payload;
  }
  return own_fetch(a, line);
}

}  // namespace tessera
