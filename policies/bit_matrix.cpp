// SPDX-License-Identifier: Apache-2.0
#include "policies/bit_matrix.h"

#include <algorithm>
#include <cstddef>

namespace tessera {

namespace {

std::uint64_t ones(unsigned n) { return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1; }

// Whether `candidate` is outside the span of the last `width - 1` columns, each masked by `mask`.
bool independent(const std::vector<std::uint64_t>& columns, std::uint64_t candidate, unsigned width,
                 std::uint64_t mask) {
  const std::size_t before = std::min<std::size_t>(columns.size(), width - 1);
  std::vector<std::uint64_t> window;
  for (std::size_t i = columns.size() - before; i < columns.size(); ++i) {
    window.push_back(columns[i] & mask);
  }
  const unsigned without = rank_of(window);
  window.push_back(candidate & mask);
  return rank_of(window) > without;
}

}  // namespace

unsigned rank_of(std::vector<std::uint64_t> vectors) {
  unsigned rank = 0;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const std::uint64_t pivot = vectors[i];
    if (pivot == 0) continue;
    ++rank;
    const std::uint64_t lowest = pivot & (~pivot + 1);
    for (std::size_t j = i + 1; j < vectors.size(); ++j) {
      if ((vectors[j] & lowest) != 0) vectors[j] ^= pivot;
    }
  }
  return rank;
}

std::uint64_t BitMatrix::row(unsigned i) const {
  std::uint64_t mask = 0;
  for (std::size_t j = 0; j < columns.size(); ++j) mask |= ((columns[j] >> i) & 1) << j;
  return mask;
}

BitMatrix random_invertible(unsigned outputs, unsigned inputs,
                            const std::vector<OutputGroup>& groups, FixedRandom& random) {
  constexpr unsigned kAttempts = 4096;
  BitMatrix m;
  m.outputs = outputs;
  const std::uint64_t all = ones(outputs);
  while (m.columns.size() < inputs) {
    const bool must_be_independent = m.columns.size() < outputs;
    for (unsigned attempt = 0;; ++attempt) {
      const std::uint64_t column = random.next() & all;
      if (must_be_independent && !independent(m.columns, column, outputs, all)) continue;
      bool good = true;
      for (const OutputGroup& g : groups) {
        if (g.bits == 0) continue;
        good = good && independent(m.columns, column, g.bits, ones(g.bits) << g.first);
      }
      if (!good && attempt < kAttempts) continue;
      m.columns.push_back(column);
      break;
    }
  }
  return m;
}

}  // namespace tessera
