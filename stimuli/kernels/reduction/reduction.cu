// SPDX-License-Identifier: Apache-2.0
// partial[b] = sum of the strips of `in` that CTA b owns. Every thread walks the array with a grid
// stride, taking two elements a step; a tree in shared memory adds up the CTA. The host launches it
// again, with one CTA, on the partial sums.
#include "../cuda_device.h"

constexpr int kThreads = 256;

extern "C" __global__ void reduction(const float* __restrict__ in, float* __restrict__ partial,
                                     int n) {
  __shared__ float sums[kThreads];
  const int tx = threadIdx.x;
  float sum = 0.0f;
  for (int i = blockIdx.x * (2 * kThreads) + tx; i < n; i += 2 * kThreads * gridDim.x) {
    sum += in[i];
    if (i + kThreads < n) sum += in[i + kThreads];
  }
  sums[tx] = sum;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half >>= 1) {
    if (tx < half) sums[tx] += sums[tx + half];
    __syncthreads();
  }
  if (tx == 0) partial[blockIdx.x] = sums[0];
}
