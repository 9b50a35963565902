// SPDX-License-Identifier: Apache-2.0
// x1 += A y1 and x2 += A^T y2, A row-major and square. The first kernel has one thread a row, so
// that a warp's lanes are a row apart; the second one thread a column, and its loads are coalesced.
// As in PolyBench/GPU, a sum is kept in its result, which can alias the inputs: each step stores
// it.
#include "../cuda_device.h"

extern "C" __global__ void mvt_rows(const float* a, const float* y1, float* x1, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int j = 0; j < n; ++j) x1[i] += a[i * n + j] * y1[j];
}

extern "C" __global__ void mvt_columns(const float* a, const float* y2, float* x2, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n) return;
  for (int i = 0; i < n; ++i) x2[j] += a[i * n + j] * y2[i];
}
