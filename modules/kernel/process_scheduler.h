// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "modules/kernel/time.h"

namespace tessera {

/// Wakes the processes of the blocks of one domain (modules/kernel/domain.h).
///
/// A timing wheel holds the near future: a ring of slots, each half a nanosecond wide, with one bit
/// for each entry. A heap holds later events. At each time for which an entry is scheduled, the
/// DomainRunner calls run(), which calls the due processes in the order in which their blocks were
/// built, so that results do not depend on the order of schedule() calls. A process can schedule
/// other processes for the present time. A process later in the order runs in the same pass; for
/// the others another pass follows, like a delta cycle. Reasons for one SC_METHOD instead of one
/// per block: docs/decisions/one-process-wakes-all-blocks.md.
class ProcessScheduler {
 public:
  /// Index of an entry.
  using Id = std::uint32_t;
  using Process = void (*)(void* block);

  explicit ProcessScheduler(std::string domain);

  /// The name of the domain.
  const std::string& domain() const { return domain_; }

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

  /// The time of the earliest scheduled entry; kNever if there is none. Not while run() runs.
  Tick next() const { return next_; }
  /// Calls the processes that are due at t = next() until none is due.
  void run(Tick t);

  /// Reverses the order of the processes that are due at the same time.
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

  [[gnu::noinline]] void enter(Id id, Tick t);
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
  const std::string domain_;
  Tick next_ = kNever;
  std::uint64_t first_slot_ = 0;  ///< slot number of the last activation, counted from time 0
  bool running_ = false;
  bool reverse_ = false;
};

}  // namespace tessera
