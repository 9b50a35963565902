// SPDX-License-Identifier: Apache-2.0
// Latency and bank conflicts of shared memory: each lane follows a ring of two pointers. The lanes'
// words are `stride` words apart, so that `stride` decides in how many banks they are.
#include "../micro.h"

__device__ __forceinline__ unsigned shared_address(const unsigned* p) {
  unsigned address;
  asm volatile("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }"
               : "=r"(address)
               : "l"(p));
  return address;
}

__device__ __forceinline__ unsigned follow(unsigned at, unsigned hops) {
  // Eight at a time, so that a loop of many warps is bound by the banks and not by the issue.
#pragma unroll 1
  for (; hops >= 8; hops -= 8) {
    asm volatile(
        "ld.shared.u32 %0, [%0]; ld.shared.u32 %0, [%0]; ld.shared.u32 %0, [%0]; "
        "ld.shared.u32 %0, [%0]; ld.shared.u32 %0, [%0]; ld.shared.u32 %0, [%0]; "
        "ld.shared.u32 %0, [%0]; ld.shared.u32 %0, [%0];"
        : "+r"(at)::"memory");
  }
#pragma unroll 1
  for (; hops > 0; --hops) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
  return at;
}

// All warps use the same words. The first `lanes` lanes of each warp work.
extern "C" __global__ void shared_chase(unsigned* last, uint64_t* cycles, uint64_t* spans,
                                        unsigned stride, unsigned lanes, unsigned hops) {
  __shared__ unsigned words[2 * kWarpLanes * kWarpLanes];
  __shared__ unsigned sink[1024];
  const unsigned lane = threadIdx.x % kWarpLanes;
  unsigned* const own = words + lane * stride;
  unsigned* const other = own + kWarpLanes * kWarpLanes;
  const unsigned begin_at = shared_address(own);
  if (threadIdx.x < kWarpLanes) {
    *own = shared_address(other);
    *other = begin_at;
  }
  __syncthreads();
  if (lane >= lanes) return;
  // Until the stores have left the banks.
  unsigned at = follow(begin_at, 2);
  wait_for<unsigned>(at, &sink[threadIdx.x]);
  __syncthreads();
  const uint64_t begin = clock_now();
  at = follow(at, hops);
  wait_for<unsigned>(at, &sink[threadIdx.x]);
  const uint64_t end = clock_now();
  __syncthreads();
  if (threadIdx.x == 0) spans[blockIdx.x] = clock_now() - begin;
  const unsigned chain =
      (blockIdx.x * (blockDim.x / kWarpLanes) + threadIdx.x / kWarpLanes) * lanes + lane;
  last[chain] = (at - shared_address(words)) / sizeof(unsigned);
  cycles[chain] = end - begin;
}
