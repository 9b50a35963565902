// SPDX-License-Identifier: Apache-2.0
// b = 3x3 convolution of a, straight from global memory, one output a thread. The border of b is
// not written.
#include "../cuda_device.h"

extern "C" __global__ void conv2d(const float* __restrict__ a, float* __restrict__ b, int rows,
                                  int columns) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= rows - 1 || j >= columns - 1) return;
  const float* up = a + (i - 1) * columns + j;
  const float* at = up + columns;
  const float* down = at + columns;
  b[i * columns + j] = 0.5f * up[-1] - 0.25f * up[0] + 0.125f * up[1] +  //
                       0.3f * at[-1] + 0.7f * at[0] - 0.9f * at[1] -     //
                       0.6f * down[-1] + 0.2f * down[0] + 0.4f * down[1];
}
