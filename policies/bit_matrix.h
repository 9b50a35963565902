// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tessera {

/// A sequence of pseudo-random numbers that is the same on every machine and library (SplitMix64).
class FixedRandom {
 public:
  explicit FixedRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

/// Rank over GF(2) of bit vectors.
unsigned rank_of(std::vector<std::uint64_t> vectors);

/// A binary matrix held by columns: column j says which output bits input bit j flips.
struct BitMatrix {
  unsigned outputs = 0;
  std::vector<std::uint64_t> columns;

  /// Row i as a mask over input bits.
  std::uint64_t row(unsigned i) const;
};

/// Output bits [first, first + bits).
struct OutputGroup {
  unsigned first = 0;
  unsigned bits = 0;
};

/// A random matrix of `outputs` rows and `inputs` columns (outputs <= inputs) in which
/// * the first `outputs` columns are linearly independent: with the other inputs known, outputs
///   determine the first inputs, so the map is invertible. By construction: a column inside the
///   span of those before it is drawn again.
/// * for each group of output bits, any `group.bits` successive columns are independent within the
///   group wherever the draw allows it (a limited number of attempts): a run of as many successive
///   address bits then reaches every value of the group, and so a power-of-two stride does.
BitMatrix random_invertible(unsigned outputs, unsigned inputs,
                            const std::vector<OutputGroup>& groups, FixedRandom& random);

}  // namespace tessera
