// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers in few bytes: seven bits a byte, the lowest first; the highest bit of all but the last
// byte is 1.

#include <cstdint>
#include <string>

namespace tessera::traces {

inline void add_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

/// Small positive and negative differences become small numbers.
inline std::uint64_t folded(std::uint64_t difference) {
  return difference << 1 ^ (~(difference >> 63) + 1);
}
inline std::uint64_t unfolded(std::uint64_t v) { return v >> 1 ^ (~(v & 1) + 1); }

}  // namespace tessera::traces
