/* SPDX-License-Identifier: Apache-2.0 */
/* All harts (--harts) use the runtime at the same time, each with a stream, a kernel and vectors of
   its own: even harts stimuli/kernels/vecadd/vecadd.ptx, odd ones stimuli/kernels/saxpy/saxpy.ptx.
 */
#include "tessera.h"

#define N 1024
#define ROUNDS 20

static lock results;
static volatile uint32_t ended;
static uint32_t wrong_sum;

/* y = 2 x + y ROUNDS times, or y = x + y. */
static unsigned work(uint32_t hart) {
  float *x, *y;
  gpu_stream stream;
  gpu_kernel kernel;
  const bool odd = hart % 2 != 0;
  GPU_CHECK(gpu_open());
  /* Odd harts get no interrupts of the GPUs: those that do wake them. */
  if (odd) write32(PLIC_ENABLE(2 * hart, GPU_COMMAND_SOURCE / 32), 0);
  GPU_CHECK(gpu_stream_create(&stream, 0));
  GPU_CHECK(gpu_load(&kernel, odd ? "saxpy" : "vecadd"));
  GPU_CHECK(gpu_malloc_managed((void**)&x, N * sizeof(float)));
  GPU_CHECK(gpu_malloc_managed((void**)&y, N * sizeof(float)));
  for (unsigned i = 0; i < N; ++i) {
    x[i] = (float)(i + hart);
    y[i] = 1;
  }
  const float alpha = 2;
  const uint32_t n = N;
  const gpu_argument saxpy[] = {GPU_ARGUMENT(alpha), GPU_ARGUMENT(x), GPU_ARGUMENT(y),
                                GPU_ARGUMENT(n)};
  const gpu_argument vecadd[] = {GPU_ARGUMENT(x), GPU_ARGUMENT(y), GPU_ARGUMENT(y),
                                 GPU_ARGUMENT(n)};
  const gpu_launch_info launch = {.kernel = kernel,
                                  .grid = {N / 256},
                                  .block = {256},
                                  .stream = stream,
                                  .arguments = odd ? saxpy : vecadd,
                                  .count = 4};
  for (unsigned r = 0; r < ROUNDS; ++r) {
    GPU_CHECK(gpu_launch(&launch));
    if (r % 4 == 0) GPU_CHECK(gpu_stream_synchronize(stream));
  }
  GPU_CHECK(gpu_stream_synchronize(stream));
  unsigned wrong = 0;
  for (unsigned i = 0; i < N; ++i) {
    wrong += y[i] != (float)(1 + (odd ? 2 : 1) * ROUNDS * (i + hart));
  }
  printf("hart %u: %u of %u wrong\n", hart, wrong, N);
  return wrong;
}

static void take_part(uint32_t hart) {
  const unsigned wrong = work(hart);
  const uint64_t interrupts = lock_take(&results);
  wrong_sum += wrong;
  ++ended;
  lock_release(&results, interrupts);
}

void hart_main(uint32_t hart);
void hart_main(uint32_t hart) { take_part(hart); }

int main(void) {
  const uint32_t harts = device_tree_harts();
  take_part(0);
  while (ended != harts) {
  }
  fence();
  printf("harts: %u harts, %u wrong\n", harts, wrong_sum);
  return wrong_sum != 0;
}
