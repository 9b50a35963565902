// SPDX-License-Identifier: Apache-2.0
// The two products of a bi-conjugate gradient step: s = A^T r (one column a thread, coalesced) and
// q = A p (one row a thread, lanes a row apart). A is row-major, `rows` x `columns`.
#include "../cuda_device.h"

extern "C" __global__ void bicg_columns(const float* __restrict__ a, const float* __restrict__ r,
                                        float* s, int rows, int columns) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns) return;
  float sum = 0.0f;
  for (int i = 0; i < rows; ++i) sum += r[i] * a[i * columns + j];
  s[j] = sum;
}

extern "C" __global__ void bicg_rows(const float* __restrict__ a, const float* __restrict__ p,
                                     float* q, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  float sum = 0.0f;
  for (int j = 0; j < columns; ++j) sum += a[i * columns + j] * p[j];
  q[i] = sum;
}
