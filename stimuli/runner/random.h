// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random numbers that are equal on every machine and compiler, unlike std::*_distribution.

#include <cstdint>
#include <string_view>

namespace tessera::kernels {

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// A separate stream for each name, so that the contents of an array do not depend on other
  /// arrays.
  Random(std::uint64_t seed, std::string_view name) : state_(seed) {
    std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    state_ = next() ^ hash;
  }

  std::uint64_t next() {
    state_ += kStep;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// Skips `n` calls of next(). uniform() and integer() use one call each.
  void skip(std::uint64_t n) { state_ += n * kStep; }

  /// A number in [low, high), from the upper 53 bits.
  double uniform(double low, double high) {
    const double unit = static_cast<double>(next() >> 11) * 0x1p-53;
    return low + (high - low) * unit;
  }

  /// A number in [low, high]. The bias of the remainder is below 2^-32 for ranges that fit 32 bits.
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    const std::uint64_t span =
        static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    const std::uint64_t offset = span == 0 ? next() : next() % span;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;

  std::uint64_t state_;
};

}  // namespace tessera::kernels
