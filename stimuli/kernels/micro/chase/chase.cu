// SPDX-License-Identifier: Apache-2.0
// Chains of pointers. `build` links the elements of an array into rings, `chase` follows the rings:
// each hop loads the address of the next one, so that the cycles of a hop are the latency of a load.
// `spans` has the cycles from the common begin of a CTA's chains to the end of the slowest one.
#include "../micro.h"

// The array: `count` elements, `stride` bytes apart, from byte `offset` on. Element i of the walk is
// at place order[i], or at place i. The walk is cut into `rings` pieces, each of which is a ring.
struct Walk {
  uint64_t base;  // address of the first element
  const unsigned* order;
  unsigned random;
  unsigned count;
  unsigned rings;
  unsigned stride;

  __device__ __forceinline__ unsigned begin(unsigned ring) const {
    return static_cast<unsigned>(uint64_t{ring} * count / rings);
  }
  __device__ __forceinline__ uint64_t address(unsigned i) const {
    return base + uint64_t{random != 0 ? order[i] : i} * stride;
  }
};

extern "C" __global__ void build(char* memory, const unsigned* order, unsigned offset,
                                 unsigned random, unsigned count, unsigned rings,
                                 unsigned stride) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Walk walk{reinterpret_cast<uint64_t>(memory) + offset, order, random, count, rings, stride};
  const auto ring = static_cast<unsigned>(((uint64_t{i} + 1) * rings - 1) / count);
  const unsigned next = i + 1 == walk.begin(ring + 1) ? walk.begin(ring) : i + 1;
  *reinterpret_cast<uint64_t*>(walk.address(i)) = walk.address(next);
}

template <Load kLoad>
__device__ __forceinline__ uint64_t follow(uint64_t at, unsigned hops) {
#pragma unroll 1
  for (unsigned hop = 0; hop < hops; ++hop) {
    if (kLoad == kThroughL1) {
      asm volatile("ld.global.u64 %0, [%0];" : "+l"(at)::"memory");
    } else if (kLoad == kAtomic) {
      asm volatile("atom.global.add.u64 %0, [%0], 0;" : "+l"(at)::"memory");
    } else {
      asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
    }
  }
  return at;
}

struct Timed {
  uint64_t at;
  uint64_t begin;
  uint64_t end;
};

template <Load kLoad>
__device__ __forceinline__ Timed timed(uint64_t at, unsigned warm_hops, unsigned hops,
                                       volatile uint64_t* sink) {
  at = follow<kLoad>(at, warm_hops);
  wait_for(at, sink);
  __syncthreads();
  const uint64_t begin = clock_now();
  at = follow<kLoad>(at, hops);
  wait_for(at, sink);
  return {at, begin, clock_now()};
}

// The first `lanes` lanes of each warp have a chain each. With `sm` >= 0, only CTAs on this SM work,
// of which the first `ctas` ones do; otherwise the first `ctas` CTAs of the grid.
extern "C" __global__ void chase(char* memory, const unsigned* order, unsigned* last,
                                 uint64_t* cycles, uint64_t* spans, unsigned* claims,
                                 unsigned offset, unsigned random, unsigned count, unsigned rings,
                                 unsigned stride, unsigned warm_hops, unsigned hops, int load,
                                 unsigned ctas, unsigned lanes, int sm) {
  // Volatile, because clang moves reads of a plain variable before the barrier.
  volatile __shared__ unsigned claimed;
  __shared__ uint64_t sink[1024];
  if (sm >= 0 && this_sm() != static_cast<unsigned>(sm)) return;
  if (threadIdx.x == 0) claimed = sm >= 0 ? atomicAdd(claims, 1u) : blockIdx.x;
  __syncthreads();
  const unsigned cta = claimed;
  const unsigned lane = threadIdx.x % kWarpLanes;
  if (cta >= ctas || lane >= lanes) return;
  const unsigned warp = cta * (blockDim.x / kWarpLanes) + threadIdx.x / kWarpLanes;
  const unsigned chain = warp * lanes + lane;
  const Walk walk{reinterpret_cast<uint64_t>(memory) + offset, order, random, count, rings, stride};
  const uint64_t at = walk.address(walk.begin(chain % rings));
  volatile uint64_t* const own = &sink[threadIdx.x];
  const Timed t = load == kAtomic     ? timed<kAtomic>(at, warm_hops, hops, own)
                  : load == kBypassL1 ? timed<kBypassL1>(at, warm_hops, hops, own)
                                      : timed<kThroughL1>(at, warm_hops, hops, own);
  last[chain] = static_cast<unsigned>((t.at - walk.base) / stride);
  cycles[chain] = t.end - t.begin;
  __syncthreads();
  if (threadIdx.x == 0) spans[cta] = clock_now() - t.begin;
}
