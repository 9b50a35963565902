// SPDX-License-Identifier: Apache-2.0
// y = A^T (A x), A row-major with `rows` x `columns` elements: first one row a thread (lanes a row
// apart), then one column a thread (coalesced).
#include "../cuda_device.h"

extern "C" __global__ void atax_rows(const float* __restrict__ a, const float* __restrict__ x,
                                     float* tmp, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  float sum = 0.0f;
  for (int j = 0; j < columns; ++j) sum += a[i * columns + j] * x[j];
  tmp[i] = sum;
}

extern "C" __global__ void atax_columns(const float* __restrict__ a, const float* __restrict__ tmp,
                                        float* y, int rows, int columns) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns) return;
  float sum = 0.0f;
  for (int i = 0; i < rows; ++i) sum += a[i * columns + j] * tmp[i];
  y[j] = sum;
}
