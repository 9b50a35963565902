// SPDX-License-Identifier: Apache-2.0
// c = a b, row-major, one element of c a thread, straight from global memory: a warp reads one
// element of a (broadcast) and a run of a row of b (coalesced) a step. The suite launches it twice,
// the second time on the first product.
#include "../cuda_device.h"

extern "C" __global__ void mm_naive(const float* __restrict__ a, const float* __restrict__ b,
                                    float* __restrict__ c, int rows, int inner, int columns) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= rows || j >= columns) return;
  float sum = 0.0f;
  for (int k = 0; k < inner; ++k) sum += a[i * inner + k] * b[k * columns + j];
  c[i * columns + j] = sum;
}
