// SPDX-License-Identifier: Apache-2.0
// AES with a key of 256 bits (FIPS 197), one block of 16 bytes a thread, in place. All threads read
// the expanded key (the same word at a time) and the table of substitutes (each its own bytes).
#include "../cuda_device.h"

constexpr int kRounds = 14;

__device__ __forceinline__ unsigned rotated(unsigned v, int bits) {
  return v >> bits | v << (32 - bits);
}

// A column, whose row 0 is the lowest byte, after the substitution of bytes and the shift of rows:
// row r comes from the column r further on.
__device__ __forceinline__ unsigned substituted(const uint8_t* __restrict__ table, unsigned c0,
                                                unsigned c1, unsigned c2, unsigned c3) {
  return table[c0 & 0xff] | table[c1 >> 8 & 0xff] << 8 | table[c2 >> 16 & 0xff] << 16 |
         static_cast<unsigned>(table[c3 >> 24]) << 24;
}

// Each byte of the column times x in the field of 256.
__device__ __forceinline__ unsigned doubled(unsigned v) {
  return (v & 0x7f7f7f7fu) << 1 ^ (v >> 7 & 0x01010101u) * 0x1bu;
}

// Row r becomes 2 a[r] + 3 a[r + 1] + a[r + 2] + a[r + 3].
__device__ __forceinline__ unsigned mixed(unsigned v) {
  const unsigned pairs = v ^ rotated(v, 8);
  return doubled(pairs) ^ rotated(v, 8) ^ rotated(pairs, 16);
}

extern "C" __global__ void aes(uint4* blocks, const unsigned* __restrict__ round_keys,
                               const uint8_t* __restrict__ table, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const unsigned* key = round_keys;
  uint4 s = blocks[i];
  s.x ^= key[0];
  s.y ^= key[1];
  s.z ^= key[2];
  s.w ^= key[3];
  for (int round = 1; round < kRounds; ++round) {
    key += 4;
    uint4 next;
    next.x = mixed(substituted(table, s.x, s.y, s.z, s.w)) ^ key[0];
    next.y = mixed(substituted(table, s.y, s.z, s.w, s.x)) ^ key[1];
    next.z = mixed(substituted(table, s.z, s.w, s.x, s.y)) ^ key[2];
    next.w = mixed(substituted(table, s.w, s.x, s.y, s.z)) ^ key[3];
    s = next;
  }
  key += 4;
  uint4 last;
  last.x = substituted(table, s.x, s.y, s.z, s.w) ^ key[0];
  last.y = substituted(table, s.y, s.z, s.w, s.x) ^ key[1];
  last.z = substituted(table, s.z, s.w, s.x, s.y) ^ key[2];
  last.w = substituted(table, s.w, s.x, s.y, s.z) ^ key[3];
  blocks[i] = last;
}
