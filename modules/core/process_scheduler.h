// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <systemc>
#include <vector>

#include "modules/core/time.h"

namespace tessera {

/// Wakes the processes of all blocks: one SC_METHOD and one sc_event for the whole model.
///
/// A calendar of the near future (a ring of slots, each half a nanosecond wide, with a bit for
/// every sleeper) and a heap for what lies beyond. At every instant for which a sleeper is
/// scheduled_at, the SC_METHOD runs once and calls the processes that are due in the order in which
/// their blocks were built, whoever scheduled_at them and when: so results do not depend on the
/// order of calls. A process may schedule others for the present instant: one whose turn is still
/// to come runs in the same pass; for the rest, another pass begins, as in a delta cycle of its
/// own. Why not an SC_METHOD each: docs/decisions/one-process-wakes-all-blocks.md.
class ProcessScheduler {
 public:
  /// Number of a sleeper.
  using Id = std::uint32_t;
  using Process = void (*)(void* block);

  /// The queue of this process's (one) SystemC simulation. The first call must come during
  /// elaboration: it creates the SC_METHOD.
  static ProcessScheduler& instance();

  Id add(Process call, void* block);
  /// Its block goes.
  void remove(Id id);

  /// Arms a sleeper for t or, if that is earlier, leaves it as it is. t must not lie in the past.
  void schedule(Id id, Tick t) {
    if (t < entries_[id].scheduled_at) enter(id, t);
  }
  void cancel(Id id);
  /// kNever when it is not scheduled_at.
  Tick scheduled_at(Id id) const { return entries_[id].scheduled_at; }

  /// From now on, the processes of an instant run in the opposite order: for tests that no result
  /// depends on it.
  void run_in_reverse(bool on) { reverse_ = on; }

 private:
  /// Side by side, so that the calendar seldom waits for the host's memory.
  struct alignas(32) Entry {  // never in two host cache lines
    Tick scheduled_at = kNever;
    Process process = nullptr;
    void* block = nullptr;
  };
  struct Far {
    Tick time = 0;
    Id id = 0;
  };
  static constexpr unsigned kSlotBits = 19;  ///< 2^19 fs: less than a cycle of 1.9 GHz
  static constexpr std::size_t kSlots = 512;
  static constexpr std::size_t kWords = kSlots / 64;
  struct Running;
  struct Later {
    bool operator()(const Far& a, const Far& b) const { return a.time > b.time; }
  };

  ProcessScheduler();
  void process();
  void enter(Id id, Tick t);
  /// enter() but for its usual case, which then needs no room on the stack.
  [[gnu::noinline]] void enter_otherwise(Id id, Tick t);
  bool near(Tick t) const { return (t >> kSlotBits) - first_slot_ < kSlots; }
  /// A slot's words: the earliest of its sleepers' times (kNever: it is empty; it may be earlier
  /// than all), then a bit for each sleeper.
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
  std::vector<Id> free_;    ///< numbers of sleepers that are gone
  std::size_t stride_ = 1;  ///< words of a slot
  std::vector<std::uint64_t> slots_;
  std::array<std::uint64_t, kWords> occupied_{};  ///< a bit for each slot that is not empty
  std::vector<Far> far_;  ///< heap, soonest first; void if not scheduled_at so
  sc_core::sc_event event_;
  Tick wakes_at_ = kNever;
  std::uint64_t first_slot_ = 0;  ///< of the instant that was woken last, counted from time 0
  bool running_ = false;
  bool reverse_ = false;
};

}  // namespace tessera
