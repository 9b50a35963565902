// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_mersennetwister {
namespace {

using Vector = std::array<std::uint32_t, 4>;

/// A vector as a number of 128 bits, least significant word first, byte by byte.
using Bytes = std::array<std::uint8_t, 16>;

Bytes bytes_of(const Vector& v) {
  Bytes out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<std::uint8_t>(v[i / 4] >> (i % 4 * 8));
  }
  return out;
}

Vector words_of(const Bytes& b) {
  Vector out{};
  for (std::size_t i = 0; i < b.size(); ++i) out[i / 4] |= std::uint32_t{b[i]} << (i % 4 * 8);
  return out;
}

Vector byte_up(const Vector& v) {
  const Bytes from = bytes_of(v);
  Bytes to{};
  for (std::size_t i = 1; i < to.size(); ++i) to[i] = from[i - 1];
  return words_of(to);
}

Vector byte_down(const Vector& v) {
  const Bytes from = bytes_of(v);
  Bytes to{};
  for (std::size_t i = 1; i < to.size(); ++i) to[i - 1] = from[i];
  return words_of(to);
}

/// The first five vectors of a twister from its seed, and the following `count` ones; exact.
std::vector<Vector> sequence(const Vector& seed, std::size_t count) {
  constexpr Vector kMask = {0xeffefffbu, 0xdfbfefffu, 0xbffff7feu, 0xf7fdff7fu};
  constexpr std::size_t kState = 5;
  std::vector<Vector> all{seed};
  while (all.size() < kState) {
    Vector next{};
    for (std::size_t w = 0; w < 4; ++w) next[w] = all.back()[w] * 1664525u + 1013904223u;
    all.push_back(next);
  }
  while (all.size() < kState + count) {
    const std::size_t n = all.size();
    const Vector& oldest = all[n - 5];
    const Vector up = byte_up(oldest);
    const Vector down = byte_down(all[n - 2]);
    Vector next{};
    for (std::size_t w = 0; w < 4; ++w) {
      next[w] =
          oldest[w] ^ up[w] ^ ((all[n - 3][w] >> 11) & kMask[w]) ^ down[w] ^ (all[n - 1][w] << 18);
    }
    all.push_back(next);
  }
  all.erase(all.begin(), all.begin() + kState);
  return all;
}

std::vector<Expectation> reference(const Inputs& in) {
  const auto seeds = in.values<std::uint32_t>("seeds");
  const auto vectors = static_cast<std::size_t>(in.size("vectors"));
  std::vector<std::uint32_t> numbers;
  for (std::size_t s = 0; s < seeds.size(); s += 4) {
    const Vector seed = {seeds[s], seeds[s + 1], seeds[s + 2], seeds[s + 3]};
    for (const Vector& v : sequence(seed, vectors)) {
      numbers.insert(numbers.end(), v.begin(), v.end());
    }
  }
  return {{"numbers", [numbers](std::uint64_t i) { return Element64::exactly(numbers[i]); }}};
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_mersennetwister
