/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of byte values, with atomics: stimuli/kernels/histogram/histogram.ptx. */
#include "tessera.h"

#define BYTES 131072
#define BINS 256
#define CTAS 32

static uint32_t expected[BINS];

int main(void) {
  unsigned char* data;
  uint32_t* bins;
  gpu_kernel kernel;
  GPU_CHECK(gpu_open());
  GPU_CHECK(gpu_load(&kernel, "histogram"));
  GPU_CHECK(gpu_malloc_managed((void**)&data, BYTES));
  GPU_CHECK(gpu_malloc_managed((void**)&bins, sizeof expected));
  uint32_t seed = 1;
  for (unsigned i = 0; i < BYTES; ++i) {
    seed = seed * 1664525 + 1013904223;
    data[i] = (unsigned char)((seed >> 24) & (seed >> 16)); /* small values more often */
    ++expected[data[i]];
  }
  GPU_CHECK(gpu_memset((device_pointer)bins, 0, sizeof expected));
  const uint32_t words = BYTES / 4;
  const gpu_argument arguments[] = {GPU_ARGUMENT(data), GPU_ARGUMENT(bins), GPU_ARGUMENT(words)};
  GPU_CHECK(gpu_launch(&(gpu_launch_info){
      .kernel = kernel, .grid = {CTAS}, .block = {256}, .arguments = arguments, .count = 3}));
  GPU_CHECK(gpu_stream_synchronize(0));
  unsigned wrong = 0;
  for (unsigned b = 0; b < BINS; ++b) wrong += bins[b] != expected[b];
  printf("histogram: %u of %u wrong\n", wrong, BINS);
  return wrong != 0;
}
