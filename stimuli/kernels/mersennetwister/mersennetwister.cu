// SPDX-License-Identifier: Apache-2.0
// Random numbers from many small Mersenne twisters of the 128-bit kind, one a thread: a state of
// five vectors of four words in registers, filled from the thread's seed, makes one vector a step,
// which is stored at once. A thread's vectors lie side by side.
#include "../cuda_device.h"

constexpr int kState = 5;
constexpr unsigned kMaskX = 0xeffefffbu;
constexpr unsigned kMaskY = 0xdfbfefffu;
constexpr unsigned kMaskZ = 0xbffff7feu;
constexpr unsigned kMaskW = 0xf7fdff7fu;

// The next vector, from the oldest one, a middle one and the two newest. The oldest one is shifted
// by a byte as one number of 128 bits, as the last but one is; the others word by word.
__device__ __forceinline__ uint4 twisted(uint4 oldest, uint4 middle, uint4 last_but_one,
                                         uint4 last) {
  uint4 r;
  r.x = oldest.x ^ (oldest.x << 8) ^ (middle.x >> 11 & kMaskX) ^
        (last_but_one.x >> 8 | last_but_one.y << 24) ^ (last.x << 18);
  r.y = oldest.y ^ (oldest.y << 8 | oldest.x >> 24) ^ (middle.y >> 11 & kMaskY) ^
        (last_but_one.y >> 8 | last_but_one.z << 24) ^ (last.y << 18);
  r.z = oldest.z ^ (oldest.z << 8 | oldest.y >> 24) ^ (middle.z >> 11 & kMaskZ) ^
        (last_but_one.z >> 8 | last_but_one.w << 24) ^ (last.z << 18);
  r.w = oldest.w ^ (oldest.w << 8 | oldest.z >> 24) ^ (middle.w >> 11 & kMaskW) ^
        (last_but_one.w >> 8) ^ (last.w << 18);
  return r;
}

// Spreads a seed: the step of a linear congruence.
__device__ __forceinline__ uint4 spread(uint4 v) {
  v.x = v.x * 1664525u + 1013904223u;
  v.y = v.y * 1664525u + 1013904223u;
  v.z = v.z * 1664525u + 1013904223u;
  v.w = v.w * 1664525u + 1013904223u;
  return v;
}

extern "C" __global__ void mersennetwister(const uint4* __restrict__ seeds,
                                           uint4* __restrict__ numbers, int vectors) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint4 state[kState];
  state[0] = seeds[thread];
#pragma unroll
  for (int i = 1; i < kState; ++i) state[i] = spread(state[i - 1]);
  for (int k = 0; k < vectors; ++k) {
    const uint4 next = twisted(state[0], state[2], state[3], state[4]);
#pragma unroll
    for (int i = 1; i < kState; ++i) state[i - 1] = state[i];
    state[kState - 1] = next;
    numbers[thread * vectors + k] = next;
  }
}
