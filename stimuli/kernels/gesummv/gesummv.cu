// SPDX-License-Identifier: Apache-2.0
// y = alpha A x + beta B x, A and B row-major and square: one row of both a thread, so that a
// warp's lanes are a row apart; all threads read all of x.
#include "../cuda_device.h"

extern "C" __global__ void gesummv(const float* __restrict__ a, const float* __restrict__ b,
                                   const float* __restrict__ x, float* __restrict__ y, float alpha,
                                   float beta, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float ax = 0.0f;
  float bx = 0.0f;
  for (int j = 0; j < n; ++j) {
    ax += a[i * n + j] * x[j];
    bx += b[i * n + j] * x[j];
  }
  y[i] = alpha * ax + beta * bx;
}
