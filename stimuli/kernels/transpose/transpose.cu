// SPDX-License-Identifier: Apache-2.0
// out = in^T. A tile goes through shared memory, so that both the loads and the stores are
// coalesced.
#include "../cuda_device.h"

constexpr int kTile = 16;

// The extra column keeps the transposed reads free of bank conflicts. rows and columns of `in` are
// multiples of the tile.
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

constexpr int kVectors = 16;
constexpr int kWideTile = 4 * kVectors;

// Of a square matrix. A thread moves 4 x 4 elements in vectors of four, a CTA of 16 x 16 threads a
// tile of 64 x 64, as in the sample of the AMD APP SDK: consecutive CTAs have tiles on a diagonal,
// which lie in different channels. The width is a multiple of 64.
extern "C" __global__ void transpose_float4(const float4* __restrict__ in, float4* __restrict__ out,
                                            int width) {
  __shared__ float4 tile[kWideTile][kVectors];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.x;
  const int column = (blockIdx.x + blockIdx.y) % gridDim.x;
  const int vectors = width / 4;
  const float4* from = in + (row * kWideTile + 4 * ty) * vectors + column * kVectors + tx;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    // By element, because clang copies a structure in halves.
    const float4& v = from[j * vectors];
    tile[4 * ty + j][tx] = {v.x, v.y, v.z, v.w};
  }
  __syncthreads();
  // Rows 4 tx to 4 tx + 3, columns 4 ty to 4 ty + 3.
  const float4 a = tile[4 * tx][ty];
  const float4 b = tile[4 * tx + 1][ty];
  const float4 c = tile[4 * tx + 2][ty];
  const float4 d = tile[4 * tx + 3][ty];
  float4* to = out + (column * kWideTile + 4 * ty) * vectors + row * kVectors + tx;
  to[0] = {a.x, b.x, c.x, d.x};
  to[vectors] = {a.y, b.y, c.y, d.y};
  to[2 * vectors] = {a.z, b.z, c.z, d.z};
  to[3 * vectors] = {a.w, b.w, c.w, d.w};
}
