// SPDX-License-Identifier: Apache-2.0
#include "cuda_device.h"

// Sums the columns of a matrix, and its rows: the lanes of a warp read one line, or 32 lines.
extern "C" __global__ void sums(const float* matrix, float* of_columns, float* of_rows, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float column = 0;
  for (int k = 0; k < n; ++k) {
    column += matrix[k * n + i];
  }
  of_columns[i] = column;
  float row = 0;
  for (int k = 0; k < n; ++k) {
    row += matrix[i * n + k];
  }
  of_rows[i] = row;
}
