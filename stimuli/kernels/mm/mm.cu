// SPDX-License-Identifier: Apache-2.0
// C = A * B, row-major. A CTA computes one 16 x 16 tile of C; the tiles of A and B that it needs
// pass through shared memory one pair at a time. m, n and k are multiples of the tile.
#include "../cuda_device.h"

constexpr int kTile = 16;

extern "C" __global__ void mm(const float* a, const float* b, float* c, int n, int k) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty;
  const int column = blockIdx.x * kTile + tx;
  float sum = 0.0f;
  for (int step = 0; step < k; step += kTile) {
    tile_a[ty][tx] = a[row * k + step + tx];
    tile_b[ty][tx] = b[(step + ty) * n + column];
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_a[ty][i] * tile_b[i][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
