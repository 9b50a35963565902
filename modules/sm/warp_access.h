// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <tlm>
#include <utility>
#include <vector>

#include "modules/kernel/time.h"
#include "modules/sm/coalescer.h"
#include "stimuli/warp_program.h"

namespace tessera {

/// Additional state of warp-wide accesses that have several lines, carry values, or need their
/// lanes (atomics).
struct WarpAccessDetails {
  /// As WarpAccess::request, for each line.
  std::array<tlm::tlm_generic_payload*, kWarpLanes> requests{};
  std::array<std::uint32_t, kWarpLanes> lanes;  ///< of each line
  MemoryOp memory;
  /// Load results, lane i at i * kMaxLaneBytes.
  std::array<std::byte, kWarpLanes * kMaxLaneBytes> values;
};

/// A warp-wide access in flight in an SM. Small, because thousands are in flight, and each host
/// cache line that a response touches is a miss in the host's caches.
struct WarpAccess {
  const OpInfo* op = nullptr;
  std::uint64_t warp_age = 0;
  Tick issued_at = 0;
  /// The request for its only line while it is in flight, otherwise nullptr. Unused if there are
  /// details.
  tlm::tlm_generic_payload* request = nullptr;
  WarpAccessDetails* details = nullptr;
  std::uint32_t index = 0;  ///< in the unit's table
  std::uint32_t pc = 0;
  std::uint32_t copy = 0;  ///< MemoryOp::copy
  std::uint8_t warp = 0;   ///< slot
  AccessKind kind = AccessKind::kLoad;
  bool read_only : 1;
  bool uniform : 1;
  bool bypass_l1 : 1;
  bool values_done : 1;
  bool asynchronous : 1;
  bool has_result : 1;  ///< the warp waits for its result
  std::uint8_t lines_count = 0;
  std::uint8_t lines_sent = 0;  ///< passed to translation
  std::uint8_t lines_left = 0;  ///< without a response yet
  AtomicOp atomic = AtomicOp::kAdd;
  AtomicType atomic_type = AtomicType::kU32;
  LaunchSlot launch;
  std::uint16_t cycles_to_l1 = 0;  ///< from the issue to the last line's departure, or the largest

  WarpAccess()
      : read_only(false),
        uniform(false),
        bypass_l1(false),
        values_done(false),
        asynchronous(false),
        has_result(false) {}

  tlm::tlm_generic_payload*& request_for(std::size_t line) {
    return details != nullptr ? details->requests[line] : request;
  }
};

/// The warp accesses in flight in an SM. Allocates no memory after every entry has had details.
class WarpAccessTable {
 public:
  explicit WarpAccessTable(std::uint32_t entries);

  bool full() const { return free_.empty(); }
  std::size_t used() const { return accesses_.size() - free_.size(); }
  WarpAccess& operator[](std::size_t index) { return accesses_[index]; }

  /// Allocates an entry for an access to these lines. Precondition: not full.
  WarpAccess& allocate(const MemoryOp& memory, const CoalescedAccess& lines);
  void release(WarpAccess& access) {
    if (access.details != nullptr) free_details_.push_back(std::exchange(access.details, nullptr));
    free_.push_back(&access);
  }
  /// Releases all entries, after calling drop(payload pointer) for each line's request.
  template <class F>
  void clear(F drop) {
    free_.clear();
    for (std::size_t i = accesses_.size(); i-- > 0;) {
      WarpAccess& a = accesses_[i];
      drop(a.request);
      if (a.details != nullptr) {
        for (tlm::tlm_generic_payload*& sent : a.details->requests) drop(sent);
      }
      release(a);
    }
  }

 private:
  /// Adds storage for lines' requests, lanes and values to an access that has several lines or
  /// needs its lanes.
  void add_details(WarpAccess& a, const MemoryOp& memory, const CoalescedAccess& lines,
                   bool lanes_matter);

  std::vector<WarpAccess> accesses_;
  std::vector<WarpAccess*> free_;
  std::vector<std::unique_ptr<WarpAccessDetails>> all_details_;
  std::vector<WarpAccessDetails*> free_details_;
};

}  // namespace tessera
