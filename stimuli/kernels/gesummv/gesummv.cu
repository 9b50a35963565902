// SPDX-License-Identifier: Apache-2.0
// y = alpha A x + beta B x, A and B row-major and square: one row of both matrices a thread, so
// that a warp's lanes are a row apart; all threads read all of x. As in PolyBench/GPU, the sums are
// kept in tmp and y, which can alias each other and the inputs: each step loads and stores both.
#include "../cuda_device.h"

extern "C" __global__ void gesummv(const float* a, const float* b, const float* x, float* tmp,
                                   float* y, float alpha, float beta, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int j = 0; j < n; ++j) {
    tmp[i] += a[i * n + j] * x[j];
    y[i] += b[i * n + j] * x[j];
  }
  y[i] = alpha * tmp[i] + beta * y[i];
}
