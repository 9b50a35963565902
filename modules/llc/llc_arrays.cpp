// SPDX-License-Identifier: Apache-2.0
// What a slice does at its tag and data arrays.
#include <algorithm>
#include <cstring>

#include "modules/core/unlikely.h"
#include "modules/llc/llc_slice.h"

namespace tessera {

bool LlcSlice::try_queue(TimedQueue<Access>& queue, Tick t) {
  if (!queue.due(t)) return false;
  const Access a = queue.front();
  if (access(a, t) == Outcome::kStalled) return false;
  queue.pop();
  stall_tracker_[local(a)].proceed(t);
  if (!queue.empty()) array_.prefetch(queue.front().set);
  ++(&queue == &lmr_ ? stats_.local_lookups : stats_.remote_lookups);
  notify_observers(a, false);
  std::uint64_t cycles = 1;
  if (a.request->kind == RequestKind::kAtomic && is_home(*a.request) && !is_remote_cache()) {
    cycles = (a.request->atomics->count + config_.atomic_lanes_per_cycle - 1) /
             config_.atomic_lanes_per_cycle;
  }
  lookup_free_at_ = clock_.after(t, std::max<std::uint64_t>(cycles, 1));
  request_in_[a.port].release();
  return true;
}

LlcSlice::Outcome LlcSlice::stall(const Access& a, Counter& reason) {
  stall_tracker_[local(a)].stall(reason, now());
  return Outcome::kStalled;
}

/// Whether a request passes the arrays by.
bool LlcSlice::bypasses_cache(const Access& a) const {
  if (is_remote_cache()) return !role_.remote_cache->remote_cache;
  return !is_home(*a.request) && !cached_here(a);
}

/// Whether a local SM's request for another slice's line is looked up here.
bool LlcSlice::cached_here(const Access& a) const {
  if (role_.coherent) return true;
  return a.request->kind == RequestKind::kLoad && caching_of(a).at_requester;
}

/// Whether what this access alone fetched stays here.
bool LlcSlice::kept(const Access& a) const {
  if (local(a)) return true;
  if (!config_.install_remote_misses) return false;
  return role_.caching == nullptr || a.request->kind != RequestKind::kLoad || caching_of(a).at_home;
}

Caching LlcSlice::caching_of(const Access& a) const {
  RemoteAccess r;
  r.read_only = a.request->read_only;
  r.requester = a.request->requester;
  r.home = a.request->home().slice;
  r.line = line_of(*a.payload);
  return role_.caching->decide(r);
}

void LlcSlice::drop_page(std::uint64_t address, std::uint64_t bytes) {
  for (std::uint64_t at = address; at < address + bytes; at += config_.line_bytes) {
    const std::uint64_t line = at / config_.line_bytes;
    const CacheArray::Frame f = array_.find(index_of(map_.locate(at)), line);
    if (f != CacheArray::kNone) array_.invalidate(f);
  }
}

void LlcSlice::notify(const Access& a, bool leaving) {
  const AccessOrigin origin = leaving || !is_home(*a.request) ? AccessOrigin::kRemoteLeaving
                              : local(a)                      ? AccessOrigin::kLocal
                                                              : AccessOrigin::kRemoteArriving;
  const ObservedAccess access{origin, a.payload->get_address(), *a.request};
  for (SliceObserver* o : role_.observers) o->on_access(access);
}

LlcSlice::Outcome LlcSlice::access(const Access& a, Tick t) {
  const std::uint64_t line = line_of(*a.payload);
  const CacheArray::Frame f = array_.find(index_of(a.request->home()), line);
  const bool home = is_home(*a.request);
  const bool atomic = a.request->kind == RequestKind::kAtomic;
  const bool is_write = a.payload->is_write() && !atomic;

  Outcome outcome = Outcome::kDone;
  bool served_here = home && !is_remote_cache();
  const std::uint64_t bypasses = stats_.bypasses;
  if (!home && a.request->kind != RequestKind::kLoad) {
    outcome = forward_to_home(a, line, f, t);
  } else if (is_remote_cache() && must_reach_home(*a.request)) {
    outcome = write_back_and_forward(a, f, t);
  } else if (f != CacheArray::kNone && array_.locked(f)) {
    outcome = merge(a, line);
  } else if (is_write) {
    outcome = write(a, line, f, t);
  } else if (f != CacheArray::kNone && array_.valid(f).contains(array_.whole_line())) {
    ++stats_.hits;
    if (!home) ++stats_.replica_hits;
    served_here = true;
    array_.touch(f);
    apply(a, f);
    finish(a, t);
  } else {
    outcome = miss(a, line, f, t);
  }
  if (outcome == Outcome::kStalled) return outcome;
  // What went on without a place here counts as a bypass, whichever way it came to that.
  if (stats_.bypasses == bypasses) {
    ++(atomic ? stats_.atomics : is_write ? stats_.writes : stats_.reads);
  }
  if (local(a) && a.request->kind == RequestKind::kLoad) {
    ++stats_.sm_loads;
    if (served_here) ++stats_.sm_loads_served;
  }
  return outcome;
}

LlcSlice::Outcome LlcSlice::merge(const Access& a, std::uint64_t line) {
  Mshr<Access>::Entry& entry = *mshr_.find(line);
  if (!entry.keep || !mshr_.can_merge(entry)) return stall(a, stats_.stalls_mshr);
  entry.add(a);
  ++stats_.merges;
  return Outcome::kDone;
}

LlcSlice::Outcome LlcSlice::write(const Access& a, std::uint64_t line, CacheArray::Frame frame,
                                  Tick t) {
  if (frame == CacheArray::kNone) {
    frame = allocate_way(index_of(a.request->home()), line);
    if (frame == CacheArray::kNone) return stall(a, stats_.stalls_ways);
    ++stats_.write_allocations;
  } else {
    ++stats_.hits;
  }
  array_.touch(frame);
  apply(a, frame);
  finish(a, t);
  return Outcome::kDone;
}

LlcSlice::Outcome LlcSlice::miss(const Access& a, std::uint64_t line, CacheArray::Frame frame,
                                 Tick t) {
  const std::uint64_t index = index_of(a.request->home());
  const bool home = is_home(*a.request);
  // Other slices' requests must always find an MSHR and a way in the end, or slices that wait for
  // each other's lines never get them: a line of another slice leaves them some, and is otherwise
  // fetched without being kept.
  if (!home && (mshr_.used() + std::max(1U, config_.mshr_entries / 4) >= config_.mshr_entries ||
                array_.unlocked(index) < 2)) {
    return forward_to_home(a, line, frame, t);
  }
  if (mshr_.full()) return stall(a, stats_.stalls_mshr);
  if (!home && to_remote_.queue.size() >= config_.remote_queue_depth)
    return stall(a, stats_.stalls_output);
  const bool absent = frame == CacheArray::kNone;
  if (absent) {
    frame = allocate_way(index, line);
    if (frame == CacheArray::kNone) return stall(a, stats_.stalls_ways);
    ++stats_.misses;
  } else {
    ++stats_.partial_fetches;
  }
  if (!home) ++stats_.replica_misses;
  array_.lock(frame, true);
  Mshr<Access>::Entry& entry = mshr_.allocate(line);
  entry.frame = frame;
  entry.keep = true;
  entry.sent = t;
  entry.add(a);
  entry.fetch = &fetch_for(a, line);
  if (home) {
    to_memory_.queue.push(t, 0, entry.fetch);
  } else {
    to_remote_.queue.push(t, 0, entry.fetch);
  }
  return Outcome::kDone;
}

/// A read of the line itself goes on; for an atomic, a read of our own does, and in a remote cache
/// for a read to which the home would answer with pieces of the line.
tlm::tlm_generic_payload& LlcSlice::fetch_for(const Access& a, std::uint64_t line) {
  if (a.payload->is_read() && a.payload->get_data_length() == config_.line_bytes &&
      !(is_remote_cache() && a.request->fine_grained)) {
    return *a.payload;
  }
  return own_fetch(a, line);
}

tlm::tlm_generic_payload& LlcSlice::own_fetch(const Access& a, std::uint64_t line) {
  Transaction& fetch = pool_.acquire();
  fetch.set_line(tlm::TLM_READ_COMMAND, line * config_.line_bytes, config_.line_bytes);
  MemoryRequest& r = fetch.request();
  r.kind = RequestKind::kFill;
  r.read_only = a.request->read_only;
  r.carries_data = a.request->carries_data;
  r.requester = a.request->requester;
  r.useful_bytes = static_cast<std::uint16_t>(config_.line_bytes);
  r.set_home(a.request->home(), line * config_.line_bytes);
  return fetch;
}

/// Sends another slice's access to its home after a lookup, without a place here. A write takes
/// the line's copy with it.
LlcSlice::Outcome LlcSlice::forward_to_home(const Access& a, std::uint64_t line,
                                            CacheArray::Frame frame, Tick t) {
  if (to_remote_.queue.size() >= config_.remote_queue_depth) return stall(a, stats_.stalls_output);
  if (a.request->kind != RequestKind::kLoad && frame != CacheArray::kNone) {
    if (array_.locked(frame)) {
      mshr_.find(line)->keep = false;
    } else {
      array_.invalidate(frame);
    }
  }
  ++stats_.bypasses;
  send_on(a, t, 0);
  return Outcome::kDone;
}

void LlcSlice::send_on(const Access& a, Tick due, std::uint32_t tag) {
  a.request->push_route(static_cast<std::uint16_t>(a.port));
  ++outstanding_bypasses_;
  to_remote_.queue.push(due, tag, a.payload);
}

/// The line has been refused: so are the accesses that wait for it, and nothing is installed.
void LlcSlice::refuse_fill(Payload& payload, Tick t) {
  Mshr<Access>::Entry& entry = *mshr_.find(line_of(payload));
  array_.lock(entry.frame, false);
  if (array_.valid(entry.frame).none()) array_.invalidate(entry.frame);
  const bool own = entry.first().payload != &payload;
  entry.for_each_waiting([&](const Access& a) {
    a.payload->set_response_status(payload.get_response_status());
    responses_[a.port].queue.push(t, 0, a.payload);
  });
  if (own) payload.release();
  mshr_.release(entry);
}

void LlcSlice::fill(Payload& payload, Tick t) {
  if (unlikely(failed(payload))) {
    refuse_fill(payload, t);
    return;
  }
  Mshr<Access>::Entry& entry = *mshr_.find(line_of(payload));
  const CacheArray::Frame f = entry.frame;
  const ByteMask& whole = array_.whole_line();
  const bool held_bytes = !array_.valid(f).none();
  if (request_of(payload).carries_data) {
    copy_masked(array_.data(f), payload.get_data_ptr(), whole.without(array_.valid(f)),
                config_.line_bytes);
  }
  array_.set_valid(f, whole);
  array_.lock(f, false);
  MemoryRequest& first = *entry.first().request;
  const bool home = is_home(first);
  if (home && !is_remote_cache()) {
    // Both here: the request's line with the stamps is not in the host's caches at the lookup.
    first.stamps[static_cast<std::size_t>(Hop::kToDram)] = entry.sent;
    first.stamps[static_cast<std::size_t>(Hop::kFromDram)] = t;
  }
  stats_.miss_latency.add(clock_.cycles_in(t - entry.sent));
  bool wanted_here = held_bytes;
  entry.for_each_waiting([&](const Access& a) {
    wanted_here = wanted_here || kept(a);
    apply(a, f);
    finish(a, t);
  });
  const bool keep = entry.keep && (wanted_here || !array_.dirty(f).none());
  if (entry.first().payload != &payload) payload.release();
  mshr_.release(entry);
  if (!keep) {
    array_.invalidate(f);
  } else if (!home) {
    holds_copies_ = true;
  }
}

/// A frame for the line, its old line evicted; kNone when every way waits for a fill.
CacheArray::Frame LlcSlice::allocate_way(std::uint64_t index, std::uint64_t line) {
  const CacheArray::Frame f = array_.victim(index);
  if (f == CacheArray::kNone) return f;
  if (array_.occupied(f)) {
    ++stats_.evictions;
    if (!array_.dirty(f).none()) write_back(f, now());
  }
  array_.install(f, line);
  if (is_remote_cache()) holds_copies_ = true;
  return f;
}

void LlcSlice::write_back(CacheArray::Frame f, Tick t) {
  ++stats_.write_backs;
  const std::uint64_t address = array_.line(f) * config_.line_bytes;
  Transaction& out = pool_.acquire();
  out.set_line(tlm::TLM_WRITE_COMMAND, address, config_.line_bytes);
  out.set_byte_mask(array_.dirty(f));
  MemoryRequest& r = out.request();
  r.kind = RequestKind::kWriteBack;
  r.useful_bytes = static_cast<std::uint16_t>(array_.dirty(f).count());
  r.decode_home(map_, address);
  // An array that holds bytes was filled by carried requests.
  r.carries_data = carried_;
  if (carried_) std::memcpy(out.data(), array_.data(f), config_.line_bytes);
  writes_.push_back(&out);
  to_memory_.queue.push(t, 0, &out);
}

/// The access takes effect on a frame whose bytes are there.
void LlcSlice::apply(const Access& a, CacheArray::Frame frame) {
  const bool carried = a.request->carries_data;
  carried_ = carried_ || carried;
  if (a.request->kind == RequestKind::kAtomic) {
    perform_atomics(*a.request->atomics, frame, carried);
    return;
  }
  if (a.payload->is_write()) {
    const ByteMask mask = byte_mask_of(*a.payload);
    if (carried) {
      copy_masked(array_.data(frame), a.payload->get_data_ptr(), mask, config_.line_bytes);
    }
    array_.set_valid(frame, array_.valid(frame) | mask);
    array_.set_dirty(frame, array_.dirty(frame) | mask);
  } else if (carried) {
    std::memcpy(a.payload->get_data_ptr(), array_.data(frame), config_.line_bytes);
  }
}

void LlcSlice::perform_atomics(AtomicOperands& operands, CacheArray::Frame frame, bool carried) {
  const unsigned bytes = atomic_bytes(operands.type);
  stats_.atomic_lanes += operands.count;
  for (unsigned i = 0; i < operands.count; ++i) {
    AtomicOperands::Lane& lane = operands.lanes[i];
    array_.set_dirty(frame, array_.dirty(frame) | ByteMask::range(lane.offset, bytes));
    if (!carried) continue;
    unsigned char* at = array_.data(frame) + lane.offset;
    std::uint64_t old = 0;
    std::memcpy(&old, at, bytes);
    lane.old = old;
    const std::uint64_t result =
        apply_atomic(operands.op, operands.type, old, lane.operand, lane.compare);
    std::memcpy(at, &result, bytes);
  }
}

/// The access has taken effect: its answer may leave, once no stale copy is left elsewhere.
void LlcSlice::finish(const Access& a, Tick t) {
  a.payload->set_response_status(tlm::TLM_OK_RESPONSE);
  if (role_.coherent && is_home(*a.request) && !coherent_after(a, t)) return;
  responses_[a.port].queue.push(t, 0, a.payload);
}

// Coherence with the twin slice of the other side.

/// The directory after an access at home. False: the answer waits for an invalidation.
bool LlcSlice::coherent_after(const Access& a, Tick t) {
  const std::uint64_t line = line_of(*a.payload);
  const Home& home = a.request->home();
  const bool load = a.request->kind == RequestKind::kLoad;
  if (!local(a)) {
    // The twin keeps what it loads, and has dropped what it writes.
    if (!load) {
      directory_.remove(home.slice_line, line);
    } else if (const auto evicted = directory_.add(home.slice_line, line)) {
      invalidate_peer(*evicted, t);
    }
    return true;
  }
  if (load) return true;
  const auto pending = std::find_if(invalidating_.begin(), invalidating_.end(),
                                    [line](const Invalidation& i) { return i.line == line; });
  if (directory_.remove(home.slice_line, line)) {
    invalidate_peer(line, t).held.push_back(a);
    return false;
  }
  if (pending == invalidating_.end()) return true;
  pending->held.push_back(a);
  return false;
}

LlcSlice::Invalidation& LlcSlice::invalidate_peer(std::uint64_t line, Tick t) {
  ++stats_.invalidations_sent;
  const std::uint64_t address = line * config_.line_bytes;
  Transaction& out = pool_.acquire();
  out.set_line(tlm::TLM_IGNORE_COMMAND, address, config_.line_bytes);
  MemoryRequest& r = out.request();
  r.kind = RequestKind::kCoherence;
  r.decode_home(map_, address);
  to_remote_.queue.push(t, 0, &out);
  invalidating_.push_back({&out, line, {}});
  return invalidating_.back();
}

/// The twin has answered an invalidation.
void LlcSlice::invalidated(Payload& payload, Tick t) {
  const auto i = std::find_if(invalidating_.begin(), invalidating_.end(),
                              [&payload](const Invalidation& v) { return v.payload == &payload; });
  for (const Access& a : i->held) responses_[a.port].queue.push(t, 0, a.payload);
  payload.release();
  invalidating_.erase(i);
}

/// The home wants lines dropped.
void LlcSlice::handle_invalidations(Tick t) {
  while (invalidations_.due(t)) {
    const Access a = invalidations_.pop();
    ++stats_.invalidations_received;
    const std::uint64_t line = line_of(*a.payload);
    const CacheArray::Frame f = array_.find(a.request->home().slice_line, line);
    if (f != CacheArray::kNone) {
      if (array_.locked(f)) {
        mshr_.find(line)->keep = false;
      } else {
        array_.invalidate(f);
      }
    }
    a.payload->set_response_status(tlm::TLM_OK_RESPONSE);
    responses_[a.port].queue.push(t, 0, a.payload);
    request_in_[a.port].release();
  }
}

}  // namespace tessera
