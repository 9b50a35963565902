// SPDX-License-Identifier: Apache-2.0
// y = A x with A in compressed sparse rows, one row a thread: each lane walks its own run of values
// and columns, and gathers from x.
#include "../cuda_device.h"

extern "C" __global__ void spmv(const int* __restrict__ row_start, const int* __restrict__ columns,
                                const float* __restrict__ values, const float* __restrict__ x,
                                float* __restrict__ y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const int end = row_start[row + 1];
  float sum = 0.0f;
  for (int e = row_start[row]; e < end; ++e) sum += values[e] * x[columns[e]];
  y[row] = sum;
}
