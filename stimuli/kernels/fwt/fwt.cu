// SPDX-License-Identifier: Apache-2.0
// Fast Walsh-Hadamard transform in place, four elements a thread: one launch for each pair of
// butterfly levels at a large stride, then one that does all levels within 1024 elements in shared
// memory. The number of elements is a power of four times 1024.
#include "../cuda_device.h"

constexpr int kBlock = 1024;  // elements of a CTA of the last launch

// Two levels of butterflies at once: partners are two strides apart, then one.
__device__ __forceinline__ void two_levels(float& v0, float& v1, float& v2, float& v3) {
  const float a = v0 + v2;
  const float b = v1 + v3;
  const float c = v0 - v2;
  const float d = v1 - v3;
  v0 = a + b;
  v1 = a - b;
  v2 = c + d;
  v3 = c - d;
}

// The pass's elements are n / 4^(pass + 1) apart.
extern "C" __global__ void fwt_pass(float* data, int n, int pass) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int stride = n >> (2 * pass + 2);
  float* at = data + ((thread & ~(stride - 1)) << 2) + (thread & (stride - 1));
  float v0 = at[0];
  float v1 = at[stride];
  float v2 = at[2 * stride];
  float v3 = at[3 * stride];
  two_levels(v0, v1, v2, v3);
  at[0] = v0;
  at[stride] = v1;
  at[2 * stride] = v2;
  at[3 * stride] = v3;
}

extern "C" __global__ void fwt_block(float* data) {
  __shared__ float s[kBlock];
  const int t = threadIdx.x;
  float* from = data + blockIdx.x * kBlock;
  for (int k = 0; k < 4; ++k) s[k * (kBlock / 4) + t] = from[k * (kBlock / 4) + t];
  for (int stride = kBlock / 4; stride > 0; stride >>= 2) {
    __syncthreads();
    float* at = s + ((t & ~(stride - 1)) << 2) + (t & (stride - 1));
    two_levels(at[0], at[stride], at[2 * stride], at[3 * stride]);
  }
  __syncthreads();
  for (int k = 0; k < 4; ++k) from[k * (kBlock / 4) + t] = s[k * (kBlock / 4) + t];
}
