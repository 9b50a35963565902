// SPDX-License-Identifier: Apache-2.0
// Counts of values from 0 to 255, one histogram a CTA, which the host adds up. A CTA has a section
// of the data and loads it in vectors of four values, as in the sample of the AMD APP SDK; every
// warp counts in a sub-histogram of its own in shared memory (there: every work-item).
#include "../cuda_device.h"

constexpr int kBins = 256;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;

extern "C" __global__ void histogram256(const uint4* __restrict__ data,
                                        unsigned* __restrict__ partial, int vectors) {
  __shared__ unsigned counts[kWarps][kBins];
  const int t = threadIdx.x;
  for (int w = 0; w < kWarps; ++w) counts[w][t] = 0;
  __syncthreads();
  unsigned* mine = counts[t / 32];
  const uint4* section = data + blockIdx.x * kThreads * vectors;
  for (int i = 0; i < vectors; ++i) {
    const uint4 four = section[i * kThreads + t];
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
