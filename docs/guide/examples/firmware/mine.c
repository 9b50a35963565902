/* SPDX-License-Identifier: Apache-2.0 */
/* y = 3 x + y on the GPUs, with the suite's saxpy. */
#include "tessera.h"

#define N 1000

int main(void) {
  gpu_kernel kernel;
  float *x, *y;
  GPU_CHECK(gpu_open());
  GPU_CHECK(gpu_load(&kernel, "saxpy"));
  GPU_CHECK(gpu_malloc_managed((void**)&x, N * sizeof *x));
  GPU_CHECK(gpu_malloc_managed((void**)&y, N * sizeof *y));
  for (unsigned i = 0; i < N; ++i) {
    x[i] = (float)i;
    y[i] = 1;
  }
  const float alpha = 3;
  const uint32_t n = N;
  const gpu_argument arguments[] = {GPU_ARGUMENT(alpha), GPU_ARGUMENT(x), GPU_ARGUMENT(y),
                                    GPU_ARGUMENT(n)};
  GPU_CHECK(gpu_launch(&(gpu_launch_info){.kernel = kernel,
                                          .grid = {(N + 255) / 256},
                                          .block = {256},
                                          .arguments = arguments,
                                          .count = 4}));
  GPU_CHECK(gpu_stream_synchronize(0));
  unsigned wrong = 0;
  for (unsigned i = 0; i < N; ++i) wrong += y[i] != (float)(3 * i + 1);
  printf("mine: %u of %u wrong\n", wrong, N);
  return wrong != 0;
}
