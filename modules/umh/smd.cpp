// SPDX-License-Identifier: Apache-2.0
#include "modules/umh/smd.h"

#include <stdexcept>

namespace tessera::umh {

namespace {

/// Bits of a value that counts to n - 1.
constexpr std::uint32_t log2_up(std::uint64_t n) {
  std::uint32_t bits = 0;
  while ((std::uint64_t{1} << bits) < n) ++bits;
  return bits;
}

}  // namespace

CoherentCacheConfig SmdConfig::cache() const {
  CoherentCacheConfig c;
  if (block_bytes == 0 || block_bytes % kLineBytes != 0) {
    throw std::invalid_argument("a secondary block consists of whole lines");
  }
  if (ways == 0 || stacks == 0 || stack_bytes / block_bytes / ways == 0) {
    throw std::invalid_argument("a stack holds at least one secondary block per way");
  }
  c.sets = static_cast<std::uint32_t>(stack_bytes / block_bytes / ways);
  c.ways = ways;
  c.block_lines = block_bytes / kLineBytes;
  c.mask_granularity = mask_granularity;
  c.banks = stacks;
  c.owned_read = owned_read;
  c.flushed = flushed;
  return c;
}

std::uint32_t SmdConfig::entry_bits(std::uint32_t address_bits) const {
  const std::uint32_t index =
      log2_up(stack_bytes / block_bytes / ways) + log2_up(block_bytes) + log2_up(stacks);
  return address_bits - index + 3 + block_bytes / kLineBytes;
}

}  // namespace tessera::umh
