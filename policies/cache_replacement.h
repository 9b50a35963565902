// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "policies/policy_choice.h"

namespace tessera {

/// Shape of the cache that a replacement policy serves.
struct CacheShape {
  std::uint32_t sets = 64;
  std::uint32_t ways = 16;  ///< 1 to 64
};

/// Selects the line of a set that is evicted. Each CacheArray has one policy, and passes it the
/// state of the set: one byte per way, stored beside the tags. The byte of way w is byte w % 8
/// (from the lowest) of word w / 8. The policy can also use the bytes of the last word beyond the
/// ways.
///
/// Contract: a policy changes only these bytes and its own members. It has no access to lines,
/// locks or occupancy: victim() receives the ways that can be evicted. victim() changes nothing,
/// because a cache can call it any number of times and does not always evict its result. Functions
/// are called for every access, so a policy must not allocate memory. Results are equal on every
/// machine.
class CacheReplacement : public Policy {
 public:
  static constexpr const char* kFamily = "cache_replacement";
  using Context = CacheShape;
  static Context example_context() { return {}; }

  /// Sets the state of a set whose ways have not been used.
  virtual void reset(std::uint64_t* state) const = 0;
  /// A line is inserted into a way: called when it is allocated and, if its bytes come later, when
  /// they arrive. `evicted`: the line replaces the line that victim() selected for this set.
  virtual void insert(std::uint64_t* state, std::uint32_t way, bool evicted) = 0;
  /// The line in a way is accessed.
  virtual void hit(std::uint64_t* state, std::uint32_t way) = 0;
  /// Returns one of `candidates` (bit w: way w), of which there is at least one.
  virtual std::uint32_t victim(const std::uint64_t* state, std::uint64_t candidates) const = 0;
};

}  // namespace tessera
