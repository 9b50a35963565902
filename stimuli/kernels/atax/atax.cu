// SPDX-License-Identifier: Apache-2.0
// y = A^T (A x), A row-major with `rows` x `columns` elements: first one row a thread (lanes a row
// apart), then one column a thread (coalesced). As in PolyBench/GPU, a sum is kept in its result,
// which can alias the inputs: each step stores it.
#include "../cuda_device.h"

extern "C" __global__ void atax_rows(const float* a, const float* x, float* tmp, int rows,
                                     int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  for (int j = 0; j < columns; ++j) tmp[i] += a[i * columns + j] * x[j];
}

extern "C" __global__ void atax_columns(const float* a, const float* tmp, float* y, int rows,
                                        int columns) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns) return;
  for (int i = 0; i < rows; ++i) y[j] += a[i * columns + j] * tmp[i];
}
