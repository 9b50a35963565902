// SPDX-License-Identifier: Apache-2.0
// A fully connected layer: out = activations * weights, row-major, few rows of activations times a
// large matrix of weights. A CTA of 32 x 4 threads computes 4 rows of 32 columns, the layer's whole
// depth in steps of 64: each warp takes a quarter of a step, a thread one column of it. Weights go
// straight from global memory to registers (coalesced, each once a CTA), where they meet the four
// rows of the tile of activations in shared memory. At the end the warps' sums are added up. The
// CTAs of a grid column share its weights, those of a grid row its activations. Depth is a multiple
// of 64.
#include "../cuda_device.h"

constexpr int kRows = 4;
constexpr int kColumns = 32;
constexpr int kDepth = 64;
constexpr int kQuarter = kDepth / kRows;

extern "C" __global__ void gemmlayer(const float* __restrict__ activations,
                                     const float* __restrict__ weights, float* __restrict__ out,
                                     int depth, int columns) {
  __shared__ float tile[kRows][kDepth];
  __shared__ float sums[kRows][kRows][kColumns];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * kRows;
  const int column = blockIdx.x * kColumns + tx;
  float sum[kRows] = {};
  for (int step = 0; step < depth; step += kDepth) {
    const float* from = activations + (row + ty) * depth + step + tx;
    tile[ty][tx] = from[0];
    tile[ty][tx + kColumns] = from[kColumns];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kQuarter; ++i) {
      const int k = ty * kQuarter + i;
      const float weight = weights[(step + k) * columns + column];
#pragma unroll
      for (int r = 0; r < kRows; ++r) sum[r] += tile[r][k] * weight;
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) sums[ty][r][tx] = sum[r];
  __syncthreads();
  out[(row + ty) * columns + column] =
      (sums[0][ty][tx] + sums[1][ty][tx]) + (sums[2][ty][tx] + sums[3][ty][tx]);
}
