// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the microbenchmarks share: the clock, the SM, loads of a chosen path.

#include "../cuda_device.h"

constexpr unsigned kWarpLanes = 32;

/// The SM's cycle. Reads and volatile accesses keep their order.
__device__ __forceinline__ uint64_t clock_now() {
  uint64_t cycle;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycle)::"memory");
  return cycle;
}

__device__ __forceinline__ unsigned this_sm() {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

/// A warp issues in order: the store waits for the value, and a clock read after it waits for the
/// store. `sink` is in shared memory.
template <class T>
__device__ __forceinline__ void wait_for(T value, volatile T* sink) {
  *sink = value;
}

/// `load` of the benchmarks' sizes. kAtomic adds 0 and returns the value.
enum Load { kThroughL1 = 0, kBypassL1 = 1, kAtomic = 2 };
