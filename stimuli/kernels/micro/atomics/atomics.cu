// SPDX-License-Identifier: Apache-2.0
// Atomic additions: each thread adds 1 to `updates` words. Update u of thread t is of word
// (u * threads + t) / group % words, so that `group` consecutive threads share a word. Words are
// `stride` words apart.
#include "../micro.h"

struct Words {
  unsigned* counts;
  unsigned words;
  unsigned stride;
  unsigned group;

  __device__ __forceinline__ unsigned* of(unsigned update) const {
    return counts + update / group % words * stride;
  }
};

template <bool kReturns>
__device__ __forceinline__ void all_updates(const Words& words, unsigned updates,
                                            volatile unsigned* sink) {
  unsigned update = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (unsigned u = 0; u < updates; ++u) {
    unsigned* const at = words.of(update);
    unsigned old = 0;
    update += gridDim.x * blockDim.x;
    if (kReturns) {
      asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(at) : "memory");
    } else {
      asm volatile("red.global.add.u32 [%0], 1;" ::"l"(at) : "memory");
    }
    if (kReturns) wait_for(old, sink);
  }
}

// With `returns`, a thread waits for the old value before its next update.
extern "C" __global__ void atomics(unsigned* counts, uint64_t* cycles, unsigned words,
                                   unsigned stride, unsigned group, unsigned updates,
                                   unsigned returns) {
  __shared__ unsigned sink[1024];
  volatile unsigned* const own = &sink[threadIdx.x];
  const Words all{counts, words, stride, group};
  __syncthreads();
  const uint64_t begin = clock_now();
  if (returns != 0) {
    all_updates<true>(all, updates, own);
  } else {
    all_updates<false>(all, updates, own);
    // Updates without result have ended when they are visible.
    __threadfence();
  }
  __syncthreads();
  const uint64_t end = clock_now();
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
}
