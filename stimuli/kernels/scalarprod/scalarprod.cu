// SPDX-License-Identifier: Apache-2.0
// Scalar products of many pairs of vectors. A CTA takes whole pairs, a grid's width apart: it sums
// the products in 1024 accumulators in shared memory, each over every 1024th element (coalesced),
// and adds these up in a tree.
#include "../cuda_device.h"

constexpr int kSums = 1024;

extern "C" __global__ void scalarprod(const float* __restrict__ a, const float* __restrict__ b,
                                      float* __restrict__ products, int vectors, int elements) {
  __shared__ float sums[kSums];
  for (int vector = blockIdx.x; vector < vectors; vector += gridDim.x) {
    const int begin = vector * elements;
    const int end = begin + elements;
    for (int s = threadIdx.x; s < kSums; s += blockDim.x) {
      float sum = 0.0f;
      for (int at = begin + s; at < end; at += kSums) sum += a[at] * b[at];
      sums[s] = sum;
    }
    for (int half = kSums / 2; half > 0; half /= 2) {
      __syncthreads();
      for (int s = threadIdx.x; s < half; s += blockDim.x) sums[s] += sums[s + half];
    }
    if (threadIdx.x == 0) products[vector] = sums[0];
    __syncthreads();
  }
}
