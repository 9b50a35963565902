// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "app/import/option_values.h"

namespace tessera::import {

/// Sets and ways of a cache in Tessera.
struct Geometry {
  std::uint64_t sets = 0;
  std::uint64_t ways = 0;
};

/// Most ways of Tessera's caches.
inline constexpr std::uint64_t kMostWays = 64;

/// Most sets.
inline constexpr std::uint64_t kMostSets = std::uint64_t{1} << 20;

/// The cache's own sets and ways; or, if it has more than kMostWays ways, the fewest sets with a
/// divisor of the ways, so that the capacity is the same. The own ones too if there is no such
/// divisor but 1: the parameter's range then refuses them.
inline Geometry geometry_of(const CacheFields& c) {
  const std::uint64_t least = c.ways / kMostWays;
  for (std::uint64_t k = least; c.ways > kMostWays && k < c.ways && k <= kMostSets; ++k) {
    if (c.ways % k == 0 && c.ways / k <= kMostWays) return {product(c.sets, k), c.ways / k};
  }
  return {c.sets, c.ways};
}

}  // namespace tessera::import
