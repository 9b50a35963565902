// SPDX-License-Identifier: Apache-2.0
// The two products of a bi-conjugate gradient step: s = A^T r (one column a thread, coalesced) and
// q = A p (one row a thread, lanes a row apart). A is row-major, `rows` x `columns`. As in
// PolyBench/GPU, a sum is kept in its result, which can alias the inputs: each step stores it.
#include "../cuda_device.h"

extern "C" __global__ void bicg_columns(const float* a, const float* r, float* s, int rows,
                                        int columns) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns) return;
  s[j] = 0.0f;
  for (int i = 0; i < rows; ++i) s[j] += r[i] * a[i * columns + j];
}

extern "C" __global__ void bicg_rows(const float* a, const float* p, float* q, int rows,
                                     int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  q[i] = 0.0f;
  for (int j = 0; j < columns; ++j) q[i] += a[i * columns + j] * p[j];
}
