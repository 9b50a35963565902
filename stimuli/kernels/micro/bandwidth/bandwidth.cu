// SPDX-License-Identifier: Apache-2.0
// Bandwidth: each CTA reads, writes or copies its own part of an array, `passes` times, and times
// all passes but the first. Parts are contiguous, or interleaved by CTA. A thread has `unroll` vectors (1, 2 or
// 4) of 16 bytes in flight.
#include "../micro.h"

enum Mode { kRead = 0, kWrite = 1, kCopy = 2 };

// What a thread accesses: the vectors begin, begin + step, ... below end.
struct Part {
  const uint4* source;
  uint4* target;
  unsigned begin;
  unsigned end;
  unsigned step;
};

__device__ __forceinline__ Part part_of(const uint4* source, uint4* target, unsigned vectors,
                                        unsigned interleaved) {
  const unsigned cta = blockIdx.x;
  const unsigned threads = blockDim.x;
  const unsigned t = threadIdx.x;
  if (interleaved == 0) {
    return {source, target, cta * vectors + t, (cta + 1) * vectors, threads};
  }
  return {source, target, cta * threads + t, gridDim.x * vectors, gridDim.x * threads};
}

template <Load kLoad>
__device__ __forceinline__ uint4 load(const uint4* from) {
  uint4 v;
  if (kLoad == kThroughL1) {
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(from));
  } else {
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(from));
  }
  return v;
}

__device__ __forceinline__ void store(uint4* to, uint4 v) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(v.x), "r"(v.y), "r"(v.z),
               "r"(v.w)
               : "memory");
}

// kUnroll vectors from vector i on. Returns the sum of the first words that are read:
// more additions would bound the rate of loads from the L1.
template <Mode kMode, Load kLoad, int kUnroll>
__device__ __forceinline__ unsigned batch(const Part& part, unsigned i, unsigned pass) {
  unsigned sum = 0;
  uint4 v[kUnroll];
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    const unsigned at = i + u * part.step;
    const unsigned word = at + pass + 1;
    v[u] = kMode == kWrite ? uint4{word, word, word, word} : load<kLoad>(part.source + at);
  }
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    if (kMode == kRead) {
      sum += v[u].x;
    } else {
      store(part.target + (i + u * part.step), v[u]);
    }
  }
  return sum;
}

template <Mode kMode, Load kLoad, int kUnroll>
__device__ __forceinline__ unsigned walk(const Part& part, unsigned pass) {
  unsigned sum = 0;
  unsigned i = part.begin;
  for (; i + (kUnroll - 1) * part.step < part.end; i += kUnroll * part.step) {
    sum += batch<kMode, kLoad, kUnroll>(part, i, pass);
  }
  for (; i < part.end; i += part.step) sum += batch<kMode, kLoad, 1>(part, i, pass);
  return sum;
}

template <Mode kMode, Load kLoad>
__device__ __forceinline__ unsigned walk(const Part& part, unsigned pass, unsigned unroll) {
  if (unroll >= 4) return walk<kMode, kLoad, 4>(part, pass);
  if (unroll >= 2) return walk<kMode, kLoad, 2>(part, pass);
  return walk<kMode, kLoad, 1>(part, pass);
}

template <Mode kMode>
__device__ __forceinline__ void passes_of(const Part& part, unsigned passes, unsigned unroll,
                                          int load, unsigned* sums, uint64_t* cycles) {
  __shared__ unsigned sink[1024];
  unsigned sum = 0;
  uint64_t begin = 0;
  const unsigned warm = passes > 1 ? 1 : 0;
  for (unsigned pass = 0; pass < passes; ++pass) {
    if (pass == warm) {
      wait_for<unsigned>(sum, &sink[threadIdx.x]);
      __syncthreads();
      begin = clock_now();
    }
    sum = load == kThroughL1 ? walk<kMode, kThroughL1>(part, pass, unroll)
                             : walk<kMode, kBypassL1>(part, pass, unroll);
  }
  wait_for<unsigned>(sum, &sink[threadIdx.x]);
  // Stores have ended when they are visible.
  if (kMode != kRead) __threadfence();
  __syncthreads();
  const uint64_t end = clock_now();
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
  if (kMode == kRead) sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// One kernel a mode, so that each has the registers that it needs only.
extern "C" __global__ void read_parts(const uint4* source, unsigned* sums, uint64_t* cycles,
                                      unsigned vectors, unsigned interleaved, unsigned passes,
                                      unsigned unroll, int load) {
  const Part part = part_of(source, nullptr, vectors, interleaved);
  passes_of<kRead>(part, passes, unroll, load, sums, cycles);
}

extern "C" __global__ void write_parts(uint4* target, uint64_t* cycles, unsigned vectors,
                                       unsigned interleaved, unsigned passes, unsigned unroll) {
  const Part part = part_of(nullptr, target, vectors, interleaved);
  passes_of<kWrite>(part, passes, unroll, kThroughL1, nullptr, cycles);
}

extern "C" __global__ void copy_parts(const uint4* source, uint4* target, uint64_t* cycles,
                                      unsigned vectors, unsigned interleaved, unsigned passes,
                                      unsigned unroll, int load) {
  const Part part = part_of(source, target, vectors, interleaved);
  passes_of<kCopy>(part, passes, unroll, load, nullptr, cycles);
}
