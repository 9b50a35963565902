// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <vector>

#include "common/ids.h"
#include "stimuli/warp_program.h"

namespace tessera {

/// A warp of a resident CTA, with its scoreboard.
struct Warp {
  /// A register with a pending write, and the cycle from which it can be read (WarpTable::kNever:
  /// an outstanding load).
  struct PendingWrite {
    std::uint16_t reg = 0;
    std::uint64_t ready = 0;
  };

  WarpProgram* program = nullptr;
  const OpInfo* next = nullptr;  ///< nullptr: the warp has ended
  std::uint16_t cta = 0;         ///< slot of its CTA
  std::uint16_t index = 0;       ///< within its CTA
  LaunchSlot launch;
  std::uint64_t age = 0;  ///< order of arrival at the SM
  std::uint64_t ready_cycle = ~std::uint64_t{0};
  std::uint32_t loads = 0;   ///< outstanding accesses with a result
  std::uint32_t stores = 0;  ///< outstanding accesses without a result
  boost::container::small_vector<PendingWrite, 2> pending;
};

/// The warps of an SM by slot, and the warps that can issue. The scoreboard determines the cycle in
/// which the registers of a warp's next operation are available; a timing wheel makes the warp
/// ready in that cycle. Sets of slots are masks: bit i is slot i.
class WarpTable {
 public:
  static constexpr unsigned kMaxSlots = 64;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  static constexpr std::uint64_t bit(std::uint32_t slot) { return std::uint64_t{1} << slot; }
  static std::uint32_t first(std::uint64_t slots) {
    return static_cast<std::uint32_t>(__builtin_ctzll(slots));
  }

  /// `slots`: 1 to kMaxSlots.
  explicit WarpTable(unsigned slots) : warps_(slots) {}

  Warp& operator[](std::uint32_t slot) { return warps_[slot]; }
  const Warp& operator[](std::uint32_t slot) const { return warps_[slot]; }
  const Warp* data() const { return warps_.data(); }

  std::uint64_t occupied() const { return occupied_; }
  std::uint64_t ready() const { return ready_; }
  std::uint64_t ready_for(Unit u) const { return ready_for_[static_cast<unsigned>(u)]; }
  std::uint64_t ready_for(unsigned unit) const { return ready_for_[unit]; }
  /// Slots that issue nothing until unpark(): their warps wait at a barrier, or for the release of
  /// their CTA.
  std::uint64_t parked() const { return parked_; }
  /// Whether a warp's next operation waits for a result of fixed latency.
  bool results_due() const { return wheel_used_ != 0; }

  /// Allocates the first free slot for a warp. The caller then calls set_next() or park(), unless
  /// the warp has ended.
  std::uint32_t add(WarpProgram& program, std::uint32_t cta, std::uint32_t index);
  void remove(std::uint32_t slot);
  void clear();

  /// Sets the cycle of the SM's process. Must be called first in each activation.
  void set_current_cycle(std::uint64_t cycle) { current_ = cycle; }
  /// Makes warps ready whose results have become available in the cycles after `last`, up to now.
  void advance(std::uint64_t last);
  /// The next cycle in which advance() has work; kNever if none is known.
  std::uint64_t next_result(std::uint64_t cycle) const;

  /// Advances the warp to its next operation, which issues at `earliest` or later.
  void set_next(std::uint32_t slot, std::uint64_t earliest) {
    Warp& w = warps_[slot];
    w.next = &w.program->next();
    find_ready(slot, earliest);
  }
  /// Computes the cycle in which the next operation's registers are available, at `earliest` or
  /// later.
  void find_ready(std::uint32_t slot, std::uint64_t earliest);
  /// Records the issue of the warp's next operation.
  void issue(std::uint32_t slot) {
    ready_ &= ~bit(slot);
    ready_for_[static_cast<unsigned>(warps_[slot].next->unit)] &= ~bit(slot);
    warps_[slot].ready_cycle = kNever;
  }
  /// Marks the operation's results as pending until `ready`.
  void write_pending(Warp& w, const OpInfo& op, std::uint64_t ready);

  void park(std::uint32_t slot);
  /// find_ready() must follow.
  void unpark(std::uint32_t slot) { parked_ &= ~bit(slot); }
  bool is_parked(std::uint32_t slot) const { return (parked_ & bit(slot)) != 0; }

 private:
  static constexpr unsigned kUnitKinds = 9;  ///< values of Unit
  static constexpr unsigned kWheel = 64;

  void set_ready(std::uint32_t slot);
  void schedule_ready(std::uint32_t slot);

  // Grouped, because each activation reads these members.
  std::uint64_t occupied_ = 0;
  std::uint64_t ready_ = 0;  ///< slots whose next operation's registers are ready
  std::uint64_t parked_ = 0;
  std::uint64_t wheel_used_ = 0;  ///< bit i: wheel_[i] is not empty
  std::uint64_t current_ = 0;
  std::vector<Warp> warps_;
  std::array<std::uint64_t, kUnitKinds> ready_for_{};  ///< ready_, by the operation's unit
  std::array<std::uint64_t, kWheel> wheel_{};
  std::uint64_t ages_ = 0;
};

}  // namespace tessera
