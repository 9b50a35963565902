// SPDX-License-Identifier: Apache-2.0
// Each line is read and written by the threads of many CTAs at once, a word or a byte each: misses
// merge, writes meet pending fetches, partly written lines are evicted and fetched again.
#include "cuda_device.h"

// `step` is odd, and `n` a power of two: each element belongs to one thread.
__global__ void words(unsigned* data, unsigned n, unsigned step, unsigned first) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned at = (i * step + first) & (n - 1);
  data[at] = data[at] * 2654435761u + at + 1;
}

__global__ void bytes(unsigned char* data, unsigned n, unsigned step, unsigned first) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned at = (i * step + first) & (n - 1);
  data[at] = (unsigned char)(data[at] * 5 + at + 1);
}

// Writes without a read before.
__global__ void store(unsigned char* data, unsigned n, unsigned step, unsigned first) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned at = (i * step + first) & (n - 1);
  data[at] = (unsigned char)(at * 7 + first);
}

__global__ void sums(unsigned* data, const unsigned* from, unsigned n, unsigned step) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(&data[i & 63], from[(i * step) & (n - 1)]);
}
