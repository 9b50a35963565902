// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "modules/core/time.h"

namespace tessera {

class WakeEvent;

/// Wakes the processes of all blocks: one SC_METHOD and one sc_event for the whole model.
///
/// A calendar of the near future (a ring of slots, each half a nanosecond wide) and a heap for
/// what lies beyond. At every instant for which something is entered, the SC_METHOD runs once and
/// calls the processes that are due, in the order in which they were entered; a process that asks
/// for the present instant again is called again, after the others, as in a delta cycle of its
/// own. Why not an SC_METHOD each: docs/decisions/one-process-wakes-all-blocks.md.
class WakeQueue {
 public:
  /// The queue of this process's (one) SystemC simulation. The first call must come during
  /// elaboration: it creates the SC_METHOD.
  static WakeQueue& instance();

  /// Wakes `sleeper` at t, not in the past. What was entered for it before is void.
  void enter(WakeEvent& sleeper, Tick t);
  /// `sleeper` goes: nothing entered for it is left.
  void forget(const WakeEvent& sleeper);

 private:
  struct Entry {
    Tick time = 0;
    WakeEvent* sleeper = nullptr;
  };
  /// Entries of a slot lie in pieces that are used again as soon as they are empty: what is pending
  /// stays in the host's nearest cache.
  struct alignas(64) Piece {
    static constexpr std::uint32_t kEntries = 7;
    Piece* next = nullptr;
    std::uint32_t used = 0;
    std::array<Entry, kEntries> entries;
  };
  static constexpr std::uint32_t kAhead = 2;  ///< sleepers that are fetched before their turn
  struct Slot {
    Piece* first = nullptr;
    Piece* last = nullptr;
  };
  static constexpr unsigned kSlotBits = 19;  ///< 2^19 fs: less than a cycle of 1.9 GHz
  static constexpr std::size_t kSlots = 512;
  static constexpr std::size_t kWords = kSlots / 64;
  struct Running;
  struct Later {
    bool operator()(const Entry& a, const Entry& b) const { return a.time > b.time; }
  };

  WakeQueue();
  void process();
  void put(const Entry& entry);
  Piece* new_piece();
  Piece* free_piece(Piece* piece);
  void take_far();
  void run_due(Tick t);
  Tick next_time(Tick t) const;

  std::array<Slot, kSlots> slots_{};
  std::vector<std::unique_ptr<Piece>> pieces_;
  Piece* free_ = nullptr;
  std::array<std::uint64_t, kWords> occupied_{};  ///< a bit for each slot that is not empty
  std::vector<Entry> far_;                        ///< heap, soonest first
  sc_core::sc_event event_;
  Tick armed_ = kNever;
  std::uint64_t first_slot_ = 0;  ///< of the instant that was woken last, counted from time 0
  bool running_ = false;
};

}  // namespace tessera
