// SPDX-License-Identifier: Apache-2.0
// Radix sort by digits of eight bits, three launches a digit. A CTA of 256 threads has a tile of
// 2048 keys: it counts the tile's digits in shared memory; one warp a digit turns the counts of all
// tiles into their running sums; then a CTA scatters its tile, every key to where the keys of
// smaller digits, of earlier tiles and of earlier places in the tile leave off. Keys are read
// coalesced and written to 256 buckets.
#include "../cuda_device.h"

constexpr unsigned kDigits = 256;
constexpr unsigned kThreads = 256;
constexpr unsigned kWarps = kThreads / 32;
constexpr unsigned kTile = 2048;
constexpr unsigned kAllLanes = 0xffffffffu;

__device__ __forceinline__ unsigned digit_of(unsigned key, int shift) {
  return key >> shift & (kDigits - 1);
}

// counts[digit][tile]
extern "C" __global__ void radix_count(const unsigned* __restrict__ keys,
                                       unsigned* __restrict__ counts, int shift) {
  __shared__ unsigned count[kDigits];
  const unsigned t = threadIdx.x;
  count[t] = 0;
  __syncthreads();
  for (unsigned k = t; k < kTile; k += kThreads) {
    atomicAdd(&count[digit_of(keys[blockIdx.x * kTile + k], shift)], 1u);
  }
  __syncthreads();
  counts[t * gridDim.x + blockIdx.x] = count[t];
}

// Makes each digit's counts the sums of those before them, and notes their total.
extern "C" __global__ void radix_sum(unsigned* counts, unsigned* __restrict__ totals, int tiles) {
  const int lane = threadIdx.x % 32;
  const int digit = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  unsigned* row = counts + digit * tiles;
  unsigned total = 0;
  for (int first = 0; first < tiles; first += 32) {
    const int tile = first + lane;
    const unsigned count = tile < tiles ? row[tile] : 0;
    unsigned sum = count;
    for (int by = 1; by < 32; by *= 2) {
      const unsigned left = __shfl_up_sync(kAllLanes, sum, by);
      if (lane >= by) sum += left;
    }
    if (tile < tiles) row[tile] = total + sum - count;
    total += __shfl_sync(kAllLanes, sum, 31);
  }
  if (lane == 0) totals[digit] = total;
}

extern "C" __global__ void radix_scatter(const unsigned* __restrict__ keys,
                                         const unsigned* __restrict__ sums,
                                         const unsigned* __restrict__ totals,
                                         unsigned* __restrict__ sorted, int shift) {
  __shared__ unsigned place[kDigits];          // of the tile's next key with that digit
  __shared__ unsigned count[kWarps][kDigits];  // of a round's keys
  const unsigned t = threadIdx.x;
  const unsigned lane = t % 32;
  const unsigned warp = t / 32;
  // Where the digit's bucket begins: the sum of the totals before it.
  const unsigned own = totals[t];
  place[t] = own;
  for (unsigned w = 0; w < kWarps; ++w) count[w][t] = 0;
  __syncthreads();
  for (unsigned by = 1; by < kDigits; by *= 2) {
    const unsigned left = t >= by ? place[t - by] : 0;
    __syncthreads();
    place[t] += left;
    __syncthreads();
  }
  place[t] += sums[t * gridDim.x + blockIdx.x] - own;
  __syncthreads();
  for (unsigned k = t; k < kTile; k += kThreads) {
    const unsigned key = keys[blockIdx.x * kTile + k];
    const unsigned digit = digit_of(key, shift);
    unsigned same = kAllLanes;  // lanes with our digit
#pragma unroll
    for (int bit = 0; bit < 8; ++bit) {
      const bool one = digit >> bit & 1;
      const unsigned ones = __ballot_sync(kAllLanes, one);
      same &= one ? ones : ~ones;
    }
    const unsigned before = __popc(same & ((1u << lane) - 1));
    if (before == 0) count[warp][digit] = __popc(same);
    __syncthreads();
    unsigned to = place[digit] + before;
    for (unsigned w = 0; w < warp; ++w) to += count[w][digit];
    sorted[to] = key;
    __syncthreads();
    for (unsigned w = 0; w < kWarps; ++w) {
      place[t] += count[w][t];
      count[w][t] = 0;
    }
    __syncthreads();
  }
}
