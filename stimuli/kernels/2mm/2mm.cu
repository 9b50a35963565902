// SPDX-License-Identifier: Apache-2.0
// c += a b, row-major, one element of c a thread, straight from global memory: a warp reads one
// element of a (broadcast) and a run of a row of b (coalesced) a step. As in PolyBench/GPU, the sum
// is kept in c, which can alias a and b: each step stores it. The suite launches the kernel twice,
// the second time on the first product.
#include "../cuda_device.h"

extern "C" __global__ void mm_naive(const float* a, const float* b, float* c, int rows, int inner,
                                    int columns) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= rows || j >= columns) return;
  for (int k = 0; k < inner; ++k) c[i * columns + j] += a[i * inner + k] * b[k * columns + j];
}
