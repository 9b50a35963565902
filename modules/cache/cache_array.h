// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/align/aligned_allocator.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "modules/kernel/prefetch.h"
#include "modules/protocol/byte_mask.h"
#include "policies/cache_replacement.h"

namespace tessera {

/// Tags, byte states and (allocated on first use) bytes of a set-associative cache. A
/// CacheReplacement selects the victims. Plain C++: the modules that use it model the timing.
class alignas(kHostLine) CacheArray {
 public:
  /// A way of a set, as its index among the ways of all sets; kNone: no way.
  using Way = std::uint32_t;
  static constexpr Way kNone = ~Way{0};
  static constexpr std::uint32_t kMaxWays = 64;

  /// Granularity of the state: valid and dirty per byte, or complete lines that are never dirty.
  enum class Bytes : std::uint8_t { kPerByte, kPerLine };

  /// `sets`: at least 1. `ways`: 1 to kMaxWays. `line_bytes`: at most kMaxLineBytes. Throws
  /// std::invalid_argument for other ways, InputError for a choice that the replacement policy
  /// rejects.
  CacheArray(std::uint32_t sets, std::uint32_t ways, std::uint32_t line_bytes,
             Bytes bytes = Bytes::kPerByte,
             const PolicyChoice<CacheReplacement>& replacement = {"lru", {}});

  std::uint32_t sets() const { return sets_; }
  std::uint32_t ways() const { return ways_; }

  /// The set that an index selects.
  std::uint32_t set_of(std::uint64_t index) const {
    if (power_of_two_) return static_cast<std::uint32_t>(index & (sets_ - 1));
    // index % sets_ by multiplication: the quotient is exact or one too high.
    const auto quotient = static_cast<std::uint64_t>((Wide{index} * reciprocal_) >> 64);
    const std::uint64_t rest = index - quotient * sets_;
    return static_cast<std::uint32_t>(rest < sets_ ? rest : rest + sets_);
  }

  /// The way that holds line number `line` in the set of `index`, or kNone. Does not count as a
  /// use.
  Way find(std::uint64_t index, std::uint64_t line) const {
    const std::uint32_t set = set_of(index);
    const std::uint64_t* const words = words_of(set);
    const std::uint64_t wanted = signature(line) * kEachByte;
    for (std::uint32_t k = 0; k < per_byte_; ++k) {
      for (std::uint64_t same = zero_bytes(words[signatures_ + k] ^ wanted); same != 0;
           same &= same - 1) {
        const std::uint32_t way = k * 8 + static_cast<std::uint32_t>(__builtin_ctzll(same)) / 8;
        const Way f = set * ways_ + way;
        if ((words[kOccupied] >> way & 1) != 0 && lines_[f] == line) return f;
      }
    }
    return kNone;
  }

  /// The way to replace: an empty way if there is one, otherwise the one that the replacement
  /// policy selects among the unlocked ways. kNone if every way of the set is locked.
  Way victim(std::uint64_t index) const;

  /// Ways of the set that are not locked.
  std::uint32_t unlocked(std::uint64_t index) const;

  /// Installs `line` in a way, unlocked and with no byte valid or dirty.
  void install(Way f, std::uint64_t line);
  void invalidate(Way f);
  void invalidate_all();
  /// Records a use of the way for the replacement policy.
  void touch(Way f) { replacement_->hit(state_of(f), number_in_set(f)); }

  const CacheReplacement& replacement() const { return *replacement_; }

  bool occupied(Way f) const { return is(f, kOccupied); }
  std::uint64_t line(Way f) const { return lines_[f]; }
  /// A locked way waits for a fill and is never a victim.
  bool locked(Way f) const { return is(f, kLocked); }
  /// Locks or unlocks a way. Unlocking means that the line has arrived.
  void lock(Way f, bool on) {
    mark(f, kLocked, on);
    if (!on) replacement_->insert(state_of(f), number_in_set(f), false);
  }

