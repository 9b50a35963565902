// SPDX-License-Identifier: Apache-2.0
// What an L1 does among several GPUs: the selective cache bypassing unit and MSHRs with bit masks
// (DualOpt section 4.1.2).
#include "modules/sm/l1_cache.h"

namespace tessera {

namespace {

/// The pieces of all groups of `bytes` (4, 8 or 16) that have one in the mask.
std::uint32_t widened(std::uint32_t word_mask, std::uint32_t bytes) {
  if (bytes >= 8) word_mask = ((word_mask | word_mask >> 1) & 0x55555555U) * 3;
  if (bytes >= 16) word_mask = ((word_mask | word_mask >> 2) & 0x33333333U) * 5;
  return word_mask;
}

}  // namespace

L1Cache::Lookup L1Cache::access_among_gpus(const Access& a, Tick t) {
  MemoryRequest& request = *a.request;
  const bool remote = is_remote(*a.payload);
  const bool is_load = request.kind == RequestKind::kLoad;
  // A copy: the observer may change it, for what comes behind this access.
  const RemoteAccessMode how = remote ? *role_.transfer : RemoteAccessMode{};
  const bool fine_grained = is_load && how.bypass_l1 && how.fine_grained;
  sc_assert(!fine_grained || request.word_mask != 0);
  const std::uint32_t word_mask =
      fine_grained ? widened(request.word_mask, role_.transfer_bytes) : kWholeLine;
  // What may not be cached here at all is forwarded by load(), and merges with nothing.
  const bool past_array = is_load && how.bypass_l1 && !request.bypass_l1;

  Lookup outcome = Lookup::kStalled;
  if (!is_load) {
    // What is being fetched past the array is older than what this access writes.
    mshr_.for_each_of(line_of(*a.payload), [](Misses::Entry& e) {
      if (e.passing) e.keep = false;
    });
    outcome = write_or_atomic(a, t);
  } else {
    outcome = past_array ? load_past_array(a, word_mask, t) : load(a, t);
  }
  if (outcome == Lookup::kStalled) return outcome;
  if (remote) count_remote(request, outcome, past_array);
  if (role_.observer != nullptr) {
    const bool hit = is_load && outcome != Lookup::kForwarded;
    role_.observer->on_l1_access(request, remote, hit);
  }
  if (fine_grained) {
    request.word_mask = word_mask;
    request.fine_grained = true;
  }
  return outcome;
}

/// The three cases of DualOpt figure 8.
L1Cache::Lookup L1Cache::load_past_array(const Access& a, std::uint32_t word_mask, Tick t) {
  const std::uint64_t line = line_of(*a.payload);
  if (Misses::Entry* entry = mshr_.find_containing(line, word_mask)) {
    if (!mshr_.can_merge(*entry)) return Lookup::kStalled;
    entry->add(a);
    ++stats_.loads;
    ++stats_.load_merges;
    return Lookup::kMerged;
  }
  if (mshr_.full()) return Lookup::kStalled;
  ++stats_.loads;
  ++stats_.load_misses;
  fetch(a, line, word_mask, true, t);
  return Lookup::kForwarded;
}

void L1Cache::count_remote(const MemoryRequest& request, Lookup outcome, bool past_array) {
  if (request.kind != RequestKind::kLoad) {
    ++stats_.remote_stores;
    return;
  }
  ++stats_.remote_loads;
  if (past_array || request.bypass_l1) ++stats_.remote_bypasses;
  switch (outcome) {
    case Lookup::kHit:
      ++stats_.remote_load_hits;
      break;
    case Lookup::kMerged:
      ++stats_.remote_load_merges;
      break;
    case Lookup::kForwarded:
      ++stats_.remote_load_misses;
      break;
    case Lookup::kStalled:
      break;
  }
}

}  // namespace tessera
