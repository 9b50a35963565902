// SPDX-License-Identifier: Apache-2.0
// x1 += A y1 and x2 += A^T y2, A row-major and square. The first kernel has one thread a row, so
// that a warp's lanes are a row apart; the second one thread a column, and its loads are coalesced.
#include "../cuda_device.h"

extern "C" __global__ void mvt_rows(const float* __restrict__ a, const float* __restrict__ y1,
                                    float* x1, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x1[i];
  for (int j = 0; j < n; ++j) sum += a[i * n + j] * y1[j];
  x1[i] = sum;
}

extern "C" __global__ void mvt_columns(const float* __restrict__ a, const float* __restrict__ y2,
                                       float* x2, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n) return;
  float sum = x2[j];
  for (int i = 0; i < n; ++i) sum += a[i * n + j] * y2[i];
  x2[j] = sum;
}
