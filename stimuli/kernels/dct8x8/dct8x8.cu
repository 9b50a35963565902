// SPDX-License-Identifier: Apache-2.0
// Discrete cosine transform of an image's blocks of 8 x 8: matrix * block * transposed matrix, the
// block in between in shared memory. A CTA of 32 x 8 threads has four blocks side by side; all
// CTAs read the one matrix. Width is a multiple of 32, height of 8.
#include "../cuda_device.h"

constexpr int kSide = 8;
constexpr int kWidth = 32;

extern "C" __global__ void dct8x8(const float* __restrict__ in, const float* __restrict__ matrix,
                                  float* __restrict__ out, int width) {
  __shared__ float block[kSide][kWidth];
  __shared__ float half[kSide][kWidth];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int column = tx % kSide;
  const int first = tx - column;  // of our block's columns
  const int at = (blockIdx.y * kSide + ty) * width + blockIdx.x * kWidth + tx;
  block[ty][tx] = in[at];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < kSide; ++k) sum += matrix[ty * kSide + k] * block[k][tx];
  half[ty][tx] = sum;
  __syncthreads();
  sum = 0.0f;
#pragma unroll
  for (int k = 0; k < kSide; ++k) sum += half[ty][first + k] * matrix[column * kSide + k];
  out[at] = sum;
}
