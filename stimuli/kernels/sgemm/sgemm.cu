// SPDX-License-Identifier: Apache-2.0
// C = A * B^T, column-major: a is m * k, b is n * k, c is m * n. A CTA of 128 threads computes
// 128 x 16 elements of C, a thread one row of 16 of them in registers. The tile of B that they
// share passes through shared memory; elements of A go straight to registers, coalesced. m is a
// multiple of 128, n of 16, k of 8.
#include "../cuda_device.h"

constexpr int kRows = 128;
constexpr int kColumns = 16;
constexpr int kDepth = 8;

extern "C" __global__ void sgemm(const float* __restrict__ a, const float* __restrict__ b,
                                 float* __restrict__ c, int m, int n, int k) {
  __shared__ float tile_b[kDepth][kColumns];
  const int t = threadIdx.x;
  const int row = blockIdx.x * kRows + t;
  const int first_column = blockIdx.y * kColumns;
  float sum[kColumns] = {};
  for (int step = 0; step < k; step += kDepth) {
    tile_b[t / kColumns][t % kColumns] = b[(step + t / kColumns) * n + first_column + t % kColumns];
    __syncthreads();
    for (int i = 0; i < kDepth; ++i) {
      const float left = a[(step + i) * m + row];
#pragma unroll
      for (int j = 0; j < kColumns; ++j) sum[j] += left * tile_b[i][j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < kColumns; ++j) c[(first_column + j) * m + row] = sum[j];
}
