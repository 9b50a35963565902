// SPDX-License-Identifier: Apache-2.0
// LU decomposition in place, without pivoting: one column a step. `scale` makes the column of L,
// `update` subtracts its product with the row of U from what is left.
#include "cuda_device.h"

struct Matrix {
  float* data;
  int n;
};

__global__ void scale(Matrix a, int k) {
  const int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < a.n) a.data[i * a.n + k] /= a.data[k * a.n + k];
}

__global__ void update(Matrix a, int k) {
  const int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  const int i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
  if (i < a.n && j < a.n) a.data[i * a.n + j] -= a.data[i * a.n + k] * a.data[k * a.n + j];
}
