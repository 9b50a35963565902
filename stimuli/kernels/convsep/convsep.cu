// SPDX-License-Identifier: Apache-2.0
// Separable convolution with 17 taps: rows, then columns. A CTA stages its tile and the halo at
// both ends in shared memory, zeros where the image ends; the taps are in constant memory. The
// width is a multiple of 128, the height of 64.
#include "../cuda_device.h"

constexpr int kRadius = 8;
constexpr int kSteps = 8;  // results of a thread

__constant__ float taps[2 * kRadius + 1] = {0.0125f, -0.025f, 0.0375f,  0.05f,   -0.0625f, 0.075f,
                                            0.0875f, 0.1f,    0.3f,     0.125f,  0.1375f,  -0.15f,
                                            0.025f,  0.0375f, -0.0125f, 0.0625f, -0.0375f};

constexpr int kRowX = 16;  // threads of a CTA of the row pass
constexpr int kRowY = 4;

extern "C" __global__ void convsep_rows(const float* __restrict__ in, float* __restrict__ out,
                                        int width) {
  constexpr int kTile = kSteps * kRowX;
  __shared__ float s[kRowY][kTile + 2 * kRowX];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int left = blockIdx.x * kTile - kRowX;  // column of the first element of the staged row
  const int row = (blockIdx.y * kRowY + ty) * width;
  for (int k = 0; k < kSteps + 2; ++k) {
    const int x = left + k * kRowX + tx;
    s[ty][k * kRowX + tx] = x >= 0 && x < width ? in[row + x] : 0.0f;
  }
  __syncthreads();
  for (int k = 1; k <= kSteps; ++k) {
    const int at = k * kRowX + tx;
    float sum = 0.0f;
#pragma unroll
    for (int j = -kRadius; j <= kRadius; ++j) sum += taps[kRadius + j] * s[ty][at + j];
    out[row + left + at] = sum;
  }
}

constexpr int kColumnX = 16;  // threads of a CTA of the column pass
constexpr int kColumnY = 8;

extern "C" __global__ void convsep_columns(const float* __restrict__ in, float* __restrict__ out,
                                           int width, int height) {
  constexpr int kTile = kSteps * kColumnY;
  // The odd length keeps a warp's accesses free of bank conflicts.
  __shared__ float s[kColumnX][kTile + 2 * kColumnY + 1];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int top = blockIdx.y * kTile - kColumnY;  // row of the first element of the staged column
  const int x = blockIdx.x * kColumnX + tx;
  for (int k = 0; k < kSteps + 2; ++k) {
    const int y = top + k * kColumnY + ty;
    s[tx][k * kColumnY + ty] = y >= 0 && y < height ? in[y * width + x] : 0.0f;
  }
  __syncthreads();
  for (int k = 1; k <= kSteps; ++k) {
    const int at = k * kColumnY + ty;
    float sum = 0.0f;
#pragma unroll
    for (int j = -kRadius; j <= kRadius; ++j) sum += taps[kRadius + j] * s[tx][at + j];
    out[(top + at) * width + x] = sum;
  }
}
