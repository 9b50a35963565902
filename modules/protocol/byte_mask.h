// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tessera {

/// Maximum size of a cache line, in bytes.
inline constexpr unsigned kMaxLineBytes = 128;

/// A set of bytes of a line: bit i is byte i.
struct ByteMask {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  /// The first `bytes` (0 to 128) bytes.
  static constexpr ByteMask first(unsigned bytes) {
    return {bits(bytes < 64 ? bytes : 64), bits(bytes > 64 ? bytes - 64 : 0)};
  }
  /// `bytes` bytes from `offset`; offset + bytes must be at most 128.
  static constexpr ByteMask range(unsigned offset, unsigned bytes) {
    return first(offset + bytes).without(first(offset));
  }

  constexpr bool none() const { return (low | high) == 0; }
  constexpr bool test(unsigned i) const {
    return ((i < 64 ? low >> i : high >> (i - 64)) & 1) != 0;
  }
  unsigned count() const {
    if (*this == first(kMaxLineBytes)) return kMaxLineBytes;  // usual case, without library calls
    return static_cast<unsigned>(__builtin_popcountll(low) + __builtin_popcountll(high));
  }
  /// The 4-byte words that have a byte in the mask: bit i is bytes 4 i to 4 i + 3.
  constexpr std::uint32_t word_mask() const { return pieces_of(low) | pieces_of(high) << 16; }
  constexpr ByteMask without(ByteMask o) const { return {low & ~o.low, high & ~o.high}; }
  constexpr bool contains(ByteMask o) const { return o.without(*this).none(); }

  friend constexpr ByteMask operator|(ByteMask a, ByteMask b) {
    return {a.low | b.low, a.high | b.high};
  }
  friend constexpr ByteMask operator&(ByteMask a, ByteMask b) {
    return {a.low & b.low, a.high & b.high};
  }
  ByteMask& operator|=(ByteMask o) { return *this = *this | o; }
  friend constexpr bool operator==(ByteMask a, ByteMask b) {
    return a.low == b.low && a.high == b.high;
  }
  friend constexpr bool operator!=(ByteMask a, ByteMask b) { return !(a == b); }

 private:
  static constexpr std::uint32_t pieces_of(std::uint64_t half) {
    half |= half >> 1;
    half |= half >> 2;
    half &= 0x1111111111111111U;
    // Gathers every fourth bit.
    half = (half | half >> 3) & 0x0303030303030303U;
    half = (half | half >> 6) & 0x000f000f000f000fU;
    half = (half | half >> 12) & 0x000000ff000000ffU;
    return static_cast<std::uint32_t>((half | half >> 24) & 0xffffU);
  }
  static constexpr std::uint64_t bits(unsigned n) {
    return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
  }
};

/// Copies the masked bytes of a line.
inline void copy_masked(unsigned char* to, const unsigned char* from, ByteMask mask,
                        unsigned line_bytes) {
  if (mask.contains(ByteMask::first(line_bytes))) {
    std::memcpy(to, from, line_bytes);
    return;
  }
  for (unsigned i = 0; i < line_bytes; ++i) {
    if (mask.test(i)) to[i] = from[i];
  }
}

}  // namespace tessera
