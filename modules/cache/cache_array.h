// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "modules/core/byte_mask.h"
#include "modules/core/prefetch.h"

namespace tessera {

/// Tags, byte states and (once asked for) bytes of a set-associative cache with LRU replacement.
/// Plain C++: the modules around it give it time.
class CacheArray {
 public:
  /// Index of a line frame; kNone where there is none.
  using Frame = std::uint32_t;
  static constexpr Frame kNone = ~Frame{0};

  /// Whether the state of single bytes is kept, or lines are valid as a whole and never dirty.
  enum class Bytes : std::uint8_t { kEach, kWhole };

  /// `sets`, `ways`: at least 1. `line_bytes`: at most kMaxLineBytes.
  CacheArray(std::uint32_t sets, std::uint32_t ways, std::uint32_t line_bytes,
             Bytes bytes = Bytes::kEach);

  std::uint32_t sets() const { return sets_; }
  std::uint32_t ways() const { return ways_; }

  /// The set that an index chooses.
  std::uint32_t set_of(std::uint64_t index) const {
    if (power_of_two_) return static_cast<std::uint32_t>(index & (sets_ - 1));
    // index % sets_ by multiplication: the quotient is right, or one too high.
    const auto quotient = static_cast<std::uint64_t>((Wide{index} * reciprocal_) >> 64);
    const std::uint64_t rest = index - quotient * sets_;
    return static_cast<std::uint32_t>(rest < sets_ ? rest : rest + sets_);
  }

  /// The frame that holds line number `line` in the set of `index`, or kNone. Does not count as a
  /// use.
  Frame find(std::uint64_t index, std::uint64_t line) const {
    const std::uint32_t first = set_of(index) * ways_;
    for (Frame f = first; f < first + ways_; ++f) {
      if (tags_[f].line == line) return f;
    }
    return kNone;
  }

  /// The set of `index` will soon be looked at.
  void prefetch(std::uint64_t index) const {
    tessera::prefetch(&tags_[std::size_t{set_of(index)} * ways_],
                      (ways_ * sizeof(Tag) + kHostLine - 1) / kHostLine);
  }
  /// The frame to replace: an empty one, or the least recently used that is not locked; kNone when
  /// every frame of the set is locked.
  Frame victim(std::uint64_t index) const;

  /// Frames of the set that are not locked.
  std::uint32_t unlocked(std::uint64_t index) const;

  /// Puts `line` into a frame: no byte valid or dirty, unlocked, most recently used.
  void install(Frame f, std::uint64_t line);
  void invalidate(Frame f);
  void invalidate_all();
  void touch(Frame f) { tags_[f].last_use = ++clock_; }

  bool occupied(Frame f) const { return tags_[f].line != kNoLine; }
  std::uint64_t line(Frame f) const { return tags_[f].line; }
  /// A locked frame waits for a fill and is never a victim.
  bool locked(Frame f) const { return tags_[f].last_use == kLocked; }
  /// Unlocked, a frame is the most recently used.
  void lock(Frame f, bool on) { tags_[f].last_use = on ? kLocked : ++clock_; }

  // Bytes::kEach only.
  ByteMask valid(Frame f) const {
    return summaries_[f] == Summary::kEmpty   ? ByteMask{}
           : summaries_[f] == Summary::kWhole ? ByteMask::first(line_bytes_)
                                              : states_[f].valid;
  }
  ByteMask dirty(Frame f) const {
    return summaries_[f] == Summary::kOther ? states_[f].dirty : ByteMask{};
  }
  void set_valid(Frame f, ByteMask valid) { set_state(f, {valid, dirty(f)}); }
  void set_dirty(Frame f, ByteMask dirty) { set_state(f, {valid(f), dirty}); }

  /// The line's bytes. All data is allocated, zeroed, at the first call (functional mode never
  /// calls).
  unsigned char* data(Frame f);

  Frame frames() const { return sets_ * ways_; }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr std::uint64_t kNoLine = ~std::uint64_t{0};
  static constexpr std::uint64_t kLocked = ~std::uint64_t{0};

  /// A lookup and the choice of a victim read these alone. 0: empty since ever, used first.
  struct Tag {
    std::uint64_t line = kNoLine;
    std::uint64_t last_use = 0;
  };
  struct State {
    ByteMask valid;
    ByteMask dirty;
  };
  /// Nearly every line is kEmpty or kWhole: what tells so stays in the host's caches, as the states
  /// themselves do not.
  enum class Summary : std::uint8_t {
    kEmpty,  ///< no byte valid or dirty
    kWhole,  ///< every byte valid, none dirty
    kOther   ///< see states_
  };

  void set_state(Frame f, const State& state);

  std::uint32_t sets_;
  std::uint32_t ways_;
  std::uint32_t line_bytes_;
  bool power_of_two_;
  std::uint64_t reciprocal_;  ///< 2^64 / sets_, rounded up; not of powers of two
  std::uint64_t clock_ = 0;
  std::vector<Tag> tags_;
  // Empty for Bytes::kWhole.
  std::vector<Summary> summaries_;
  std::vector<State> states_;
  std::unique_ptr<unsigned char[]> data_;
};

}  // namespace tessera
