// SPDX-License-Identifier: Apache-2.0
// y = alpha * x + y, one element a thread.
#include "../cuda_device.h"

extern "C" __global__ void saxpy(float alpha, const float* __restrict__ x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = alpha * x[i] + y[i];
}