  /// The mask of all bytes of a line.
  const ByteMask& whole_line() const { return whole_line_; }
  // Bytes::kPerByte only.
  ByteMask valid(Way f) const {
    return is(f, kWholeLine) ? whole_line_ : is(f, kOther) ? states_[f].valid : ByteMask{};
  }
  ByteMask dirty(Way f) const { return is(f, kOther) ? states_[f].dirty : ByteMask{}; }
  void set_valid(Way f, ByteMask valid) { set_state(f, {valid, dirty(f)}); }
  void set_dirty(Way f, ByteMask dirty) { set_state(f, {valid(f), dirty}); }

  /// Whether data() has been called. Before that, no bytes are stored.
  bool has_data() const { return data_ != nullptr; }
  /// The line's bytes. The first call allocates the bytes of all ways, zeroed. Functional mode
  /// never calls it.
  unsigned char* data(Way f);

  Way all_ways() const { return sets_ * ways_; }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr std::uint64_t kEachByte = 0x0101010101010101U;

  // The words of a set are contiguous, 64 bytes for 16 ways. With hundreds of arrays in a model,
  // each lookup misses in the host's caches, and should miss only once. The first words are masks,
  // bit i for way i:
  enum Mask : std::uint32_t {
    kOccupied,
    kLocked,
    kWholeLine,  ///< every byte valid, none dirty
    kOther       ///< state in states_; neither bit: no byte valid or dirty
  };
  // The masks are followed by the replacement policy's state, one byte per way, and by a hash of
  // each way's line, so that a lookup that misses rarely reads lines_.

  struct State {
    ByteMask valid;
    ByteMask dirty;
  };

  static std::uint64_t signature(std::uint64_t line) { return (line * 0x9e3779b97f4a7c15U) >> 56; }
  /// Bit 7 of each byte that is 0. Bytes above the lowest zero byte can be false positives.
  static std::uint64_t zero_bytes(std::uint64_t x) {
    return (x - kEachByte) & ~x & (kEachByte << 7);
  }
  /// f / ways_ by multiplication.
  std::uint32_t set_of_way(Way f) const { return static_cast<std::uint32_t>(f * by_ways_ >> 32); }
  std::uint32_t number_in_set(Way f) const { return f - set_of_way(f) * ways_; }
  std::uint64_t* state_of(Way f) { return words_of(set_of_way(f)) + order_; }
  std::uint64_t* words_of(std::uint32_t set) { return &words_[std::size_t{set} * stride_]; }
  const std::uint64_t* words_of(std::uint32_t set) const {
    return &words_[std::size_t{set} * stride_];
  }
  bool is(Way f, Mask m) const { return (words_of(set_of_way(f))[m] >> number_in_set(f) & 1) != 0; }
  void mark(Way f, Mask m, bool on) {
    std::uint64_t& word = words_of(set_of_way(f))[m];
    const std::uint64_t bit = std::uint64_t{1} << number_in_set(f);
    word = on ? word | bit : word & ~bit;
  }
  void set_state(Way f, const State& state);

  std::uint32_t sets_;
  std::uint32_t ways_;
  std::uint32_t line_bytes_;
  std::uint32_t per_byte_;    ///< words for one byte per way
  std::uint32_t order_;       ///< index of the first word with the replacement policy's state
  std::uint32_t signatures_;  ///< index of the first word with signatures
  std::uint32_t stride_;      ///< words per set
  bool power_of_two_;
  std::uint64_t by_ways_;     ///< 2^32 / ways_, rounded up
  std::uint64_t reciprocal_;  ///< 2^64 / sets_, rounded up; unused for powers of two
  std::vector<std::uint64_t, boost::alignment::aligned_allocator<std::uint64_t, kHostLine>> words_;
  std::vector<std::uint64_t> lines_;
  std::unique_ptr<CacheReplacement> replacement_;
  ByteMask whole_line_;
  std::vector<State> states_;  ///< empty until a line is valid in part or dirty
  std::unique_ptr<unsigned char[]> data_;
};

}  // namespace tessera
