// SPDX-License-Identifier: Apache-2.0
// C = A * B, row-major.
#include "../cuda_device.h"

constexpr int kTile = 16;

// A CTA computes one 16 x 16 tile of C; the tiles of A and B that it needs pass through shared
// memory one pair at a time. m, n and k are multiples of the tile.
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

__device__ __forceinline__ void add(float4& sum, const float4& a, const float4 (&b)[4]) {
  sum.x += a.x * b[0].x + a.y * b[1].x + a.z * b[2].x + a.w * b[3].x;
  sum.y += a.x * b[0].y + a.y * b[1].y + a.z * b[2].y + a.w * b[3].y;
  sum.z += a.x * b[0].z + a.y * b[1].z + a.z * b[2].z + a.w * b[3].z;
  sum.w += a.x * b[0].w + a.y * b[1].w + a.z * b[2].w + a.w * b[3].w;
}

// Without shared memory: a thread computes 4 x 4 elements of C and loads vectors of four elements,
// as in the sample of the AMD APP SDK. A CTA of 16 x 16 threads has a tile of 64 x 64. m and n are
// multiples of 64, k of 4.
extern "C" __global__ void mm_float4(const float4* __restrict__ a, const float4* __restrict__ b,
                                     float4* __restrict__ c, int n, int k) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
  const int width = n / 4;
  const int depth = k / 4;
  float4 sums[4] = {};
  for (int i = 0; i < depth; ++i) {
    float4 left[4];
    float4 right[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) left[j] = a[(row + j) * depth + i];
#pragma unroll
    for (int j = 0; j < 4; ++j) right[j] = b[(4 * i + j) * width + column];
#pragma unroll
    for (int j = 0; j < 4; ++j) add(sums[j], left[j], right);
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) c[(row + j) * width + column] = sums[j];
}
