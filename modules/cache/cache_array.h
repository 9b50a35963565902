// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "modules/core/byte_mask.h"

namespace tessera {

/// Tags, byte states and (once asked for) bytes of a set-associative cache with LRU replacement.
/// Plain C++: the modules around it give it time.
class CacheArray {
 public:
  /// Index of a line frame; kNone where there is none.
  using Frame = std::uint32_t;
  static constexpr Frame kNone = ~Frame{0};

  /// `sets`, `ways`: at least 1. `line_bytes`: at most kMaxLineBytes.
  CacheArray(std::uint32_t sets, std::uint32_t ways, std::uint32_t line_bytes);

  std::uint32_t sets() const { return sets_; }
  std::uint32_t ways() const { return ways_; }

  /// The frame that holds line number `line` in the set of `index`, or kNone. Does not count as a
  /// use.
  Frame find(std::uint64_t index, std::uint64_t line) const {
    const std::uint32_t first = set_of(index) * ways_;
    for (Frame f = first; f < first + ways_; ++f) {
      if (tags_[f] == line) return f;
    }
    return kNone;
  }

  /// The frame to replace: an empty one, or the least recently used that is not locked; kNone when
  /// every frame of the set is locked.
  Frame victim(std::uint64_t index) const;

  /// Puts `line` into a frame: no byte valid or dirty, unlocked, most recently used.
  void install(Frame f, std::uint64_t line);
  void invalidate(Frame f);
  void invalidate_all();
  void touch(Frame f) { last_use_[f] = ++clock_; }

  bool occupied(Frame f) const { return tags_[f] != kNoLine; }
  std::uint64_t line(Frame f) const { return tags_[f]; }
  /// A locked frame waits for a fill and is never a victim.
  bool locked(Frame f) const { return locked_[f] != 0; }
  void lock(Frame f, bool on) { locked_[f] = on ? 1 : 0; }

  ByteMask& valid(Frame f) { return valid_[f]; }
  ByteMask& dirty(Frame f) { return dirty_[f]; }
  const ByteMask& valid(Frame f) const { return valid_[f]; }
  const ByteMask& dirty(Frame f) const { return dirty_[f]; }

  /// The line's bytes. All data is allocated, zeroed, at the first call (functional mode never
  /// calls).
  unsigned char* data(Frame f);

  Frame frames() const { return sets_ * ways_; }

 private:
  static constexpr std::uint64_t kNoLine = ~std::uint64_t{0};

  std::uint32_t set_of(std::uint64_t index) const {
    return static_cast<std::uint32_t>(power_of_two_ ? index & (sets_ - 1) : index % sets_);
  }

  std::uint32_t sets_;
  std::uint32_t ways_;
  std::uint32_t line_bytes_;
  bool power_of_two_;
  std::uint64_t clock_ = 0;
  std::vector<std::uint64_t> tags_;
  std::vector<std::uint64_t> last_use_;
  std::vector<std::uint8_t> locked_;
  std::vector<ByteMask> valid_;
  std::vector<ByteMask> dirty_;
  std::unique_ptr<unsigned char[]> data_;
};

}  // namespace tessera
