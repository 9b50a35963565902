// SPDX-License-Identifier: Apache-2.0
// out = in^T. A tile goes through shared memory, so that both the loads and the stores are
// coalesced; the extra column keeps the transposed reads free of bank conflicts. rows and columns
// of `in` are multiples of the tile.
#include "../cuda_device.h"

constexpr int kTile = 16;

extern "C" __global__ void transpose(const float* __restrict__ in, float* __restrict__ out,
                                     int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int from_row = blockIdx.y * kTile + ty;
  const int from_column = blockIdx.x * kTile + tx;
  tile[ty][tx] = in[from_row * columns + from_column];
  __syncthreads();
  const int to_row = blockIdx.x * kTile + ty;
  const int to_column = blockIdx.y * kTile + tx;
  out[to_row * rows + to_column] = tile[tx][ty];
}
