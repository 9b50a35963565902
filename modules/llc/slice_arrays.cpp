// SPDX-License-Identifier: Apache-2.0
// Accesses of every slice to its tag and data arrays.
#include <algorithm>
#include <cstring>

#include "modules/llc/slice_stages.h"
#include "modules/protocol/atomics.h"
#include "modules/protocol/transaction_pool.h"

namespace tessera {

SliceStages::Outcome SliceStages::merge(const Access& a, std::uint64_t line) {
  Mshr<Access>::Entry& entry = *mshr_.find(line);
  if (!entry.keep || !mshr_.can_merge(entry)) return stall(a, stats_.stalls_mshr);
  Access joined = a;
  joined.joined_at = static_cast<std::uint32_t>(clock_.cycle_at(now()));
  entry.add(joined);
  ++stats_.merges;
  ++counts_[a.request->launch].merged;
  return Outcome::kDone;
}

/// Notes the accesses that have joined the entry's fetch, whose line arrives at t.
void SliceStages::count_merged(const Mshr<Access>::Entry& entry, Tick t) {
  const auto cycle = static_cast<std::uint32_t>(clock_.cycle_at(t));
  entry.for_each_waiting([&](const Access& a) {
    if (&a == &entry.first()) return;
    a.request->joined_fetch = true;
    stats_.merge_wait_cycles += cycle - a.joined_at;
  });
}

SliceStages::Payload& SliceStages::own_fetch(const Access& a, std::uint64_t line) {
  Transaction& fetch = pool_.acquire();
  fetch.set_line(tlm::TLM_READ_COMMAND, line * config_.line_bytes, config_.line_bytes);
  MemoryRequest& r = fetch.request();
  r.kind = RequestKind::kFill;
  r.read_only = a.request->read_only;
  r.carries_data = a.request->carries_data;
  r.requester = a.request->requester;
  r.launch = a.request->launch;
  r.allocation = a.request->allocation;
  r.reports_refusal = a.request->reports_refusal;
  r.useful_bytes = static_cast<std::uint16_t>(config_.line_bytes);
  r.set_home(a.request->home(), line * config_.line_bytes);
  return fetch;
}

SliceStages::Outcome SliceStages::forward_to_home(const Access& a, std::uint64_t line,
                                                  CacheArray::Way way, Tick t) {
  if (to_remote_.requests.queue.size() >= config_.remote_queue_depth)
    return stall(a, stats_.stalls_output);
  if (a.request->kind != RequestKind::kLoad) drop_copy(line, way);
  ++stats_.bypasses;
  send_bypass(to_remote_, a, t, 0);
  return Outcome::kDone;
}

void SliceStages::drop_copy(std::uint64_t line, CacheArray::Way way) {
  if (way == CacheArray::kNone) return;
  if (array_.locked(way)) {
    mshr_.find(line)->keep = false;
  } else {
    array_.invalidate(way);
  }
}

/// Handles an error response to a fetch: the waiting accesses get the same status, and no line is
/// installed.
void SliceStages::refuse_fill(Payload& payload, Tick t) {
  Mshr<Access>::Entry& entry = *mshr_.find(line_of(payload));
  array_.lock(entry.way, false);
  if (array_.valid(entry.way).none()) array_.invalidate(entry.way);
  const bool own = entry.first().payload != &payload;
  entry.for_each_waiting([&](const Access& a) {
    a.payload->set_response_status(payload.get_response_status());
    respond(a.port, t, *a.payload);
  });
  if (own) payload.release();
  mshr_.release(entry);
}

/// Allocates a way for the line that the launch accesses, and evicts the old line. Returns kNone
/// if every way waits for a fill.
CacheArray::Way SliceStages::allocate_way(std::uint64_t index, std::uint64_t line,
                                          LaunchSlot launch) {
  const CacheArray::Way f = array_.victim(index);
  if (f == CacheArray::kNone) return f;
  if (array_.occupied(f)) {
    ++stats_.evictions;
    if (!array_.dirty(f).none()) write_back(f, launch, now());
  }
  array_.install(f, line);
  return f;
}

void SliceStages::write_back(CacheArray::Way f, LaunchSlot launch, Tick t) {
  ++stats_.write_backs;
  const std::uint64_t address = array_.line(f) * config_.line_bytes;
  Transaction& out = pool_.acquire();
  out.set_line(tlm::TLM_WRITE_COMMAND, address, config_.line_bytes);
  out.set_byte_mask(array_.dirty(f));
  MemoryRequest& r = out.request();
  r.kind = RequestKind::kWriteBack;
  r.launch = launch;
  r.useful_bytes = static_cast<std::uint16_t>(array_.dirty(f).count());
  r.decode_home(map_, address);
  // The array holds bytes only if requests have carried values.
  r.carries_data = carried_;
  if (carried_) std::memcpy(out.data(), array_.data(f), config_.line_bytes);
  writes_.push_back(&out);
  to_memory_.requests.queue.push(t, 0, &out);
}

/// Performs an access on a way that holds the bytes it needs.
void SliceStages::apply(const Access& a, CacheArray::Way way) {
  const bool carried = a.request->carries_data;
  carried_ = carried_ || carried;
  if (a.request->kind == RequestKind::kAtomic) {
    AtomicOperands& operands = *a.request->atomics;
    stats_.atomic_lanes += operands.count;
    array_.set_dirty(way, array_.dirty(way) | bytes_of(operands));
    if (carried) perform_atomics(operands, array_.data(way));
  } else if (a.payload->is_write()) {
    const ByteMask mask = byte_mask_of(*a.payload);
    if (carried) {
      copy_masked(array_.data(way), a.payload->get_data_ptr(), mask, config_.line_bytes);
    }
    array_.set_valid(way, array_.valid(way) | mask);
    array_.set_dirty(way, array_.dirty(way) | mask);
  } else if (carried) {
    std::memcpy(a.payload->get_data_ptr(), array_.data(way), config_.line_bytes);
  }
}

// Untimed accesses.

bool SliceStages::holds_newer(std::uint64_t address) const {
  const CacheArray::Way f = way_at(address);
  if (f != CacheArray::kNone && !array_.dirty(f).none()) return true;
  return std::any_of(writes_.begin(), writes_.end(), [address](const Payload* w) {
    return w->get_address() == address && !w->is_response_ok();
  });
}

void SliceStages::overlay(std::uint64_t address, unsigned char* bytes) {
  if (!carried_) return;
  // Bytes of a write-back are newer than those below; dirty bytes in the array are newer than both.
  for (Payload* w : writes_) {
    if (w->get_address() != address || w->is_response_ok()) continue;
    copy_masked(bytes, w->get_data_ptr(), byte_mask_of(*w), config_.line_bytes);
  }
  const CacheArray::Way f = way_at(address);
  if (f != CacheArray::kNone) {
    copy_masked(bytes, array_.data(f), array_.dirty(f), config_.line_bytes);
  }
}

void SliceStages::replace(std::uint64_t address, const unsigned char* bytes, const ByteMask& mask) {
  const auto put = [&](unsigned char* copy, const ByteMask& held) {
    copy_masked(copy, bytes, mask & held, config_.line_bytes);
  };
  const std::uint64_t line = address >> line_shift_;
  if (Mshr<Access>::Entry* entry = mshr_.find(line)) {
    if (request_of(*entry->fetch).carries_data) {
      put(entry->fetch->get_data_ptr(), array_.whole_line());
    }
  }
  if (!carried_) return;
  for (Payload* w : writes_) {
    if (w->get_address() == address) put(w->get_data_ptr(), byte_mask_of(*w));
  }
  const CacheArray::Way f = way_at(address);
  if (f != CacheArray::kNone) put(array_.data(f), array_.valid(f));
}

}  // namespace tessera
