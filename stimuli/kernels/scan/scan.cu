// SPDX-License-Identifier: Apache-2.0
// Running sums of a large array, each of the elements before it. A CTA of 256 threads sums a block
// of 512 elements in shared memory, up a tree and down again, and notes the block's sum; the sums
// are scanned in the same way; then scan_add adds to each block what those before it amount to.
#include "../cuda_device.h"

constexpr int kThreads = 256;
constexpr int kBlock = 2 * kThreads;

extern "C" __global__ void scan_block(const int* __restrict__ in, int* __restrict__ out,
                                      int* __restrict__ sums, int n) {
  __shared__ int s[kBlock];
  const int t = threadIdx.x;
  const int at = blockIdx.x * kBlock + 2 * t;
  s[2 * t] = at < n ? in[at] : 0;
  s[2 * t + 1] = at + 1 < n ? in[at + 1] : 0;
  int step = 1;
  for (int nodes = kThreads; nodes > 0; nodes /= 2) {
    __syncthreads();
    if (t < nodes) s[(2 * t + 2) * step - 1] += s[(2 * t + 1) * step - 1];
    step *= 2;
  }
  if (t == 0) {
    sums[blockIdx.x] = s[kBlock - 1];
    s[kBlock - 1] = 0;
  }
  for (int nodes = 1; nodes <= kThreads; nodes *= 2) {
    step /= 2;
    __syncthreads();
    if (t < nodes) {
      int* const left = &s[(2 * t + 1) * step - 1];
      int* const right = &s[(2 * t + 2) * step - 1];
      const int before = *right;
      *right = before + *left;
      *left = before;
    }
  }
  __syncthreads();
  if (at < n) out[at] = s[2 * t];
  if (at + 1 < n) out[at + 1] = s[2 * t + 1];
}

extern "C" __global__ void scan_add(int* out, const int* __restrict__ offsets, int n) {
  const int at = blockIdx.x * kBlock + threadIdx.x;
  const int offset = offsets[blockIdx.x];
  if (at < n) out[at] += offset;
  if (at + kThreads < n) out[at + kThreads] += offset;
}
