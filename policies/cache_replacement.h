// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "policies/policy_choice.h"

namespace tessera {

/// The cache that a replacement policy serves.
struct CacheShape {
  std::uint32_t sets = 64;
  std::uint32_t ways = 16;  ///< 1 to 64
};

/// Decides which line of a set is evicted. CacheArray has one for each array, and gives it the
/// state of the set in question: a byte a way, beside the tags, way w's in byte w % 8 (from the
/// lowest) of word w / 8. Bytes of the last word beyond the ways are the policy's to use.
///
/// Contract: a policy changes nothing but these bytes and its own members. It sees no line, no lock
/// and no occupancy: victim() is told which ways can be taken. victim() changes nothing: a cache
/// asks it as often as it wants, and does not always evict what it names. Calls come for every
/// access, so a policy does not allocate, and its answers are the same on every machine.
class CacheReplacement : public Policy {
 public:
  static constexpr const char* kFamily = "cache_replacement";
  using Context = CacheShape;
  static Context example_context() { return {}; }

  /// No way of the set has been used.
  virtual void reset(std::uint64_t* state) const = 0;
  /// A line comes into a way: when it is allocated and, if it waited for its bytes, when they come.
  /// `evicted`: it takes the place of a line, that victim() named for this set.
  virtual void insert(std::uint64_t* state, std::uint32_t way, bool evicted) = 0;
  /// The line in a way is used.
  virtual void hit(std::uint64_t* state, std::uint32_t way) = 0;
  /// One of `candidates` (bit w: way w), of which there is at least one.
  virtual std::uint32_t victim(const std::uint64_t* state, std::uint64_t candidates) const = 0;
};

}  // namespace tessera
