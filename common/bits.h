// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tessera {

/// Number of the lowest bit that is set. Precondition: word is not 0.
inline unsigned lowest_bit(std::uint64_t word) {
  return static_cast<unsigned>(__builtin_ctzll(word));
}

/// Whether at most one bit is set.
inline bool at_most_one_bit(std::uint64_t word) { return (word & (word - 1)) == 0; }

}  // namespace tessera
