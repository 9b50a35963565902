// SPDX-License-Identifier: Apache-2.0
// Counts of the 256 byte values. Each CTA counts in shared memory with atomics, four bytes a load,
// then adds its counts to the global ones with atomics.
#include "../cuda_device.h"

constexpr int kBins = 256;

extern "C" __global__ void histogram(const unsigned* __restrict__ data, unsigned* bins, int words) {
  __shared__ unsigned counts[kBins];
  for (int b = threadIdx.x; b < kBins; b += blockDim.x) counts[b] = 0;
  __syncthreads();
  const int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += stride) {
    const unsigned four = data[i];
    atomicAdd(&counts[four & 0xff], 1u);
    atomicAdd(&counts[(four >> 8) & 0xff], 1u);
    atomicAdd(&counts[(four >> 16) & 0xff], 1u);
    atomicAdd(&counts[four >> 24], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < kBins; b += blockDim.x) {
    const unsigned count = counts[b];
    if (count != 0) atomicAdd(&bins[b], count);
  }
}
