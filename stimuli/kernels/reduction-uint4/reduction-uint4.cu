// SPDX-License-Identifier: Apache-2.0
// partial[b] = sum of the vectors of `in` that CTA b owns, element by element: two vectors side by
// side a thread, then a tree in shared memory, as in the sample of the AMD APP SDK. The host adds
// up the CTAs' sums.
#include "../cuda_device.h"

constexpr int kThreads = 256;

__device__ __forceinline__ uint4 operator+(const uint4& a, const uint4& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

extern "C" __global__ void reduction_uint4(const uint4* __restrict__ in,
                                           uint4* __restrict__ partial) {
  __shared__ uint4 sums[kThreads];
  const int t = threadIdx.x;
  const int at = 2 * (blockIdx.x * kThreads + t);
  sums[t] = in[at] + in[at + 1];
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half >>= 1) {
    if (t < half) sums[t] = sums[t] + sums[t + half];
    __syncthreads();
  }
  if (t == 0) partial[blockIdx.x] = sums[0];
}
