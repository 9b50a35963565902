// SPDX-License-Identifier: Apache-2.0
// The SM's clock: waits for a number of cycles, and notes cycles and nanoseconds.
#include <stdint.h>

extern "C" __global__ void wait_cycles(uint64_t* cycles, uint64_t* nanoseconds, uint64_t wanted) {
  uint64_t begin_ns;
  uint64_t end_ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin_ns)::"memory");
  const uint64_t begin = clock64();
  uint64_t now = begin;
  while (now - begin < wanted) now = clock64();
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end_ns)::"memory");
  *cycles = now - begin;
  *nanoseconds = end_ns - begin_ns;
}
