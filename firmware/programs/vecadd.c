/* SPDX-License-Identifier: Apache-2.0 */
/* Adds two vectors on the GPUs: stimuli/kernels/vecadd/vecadd.ptx. */
#include "tessera.h"

#define N 4096

static float a[N], b[N], c[N];

int main(void) {
  for (unsigned i = 0; i < N; ++i) {
    a[i] = (float)i;
    b[i] = (float)(2 * i + 1);
  }
  gpu_kernel kernel;
  device_pointer da, db, dc;
  GPU_CHECK(gpu_open());
  GPU_CHECK(gpu_load(&kernel, "vecadd"));
  GPU_CHECK(gpu_malloc(&da, sizeof a));
  GPU_CHECK(gpu_malloc(&db, sizeof b));
  GPU_CHECK(gpu_malloc(&dc, sizeof c));
  GPU_CHECK(gpu_memcpy((void*)da, a, sizeof a, GPU_HOST_TO_DEVICE));
  GPU_CHECK(gpu_memcpy((void*)db, b, sizeof b, GPU_HOST_TO_DEVICE));
  const uint32_t n = N;
  const gpu_argument arguments[] = {GPU_ARGUMENT(da), GPU_ARGUMENT(db), GPU_ARGUMENT(dc),
                                    GPU_ARGUMENT(n)};
  GPU_CHECK(gpu_launch(&(gpu_launch_info){
      .kernel = kernel, .grid = {N / 256}, .block = {256}, .arguments = arguments, .count = 4}));
  GPU_CHECK(gpu_stream_synchronize(0));
  GPU_CHECK(gpu_memcpy(c, (void*)dc, sizeof c, GPU_DEVICE_TO_HOST));
  unsigned wrong = 0;
  for (unsigned i = 0; i < N; ++i) wrong += c[i] != a[i] + b[i];
  printf("vecadd: %u of %u wrong\n", wrong, N);
  return wrong != 0;
}
