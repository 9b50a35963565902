// SPDX-License-Identifier: Apache-2.0
#pragma once

// Access to the ports of Verilated models: integers, or arrays of 32-bit words (VlWide).

#include <verilated.h>

#include <cstdint>
#include <cstring>

#include "modules/protocol/byte_mask.h"

namespace tessera {

/// Puts the lowest `width` (1 to 64) bits of `value` at bit `at` of a port.
template <std::size_t kWords>
void put_bits(VlWide<kWords>& port, unsigned at, unsigned width, std::uint64_t value) {
  while (width > 0) {
    const unsigned bit = at % 32;
    const unsigned count = width < 32 - bit ? width : 32 - bit;
    const std::uint32_t mask = (count == 32 ? ~0U : (1U << count) - 1) << bit;
    port[at / 32] = (port[at / 32] & ~mask) | (static_cast<std::uint32_t>(value << bit) & mask);
    value = count == 64 ? 0 : value >> count;
    at += count;
    width -= count;
  }
}
template <class Integer>
void put_bits(Integer& port, unsigned at, unsigned width, std::uint64_t value) {
  const std::uint64_t mask = (width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1)
                             << at;
  port = static_cast<Integer>((port & ~mask) | (value << at & mask));
}

/// The `width` (1 to 64) bits at bit `at` of a port.
template <std::size_t kWords>
std::uint64_t get_bits(const VlWide<kWords>& port, unsigned at, unsigned width) {
  std::uint64_t value = 0;
  for (unsigned done = 0; done < width;) {
    const unsigned bit = (at + done) % 32;
    const unsigned count = width - done < 32 - bit ? width - done : 32 - bit;
    const std::uint64_t part =
        port[(at + done) / 32] >> bit & (count == 32 ? ~0U : (1U << count) - 1);
    value |= part << done;
    done += count;
  }
  return value;
}
template <class Integer>
std::uint64_t get_bits(const Integer& port, unsigned at, unsigned width) {
  return port >> at & (width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1);
}

/// Bytes at byte `at` of a port; byte i is bits 8 i to 8 i + 7. Needs a little-endian host.
template <std::size_t kWords>
const unsigned char* bytes_of(const VlWide<kWords>& port, unsigned at = 0) {
  return reinterpret_cast<const unsigned char*>(port.data()) + at;
}
template <class Integer>
const unsigned char* bytes_of(const Integer& port) {
  return reinterpret_cast<const unsigned char*>(&port);
}
template <std::size_t kWords>
void put_bytes(VlWide<kWords>& port, unsigned at, const unsigned char* bytes, unsigned count) {
  std::memcpy(reinterpret_cast<unsigned char*>(port.data()) + at, bytes, count);
}
template <class Integer>
void put_bytes(Integer& port, unsigned at, const unsigned char* bytes, unsigned count) {
  std::memcpy(reinterpret_cast<unsigned char*>(&port) + at, bytes, count);
}

template <std::size_t kWords>
void put_mask(VlWide<kWords>& port, const ByteMask& mask) {
  put_bits(port, 0, 64, mask.low);
  put_bits(port, 64, 64, mask.high);
}
template <class Integer>
void put_mask(Integer& port, const ByteMask& mask) {
  port = static_cast<Integer>(mask.low);
}
template <std::size_t kWords>
ByteMask get_mask(const VlWide<kWords>& port) {
  return {get_bits(port, 0, 64), get_bits(port, 64, 64)};
}
template <class Integer>
ByteMask get_mask(const Integer& port) {
  return {port, 0};
}

}  // namespace tessera
