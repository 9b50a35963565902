// SPDX-License-Identifier: Apache-2.0
// One step of a nine-point stencil. A CTA of 256 threads computes a tile of 8 rows of 256 columns,
// which it stages in shared memory with a halo of one element. The grid has a fixed rim of one
// element; its columns are a multiple of 256, its rows of 8, both without the rim.
#include "../cuda_device.h"

constexpr int kRows = 8;
constexpr int kColumns = 256;

extern "C" __global__ void stencil2d(const float* __restrict__ from, float* __restrict__ to,
                                     int pitch, float centre, float cardinal, float diagonal) {
  __shared__ float s[kRows + 2][kColumns + 2];
  const int t = threadIdx.x;
  const int corner = blockIdx.y * kRows * pitch + blockIdx.x * kColumns;  // of tile and halo
  for (int r = 0; r < kRows + 2; ++r) {
    for (int c = t; c < kColumns + 2; c += kColumns) s[r][c] = from[corner + r * pitch + c];
  }
  __syncthreads();
  for (int r = 1; r <= kRows; ++r) {
    const int c = t + 1;
    to[corner + r * pitch + c] =
        centre * s[r][c] + cardinal * (s[r - 1][c] + s[r + 1][c] + s[r][c - 1] + s[r][c + 1]) +
        diagonal * (s[r - 1][c - 1] + s[r - 1][c + 1] + s[r + 1][c - 1] + s[r + 1][c + 1]);
  }
}
