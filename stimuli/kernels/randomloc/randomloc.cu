// SPDX-License-Identifier: Apache-2.0
// Random locations: each thread jumps to pseudo-random starts in a table and sums the short run of
// elements from there. A line is used again only by the thread that fetched it. A CTA of 256
// threads writes one sum of all its runs.
#include "../cuda_device.h"

constexpr unsigned kThreads = 256;

// Spreads consecutive numbers over all 32 bits.
__device__ __forceinline__ unsigned mixed(unsigned v) {
  v = (v ^ (v >> 16)) * 0x7feb352du;
  v = (v ^ (v >> 15)) * 0x846ca68bu;
  return v ^ (v >> 16);
}

extern "C" __global__ void randomloc(const unsigned* __restrict__ table,
                                     unsigned* __restrict__ sums, unsigned starts, int jumps,
                                     int run) {
  __shared__ unsigned partial[kThreads];
  const unsigned t = threadIdx.x;
  const unsigned thread = blockIdx.x * kThreads + t;
  unsigned sum = 0;
  for (int jump = 0; jump < jumps; ++jump) {
    const unsigned random = mixed(thread * jumps + jump);
    const unsigned start = static_cast<uint64_t>(random) * starts >> 32;
    for (int k = 0; k < run; ++k) sum += table[start + k];
  }
  partial[t] = sum;
  __syncthreads();
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (t < half) partial[t] += partial[t + half];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = partial[0];
}
