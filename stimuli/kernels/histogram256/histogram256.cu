// SPDX-License-Identifier: Apache-2.0
// Counts of the 256 byte values in two launches. In the first, CTAs stride over the data, four
// bytes a load; every warp counts in a sub-histogram of its own in shared memory, and the CTA
// stores the sums of its warps' counts. The second adds up the CTAs' results, one bin a thread.
#include "../cuda_device.h"

constexpr int kBins = 256;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;

extern "C" __global__ void histogram256_count(const uchar4* __restrict__ data,
                                              unsigned* __restrict__ partial, int words) {
  __shared__ unsigned counts[kWarps][kBins];
  const int t = threadIdx.x;
  for (int w = 0; w < kWarps; ++w) counts[w][t] = 0;
  __syncthreads();
  unsigned* mine = counts[t / 32];
  const int stride = gridDim.x * kThreads;
  for (int i = blockIdx.x * kThreads + t; i < words; i += stride) {
    const uchar4 four = data[i];
    atomicAdd(&mine[four.x], 1u);
    atomicAdd(&mine[four.y], 1u);
    atomicAdd(&mine[four.z], 1u);
    atomicAdd(&mine[four.w], 1u);
  }
  __syncthreads();
  unsigned sum = 0;
  for (int w = 0; w < kWarps; ++w) sum += counts[w][t];
  partial[blockIdx.x * kBins + t] = sum;
}

extern "C" __global__ void histogram256_merge(const unsigned* __restrict__ partial,
                                              unsigned* __restrict__ bins, int ctas) {
  const int t = threadIdx.x;
  unsigned sum = 0;
  for (int c = 0; c < ctas; ++c) sum += partial[c * kBins + t];
  bins[t] = sum;
}
