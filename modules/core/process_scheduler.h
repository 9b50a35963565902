// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <systemc>
#include <vector>

#include "modules/core/time.h"

namespace tessera {

/// Wakes the processes of all blocks with one SC_METHOD and one sc_event for the whole model.
///
/// A timing wheel holds the near future: a ring of slots, each half a nanosecond wide, with one bit
/// for each entry. A heap holds later events. At each time for which an entry is scheduled, the
/// SC_METHOD runs once and calls the due processes in the order in which their blocks were built,
/// so that results do not depend on the order of schedule() calls. A process can schedule other
/// processes for the present time. A process later in the order runs in the same pass; for the
/// others another pass follows, like a delta cycle. Reasons for one SC_METHOD instead of one per
/// block: docs/decisions/one-process-wakes-all-blocks.md.
class ProcessScheduler {
 public:
  /// Index of an entry.
  using Id = std::uint32_t;
  using Process = void (*)(void* block);

  /// The scheduler of the simulation. The first call creates the SC_METHOD and must come during
  /// elaboration.
  static ProcessScheduler& instance();

  Id add(Process call, void* block);
  /// Called when the entry's block is destroyed.
  void remove(Id id);

  /// Schedules an entry for t, unless it is already scheduled for an earlier time. t must not be in
  /// the past.
  void schedule(Id id, Tick t) {
    if (t < entries_[id].scheduled_at) enter(id, t);
  }
  void cancel(Id id);
  /// kNever if the entry is not scheduled.
  Tick scheduled_at(Id id) const { return entries_[id].scheduled_at; }

  /// Reverses the order of the processes that are due at the same time, so that tests can show that
  /// no result depends on it.
  void run_in_reverse(bool on) { reverse_ = on; }

 private:
  /// Contiguous and aligned, so that an access needs only one host cache line.
  struct alignas(32) Entry {
    Tick scheduled_at = kNever;
    Process process = nullptr;
    void* block = nullptr;
  };
  struct Far {
    Tick time = 0;
    Id id = 0;
  };
  static constexpr unsigned kSlotBits = 19;  ///< slot of 2^19 fs, less than a cycle of 1.9 GHz
  static constexpr std::size_t kSlots = 512;
  static constexpr std::size_t kWords = kSlots / 64;
  struct Running;
  struct Later {
    bool operator()(const Far& a, const Far& b) const { return a.time > b.time; }
  };

  ProcessScheduler();
  void process();
  void enter(Id id, Tick t);
  /// The unusual cases of enter(), separate so that the usual case needs no stack frame.
  [[gnu::noinline]] void enter_otherwise(Id id, Tick t);
  bool near(Tick t) const { return (t >> kSlotBits) - first_slot_ < kSlots; }
  /// The words of a slot: a lower bound of its entries' times (kNever if it is empty), then one bit
  /// for each entry.
  std::uint64_t* slot_of(Tick t) { return &slots_[(t >> kSlotBits) % kSlots * stride_]; }
  static std::uint64_t bit(std::size_t i) { return std::uint64_t{1} << (i % 64); }
  void put(Id id, Tick t);
  void move_far_entries();
  void run_due(Tick t);
  template <bool kReverse>
  void call_due(std::uint64_t* slot, Tick t);
  void emptied(Tick t);
  Tick next_time(Tick t) const;

  std::vector<Entry> entries_;
  std::vector<Id> free_;    ///< indices of removed entries
  std::size_t stride_ = 1;  ///< words per slot
  std::vector<std::uint64_t> slots_;
  std::array<std::uint64_t, kWords> occupied_{};  ///< one bit for each non-empty slot
  std::vector<Far> far_;  ///< heap, earliest first; stale if the entry's time differs
  sc_core::sc_event event_;
  Tick wakes_at_ = kNever;
  std::uint64_t first_slot_ = 0;  ///< slot number of the last activation, counted from time 0
  bool running_ = false;
  bool reverse_ = false;
};

}  // namespace tessera
