// SPDX-License-Identifier: Apache-2.0
// Addresses of memory instructions, lane by lane.

#include "stimuli/ptx/lanes.h"

namespace tessera::ptx::TESSERA_PTX_SIMD {
namespace {

constexpr u64 kBias = u64{1} << 63;  // converts unsigned order to signed order

void summarise(const u64* a, AddressSummary& summary) {
  s64 lowest = static_cast<s64>(a[0] ^ kBias);
  s64 highest = lowest;
  u64 bits = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const s64 v = static_cast<s64>(a[i] ^ kBias);
    lowest = v < lowest ? v : lowest;
    highest = v > highest ? v : highest;
    bits |= a[i];
  }
  summary =
      AddressSummary{static_cast<u64>(lowest) ^ kBias, static_cast<u64>(highest) ^ kBias, bits};
}

void summarise32(const u32* a, AddressSummary& summary) {
  u32 lowest = a[0];
  u32 highest = a[0];
  u32 bits = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    lowest = a[i] < lowest ? a[i] : lowest;
    highest = a[i] > highest ? a[i] : highest;
    bits |= a[i];
  }
  summary = AddressSummary{lowest, highest, bits};
}

/// Sets the addresses of inactive lanes to the first active lane's address.
template <class T>
void fill_inactive(T* a, u32 mask) {
  if (mask == kAllLanes) return;
  const T first = a[__builtin_ctz(mask)];
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const T own = a[i];
    a[i] = (mask & (1u << i)) != 0 ? own : first;
  }
}

void addresses(const Frame& f, const Decoded& d, u32 mask, u64* to, AddressSummary& summary) {
  const Slot base = d.slot[Decoded::kAddress];
  if (d.memory.wide_address) {
    const auto* from = cells<u64>(f, base);
    const auto plus = static_cast<u64>(d.displacement);
#pragma GCC ivdep
    for (unsigned i = 0; i < kWarpLanes; ++i) to[i] = from[i] + plus;
    fill_inactive(to, mask);
    summarise(to, summary);
    return;
  }
  // 32-bit addresses wrap at 32 bits.
  const auto* from = cells<u32>(f, base);
  const auto plus = static_cast<u32>(static_cast<u64>(d.displacement));
  alignas(32) u32 narrow[kWarpLanes];
  for (unsigned i = 0; i < kWarpLanes; ++i) narrow[i] = from[i] + plus;
  fill_inactive(narrow, mask);
  summarise32(narrow, summary);
#pragma GCC ivdep
  for (unsigned i = 0; i < kWarpLanes; ++i) to[i] = narrow[i];
}

void gather(u32* to, const std::byte* from, const u64* offsets) {
  // Usual cases: the lanes of a warp read consecutive words, or all read the same word.
  u64 odd = 0;
  u64 moved = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    odd |= offsets[i] ^ (offsets[0] + 4 * u64{i});
    moved |= offsets[i] ^ offsets[0];
  }
  if (odd == 0) {
    __builtin_memcpy(to, from + offsets[0], sizeof(u32) * kWarpLanes);
  } else if (moved == 0) {
    u32 v;
    __builtin_memcpy(&v, from + offsets[0], sizeof v);
    for (unsigned i = 0; i < kWarpLanes; ++i) to[i] = v;
  } else {
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      __builtin_memcpy(&to[i], from + offsets[i], sizeof(u32));
    }
  }
}

}  // namespace

void add_memory(AluTable& t);
void add_memory(AluTable& t) {
  t.addresses = &addresses;
  t.gather = &gather;
}

}  // namespace tessera::ptx::TESSERA_PTX_SIMD
