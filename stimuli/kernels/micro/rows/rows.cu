// SPDX-License-Identifier: Apache-2.0
// Row locality of DRAM: all lines of an array are read once, in the order of a walk by columns: lines
// that follow each other are `stride` bytes apart. A thread reads one word of a line.
#include "../micro.h"

extern "C" __global__ void rows(const char* memory, unsigned* sums, uint64_t* cycles,
                                unsigned lines, unsigned stride, unsigned line_bytes,
                                unsigned column_lines) {
  __shared__ unsigned sink[1024];
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  __syncthreads();
  const uint64_t begin = clock_now();
#pragma unroll 1
  for (unsigned i = thread; i < lines; i += gridDim.x * blockDim.x) {
    const uint64_t at =
        uint64_t{i % column_lines} * stride + uint64_t{i / column_lines} * line_bytes;
    unsigned word;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(memory + at));
    sum += word;
  }
  wait_for<unsigned>(sum, &sink[threadIdx.x]);
  __syncthreads();
  const uint64_t end = clock_now();
  sums[thread] = sum;
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
}
