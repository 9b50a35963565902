// SPDX-License-Identifier: Apache-2.0
// An L1's lookups and fills.
#include <algorithm>
#include <array>
#include <cstring>

#include "modules/kernel/unlikely.h"
#include "modules/sm/l1_cache.h"

namespace tessera {

namespace {}  // namespace

// Lookups.

L1Cache::Lookup L1Cache::load(const Access& a, Tick t) {
  if (a.request->bypass_l1) {
    ++stats_.loads;
    ++stats_.bypasses;
    forward_access(a, t);
    return Lookup::kForwarded;
  }
  const std::uint64_t line = line_of(*a.payload);
  if (Misses::Entry* entry = mshr_.find(line)) {
    if (!entry->keep || entry->bypass || !mshr_.can_merge(*entry)) return Lookup::kStalled;
    entry->add(a);
    ++stats_.loads;
    ++stats_.load_merges;
    ++counts_[a.request->launch].merged;
    return Lookup::kMerged;
  }
  CacheArray& array = array_of(*a.request);
  const CacheArray::Way f = array.find(line, line);
  if (f != CacheArray::kNone) {
    ++stats_.loads;
    ++stats_.load_hits;
    ++counts_[a.request->launch].hits;
    array.touch(f);
    if (a.request->carries_data) {
      std::memcpy(a.payload->get_data_ptr(), array.data(f), config_.line_bytes);
    }
    core_port_.responses.queue.push(t, 0, a.payload);
    return Lookup::kHit;
  }
  if (mshr_.full() || !reserve_way(array, line)) return Lookup::kStalled;
  ++stats_.loads;
  ++stats_.load_misses;
  ++counts_[a.request->launch].misses;
  fetch(a, line, L1Handling::kWholeLine, false, t);
  return Lookup::kForwarded;
}

/// A uniform load, if there is a scalar cache.
L1Cache::Lookup L1Cache::load_scalar(const Access& a, Tick t) {
  const Lookup outcome = load(a, t);
  if (outcome == Lookup::kStalled) return outcome;
  ++stats_.scalar_loads;
  if (outcome == Lookup::kHit) ++stats_.scalar_hits;
  return outcome;
}

/// A load that neither looks up the array nor installs a line (the three cases of DualOpt figure
/// 8). It merges with an outstanding fetch of all words that it needs; otherwise it allocates an
/// MSHR and sends its own request, for the line or for some words. A load after a store or an
/// atomic does not merge with an older fetch past the array: it fetches again, and gets the new
/// bytes because requests to one address keep their order on the path to memory.
L1Cache::Lookup L1Cache::load_past_array(const Access& a, std::uint32_t word_mask, Tick t) {
  const std::uint64_t line = line_of(*a.payload);
  if (Misses::Entry* entry = mshr_.find_containing(line, word_mask)) {
    if (!mshr_.can_merge(*entry)) return Lookup::kStalled;
    entry->add(a);
    ++stats_.loads;
    ++stats_.load_merges;
    ++counts_[a.request->launch].merged;
    return Lookup::kMerged;
  }
  if (mshr_.full()) return Lookup::kStalled;
  ++stats_.loads;
  ++stats_.load_misses;
  ++counts_[a.request->launch].misses;
  fetch(a, line, word_mask, true, t);
  return Lookup::kForwarded;
}

/// Allocates a way for a line that is about to be fetched, if ways are reserved. Returns false
/// if every way of the set waits for a line.
bool L1Cache::reserve_way(CacheArray& array, std::uint64_t line) {
  if (!config_.reserve_frames) return true;
  const CacheArray::Way f = array.victim(line);
  no_free_way_ = f == CacheArray::kNone;
  if (no_free_way_) return false;
  if (array.occupied(f)) {
    ++stats_.evictions;
    if (&array == &array_) probes_.evicted(f);
  }
  array.install(f, line);
  array.lock(f, true);
  return true;
}

/// Forwards the load to fetch its line, or these words of it.
void L1Cache::fetch(const Access& a, std::uint64_t line, std::uint32_t word_mask, bool bypass,
                    Tick t) {
  Misses::Entry& entry = mshr_.allocate(line);
  entry.keep = true;
  entry.bypass = bypass;
  entry.word_mask = word_mask;
  entry.fetch = a.payload;
  a.request->decode_home(map_, a.payload->get_address());
  memory_port_.requests.queue.push(t, 0, a.payload);
}

L1Cache::Lookup L1Cache::write_or_atomic(const Access& a, Tick t) {
  const std::uint64_t line = line_of(*a.payload);
  const bool atomic = a.request->kind == RequestKind::kAtomic;
  if (Misses::Entry* entry = mshr_.find_containing(line, L1Handling::kWholeLine)) {
    if (atomic) {
      // The atomic is performed at the home, so that the line that is being fetched is already
      // stale.
      entry->keep = false;
    } else {
      if (!mshr_.can_merge(*entry)) return Lookup::kStalled;
      a.payload->acquire();
      entry->add(a);
    }
  }
  const CacheArray::Way f = array_.find(line, line);
  if (f != CacheArray::kNone) {
    if (atomic) {
      if (!array_.locked(f)) probes_.evicted(f);
      array_.invalidate(f);
    } else if (!array_.locked(f)) {  // otherwise the store in the MSHR updates the line
      ++stats_.store_hits;
      if (a.request->carries_data) {
        copy_masked(array_.data(f), a.payload->get_data_ptr(), byte_mask_of(*a.payload),
                    config_.line_bytes);
      }
    }
  }
  if (unlikely(scalar_ != nullptr) && atomic) {
    const CacheArray::Way s = scalar_->find(line, line);
    if (s != CacheArray::kNone) scalar_->invalidate(s);
  }
  ++(atomic ? stats_.atomics : stats_.stores);
  forward_access(a, t);
  return Lookup::kForwarded;
}

/// Forwards the access unchanged. Its response goes to the core.
void L1Cache::forward_access(const Access& a, Tick t) {
  a.request->decode_home(map_, a.payload->get_address());
  ++forwarded_;
  memory_port_.requests.queue.push(t, 0, a.payload);
}

// Fills.

/// Handles an error response to a fetch: the waiting loads get the same status, and no line is
/// installed. A store has been forwarded and gets a status of its own.
void L1Cache::refuse_fill(Misses::Entry& entry) {
  const Payload& payload = *entry.fetch;
  entry.for_each_waiting([&](const Access& a) {
    if (a.payload->is_read()) a.payload->set_response_status(payload.get_response_status());
  });
  if (!config_.reserve_frames || entry.bypass) return;
  const std::uint64_t line = line_of(payload);
  CacheArray& array = array_of(request_of(*entry.fetch));
  const CacheArray::Way f = array.find(line, line);
  if (f == CacheArray::kNone) return;
  array.lock(f, false);
  array.invalidate(f);
}

/// Handles the response to a fetch: the waiting accesses take effect on its bytes in order of
/// arrival.
void L1Cache::fill(Misses::Entry& entry, Tick t) {
  const Payload& payload = *entry.fetch;
  const MemoryRequest& request = request_of(*entry.fetch);
  account(request, t);
  const std::uint32_t came =
      request.fine_grained ? 4U * static_cast<std::uint32_t>(__builtin_popcount(entry.word_mask))
                           : config_.line_bytes;
  stats_.bytes_filled += came;
  stats_.bandwidth.add(came, t);
  if (unlikely(observer_ != nullptr)) {
    observer_->on_fill(request, came, clock_.cycles_in(t - request.stamp(Hop::kIssued)));
  }
  const unsigned char* bytes = payload.get_data_ptr();
  // The fetching load keeps the bytes as they arrived; a store after it changes a copy of them.
  std::array<unsigned char, kMaxLineBytes> changed;
  entry.for_each_waiting([&](const Access& a) {
    if (!a.request->carries_data) return;
    if (a.payload->is_read()) {
      std::memcpy(a.payload->get_data_ptr(), bytes, config_.line_bytes);
      return;
    }
    if (bytes != changed.data()) {
      std::memcpy(changed.data(), bytes, config_.line_bytes);
      bytes = changed.data();
    }
    copy_masked(changed.data(), a.payload->get_data_ptr(), byte_mask_of(*a.payload),
                config_.line_bytes);
  });
  if (!entry.keep || entry.bypass) return;
  const std::uint64_t line = line_of(payload);
  CacheArray& array = array_of(request);
  const bool probed = &array == &array_;
  CacheArray::Way f = CacheArray::kNone;
  if (config_.reserve_frames) {
    f = array.find(line, line);
    array.lock(f, false);
  } else {
    f = array.victim(line);
    if (array.occupied(f)) {
      ++stats_.evictions;
      evicts_at_ = t;
      if (probed) probes_.evicted(f);
    }
    array.install(f, line);
  }
  if (probed) probes_.filled(f, request.stamp(Hop::kIssued));
  if (request.carries_data) std::memcpy(array.data(f), bytes, config_.line_bytes);
}

void L1Cache::account(const MemoryRequest& request, Tick t) {
  const Tick issued = request.stamp(Hop::kIssued);
  stats_.miss_latency.add(clock_.cycles_in(t - issued));
  homes_.add(request.home().slice);
  if (unlikely(request.served_by == ServedBy::kOtherL1)) {
    stats_.other_l1 += t - issued;
    return;
  }
  const Tick arrived = request.stamp(Hop::kAtLlc);
  const Tick left = request.stamp(Hop::kFromLlc);
  if (unlikely(arrived == kNever || left == kNever)) {
    stats_.unstamped += t - issued;
    return;
  }
  if (request.served_by == ServedBy::kCopy) {
    stats_.copy_request_network += arrived - issued;
    stats_.copy += left - arrived;
    stats_.copy_response_network += t - left;
    return;
  }
  stats_.request_network += arrived - issued;
  if (request.stamp(Hop::kToDram) != kNever && request.stamp(Hop::kFromDram) != kNever) {
    stats_.llc += request.stamp(Hop::kToDram) - arrived;
    stats_.dram += request.stamp(Hop::kFromDram) - request.stamp(Hop::kToDram);
    stats_.llc_return += left - request.stamp(Hop::kFromDram);
  } else {
    stats_.llc += left - arrived;
    if (request.served_by == ServedBy::kRemoteCache) {
      stats_.far_cache += left - arrived;
    } else if (request.joined_fetch) {
      stats_.llc_merge += left - arrived;
    }
  }
  stats_.response_network += t - left;
}

}  // namespace tessera
