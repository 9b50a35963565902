// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "modules/kernel/time.h"
#include "modules/kernel/unlikely.h"

namespace tessera {

/// The scheduled work of a network's switches: a timing wheel of the next 64 steps. Each slot has
/// one bit for each unit of work (an output link, an exit), by kind of work. Time is in steps; the
/// owner says how long a step is.
template <unsigned kKinds>
class WorkWheel {
 public:
  /// Allocates `items[kind]` units of work. `span`: the owner sets the present step back by less
  /// than `span` steps.
  void lay_out(const std::array<std::size_t, kKinds>& items, unsigned span) {
    for (unsigned k = 0; k < kKinds; ++k) {
      first_word_[k + 1] = first_word_[k] + static_cast<std::uint32_t>((items[k] + 63) / 64);
    }
    words_ = first_word_[kKinds];
    horizon_ = kSlots - span;
    clear();
  }
  void clear() {
    wheel_.assign(words_ * kSlots, 0);
    active_.assign(words_, 0);
    busy_slots_ = 0;
  }

  std::uint64_t current() const { return current_; }
  void set_current(std::uint64_t step) { current_ = step; }
  /// The earliest step with scheduled work; kNever if there is none.
  std::uint64_t next() const {
    if (busy_slots_ == 0) return kNever;
    const unsigned from = current_ % kSlots;
    const std::uint64_t in_order =
        from == 0 ? busy_slots_ : (busy_slots_ >> from) | (busy_slots_ << (kSlots - from));
    return current_ + static_cast<unsigned>(__builtin_ctzll(in_order));
  }

  /// Schedules a unit of work. Work beyond the wheel's horizon is scheduled for its last slot,
  /// where the owner schedules it again.
  void due(unsigned kind, std::uint32_t index, std::uint64_t step) {
    if (unlikely(step - current_ > horizon_)) step = current_ + horizon_;
    const std::size_t slot = step % kSlots;
    wheel_[slot * words_ + first_word_[kind] + index / 64] |= std::uint64_t{1} << (index % 64);
    busy_slots_ |= std::uint64_t{1} << slot;
  }
  /// Makes the present step's work active. Returns false if there is none.
  bool begin(std::uint64_t step) {
    current_ = step;
    const std::size_t slot = step % kSlots;
    if ((busy_slots_ >> slot & 1) == 0) return false;
    busy_slots_ &= ~(std::uint64_t{1} << slot);
    std::uint64_t* const words = &wheel_[slot * words_];
    for (std::size_t w = 0; w < words_; ++w) {
      active_[w] = words[w];
      words[w] = 0;
    }
    return true;
  }
  /// Adds work of a kind that this step has yet to serve.
  void activate(unsigned kind, std::uint32_t index, bool on) {
    active_[first_word_[kind] + index / 64] |= std::uint64_t{on} << (index % 64);
  }
  /// Calls f(index) for the active work of a kind, and completes it.
  template <class F>
  void serve(unsigned kind, F&& f) {
    for (std::uint32_t w = first_word_[kind]; w < first_word_[kind + 1]; ++w) {
      std::uint64_t word = active_[w];
      active_[w] = 0;
      for (; word != 0; word &= word - 1) {
        f((w - first_word_[kind]) * 64 + static_cast<unsigned>(__builtin_ctzll(word)));
      }
    }
  }

 private:
  static constexpr unsigned kSlots = 64;
  std::vector<std::uint64_t> wheel_;
  std::vector<std::uint64_t> active_;
  std::array<std::uint32_t, kKinds + 1> first_word_{};
  std::size_t words_ = 0;  ///< per slot
  std::uint64_t busy_slots_ = 0;
  std::uint64_t current_ = 0;
  std::uint64_t horizon_ = kSlots - 1;
};

}  // namespace tessera
