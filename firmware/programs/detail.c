/* SPDX-License-Identifier: Apache-2.0 */
/* The region of interest: with the command's --fast, the first kernel takes no time; software then
   asks for detail, and the second kernel is simulated with its time. Reads a statistic of the GPUs
   before and after. Kernel: stimuli/kernels/vecadd/vecadd.ptx. */
#include "tessera.h"

#define N 4096
#define COUNTER "system.gpu0.sm0.warp_instructions"

static float *a, *b, *c;

static uint64_t counter(void) {
  uint64_t value = 0;
  GPU_CHECK(gpu_statistic(COUNTER, &value));
  return value;
}

static unsigned add(gpu_kernel kernel, unsigned round) {
  const uint32_t n = N;
  for (unsigned i = 0; i < N; ++i) {
    a[i] = (float)(i + round);
    b[i] = (float)(2 * i);
  }
  const gpu_argument arguments[] = {GPU_ARGUMENT(a), GPU_ARGUMENT(b), GPU_ARGUMENT(c),
                                    GPU_ARGUMENT(n)};
  GPU_CHECK(gpu_launch(&(gpu_launch_info){
      .kernel = kernel, .grid = {N / 256}, .block = {256}, .arguments = arguments, .count = 4}));
  GPU_CHECK(gpu_stream_synchronize(0));
  unsigned wrong = 0;
  for (unsigned i = 0; i < N; ++i) wrong += c[i] != (float)(3 * i + round);
  return wrong;
}

int main(void) {
  gpu_kernel kernel;
  GPU_CHECK(gpu_open());
  GPU_CHECK(gpu_load(&kernel, "vecadd"));
  GPU_CHECK(gpu_malloc_managed((void**)&a, N * sizeof *a));
  GPU_CHECK(gpu_malloc_managed((void**)&b, N * sizeof *b));
  GPU_CHECK(gpu_malloc_managed((void**)&c, N * sizeof *c));
  unsigned wrong = add(kernel, 0);
  const uint64_t before = counter();
  GPU_CHECK(gpu_set_detail(true));
  wrong += add(kernel, 1);
  const uint64_t after = counter();
  printf("detail: %u of %u wrong; " COUNTER " %lu, then %lu\n", wrong, 2 * N, before, after);
  if (after <= before) fail("the kernel in detail has not counted");
  return wrong != 0;
}
