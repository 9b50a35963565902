// SPDX-License-Identifier: Apache-2.0
// Bandwidth: each CTA reads, writes or copies its own piece of an array, `passes` times, and times
// the last pass. A thread has up to `unroll` vectors of 16 bytes in flight.
#include "../micro.h"

enum Mode { kRead = 0, kWrite = 1, kCopy = 2 };

struct Piece {
  const uint4* source;
  uint4* target;
  unsigned begin;  // vectors
  unsigned end;
};

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

// kUnroll vectors, `threads` apart. Returns the sum of the words that are read.
template <Mode kMode, Load kLoad, int kUnroll>
__device__ __forceinline__ unsigned batch(const Piece& piece, unsigned i, unsigned threads,
                                          unsigned pass) {
  unsigned sum = 0;
  uint4 v[kUnroll];
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    const unsigned at = i + u * threads;
    const unsigned word = at + pass + 1;
    v[u] = kMode == kWrite ? uint4{word, word, word, word} : load<kLoad>(piece.source + at);
  }
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    if (kMode == kRead) {
      sum += v[u].x + v[u].y + v[u].z + v[u].w;
    } else {
      store(piece.target + (i + u * threads), v[u]);
    }
  }
  return sum;
}

template <Mode kMode, Load kLoad, int kUnroll>
__device__ __forceinline__ unsigned walk(const Piece& piece, unsigned pass) {
  const unsigned threads = blockDim.x;
  unsigned sum = 0;
  unsigned i = piece.begin + threadIdx.x;
  for (; i + (kUnroll - 1) * threads < piece.end; i += kUnroll * threads) {
    sum += batch<kMode, kLoad, kUnroll>(piece, i, threads, pass);
  }
  for (; i < piece.end; i += threads) sum += batch<kMode, kLoad, 1>(piece, i, threads, pass);
  return sum;
}

template <Mode kMode, Load kLoad>
__device__ __forceinline__ unsigned walk(const Piece& piece, unsigned pass, unsigned unroll) {
  if (unroll >= 8) return walk<kMode, kLoad, 8>(piece, pass);
  if (unroll >= 4) return walk<kMode, kLoad, 4>(piece, pass);
  if (unroll >= 2) return walk<kMode, kLoad, 2>(piece, pass);
  return walk<kMode, kLoad, 1>(piece, pass);
}

template <Mode kMode>
__device__ __forceinline__ void passes_of(const Piece& piece, unsigned passes, unsigned unroll,
                                          int load, unsigned* sums, uint64_t* cycles) {
  __shared__ unsigned sink[1024];
  unsigned sum = 0;
  uint64_t begin = 0;
  for (unsigned pass = 0; pass < passes; ++pass) {
    __syncthreads();
    begin = clock_now();
    sum = load == kThroughL1 ? walk<kMode, kThroughL1>(piece, pass, unroll)
                             : walk<kMode, kBypassL1>(piece, pass, unroll);
    wait_for<unsigned>(sum, &sink[threadIdx.x]);
  }
  // Stores have ended when they are visible.
  if (kMode != kRead) __threadfence();
  __syncthreads();
  const uint64_t end = clock_now();
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
  if (kMode == kRead) sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void bandwidth(const uint4* source, uint4* target, unsigned* sums,
                                     uint64_t* cycles, unsigned vectors, unsigned passes,
                                     unsigned unroll, int mode, int load) {
  const Piece piece{source, target, blockIdx.x * vectors, (blockIdx.x + 1) * vectors};
  if (mode == kRead) {
    passes_of<kRead>(piece, passes, unroll, load, sums, cycles);
  } else if (mode == kWrite) {
    passes_of<kWrite>(piece, passes, unroll, kThroughL1, sums, cycles);
  } else {
    passes_of<kCopy>(piece, passes, unroll, load, sums, cycles);
  }
}
