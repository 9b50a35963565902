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

/// A binary matrix stored by columns: column j is the set of output bits that input bit j flips.
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

/// A random matrix of `outputs` rows and `inputs` columns (outputs <= inputs) with these
/// properties:
/// * The first `outputs` columns are linearly independent. If the other inputs are known, the
///   outputs determine the first inputs, so that the map is invertible. This holds by construction:
///   a column inside the span of the previous columns is drawn again.
/// * For each group of output bits, any `group.bits` successive columns are independent within the
///   group if the draw can satisfy it (the number of attempts is limited). A run of as many
///   successive address bits, and therefore a power-of-two stride, then reaches every value of the
///   group.
BitMatrix random_invertible(unsigned outputs, unsigned inputs,
                            const std::vector<OutputGroup>& groups, FixedRandom& random);

}  // namespace tessera
