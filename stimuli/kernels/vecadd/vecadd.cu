// SPDX-License-Identifier: Apache-2.0
// c = a + b, one element a thread.
#include "../cuda_device.h"

extern "C" __global__ void vecadd(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
