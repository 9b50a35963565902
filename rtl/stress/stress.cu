// SPDX-License-Identifier: Apache-2.0
// Each line is read and written by the threads of many CTAs at once, a word or a byte each: misses
// merge, writes meet pending fetches, partly written lines are evicted and fetched again. Lines that
// a kernel has written are read from all partitions by the next; the ends of kernels in another
// stream drop these copies meanwhile.
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

// Each word is read by the threads of several CTAs, before and after fences.
__global__ void gather(unsigned* out, const unsigned* from, unsigned n, unsigned step) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned sum = out[i];
  for (unsigned k = 0; k < 4; ++k) {
    sum = sum * 31 + from[(i * step + k * 97) & (n - 1)];
    if ((threadIdx.x & 31) == 0 && (k & 1) == (blockIdx.x & 1)) __threadfence();
  }
  out[i] = sum;
}
