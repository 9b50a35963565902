/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix product: stimuli/kernels/mm/mm.ptx. The core computes it too, with the kernel's order of
   operations, so that the results are equal. */
#include "tessera.h"

#define M 128
#define N 192
#define K 64
#define TILE 16

static float a[M * K], b[K * N], c[M * N];

static void fill(float* to, unsigned count, uint32_t seed) {
  for (unsigned i = 0; i < count; ++i) {
    seed = seed * 1664525 + 1013904223;
    to[i] = (float)(seed >> 8) / (1 << 23) - 1;
  }
}

int main(void) {
  fill(a, M * K, 1);
  fill(b, K * N, 2);
  gpu_kernel kernel;
  device_pointer da, db, dc;
  GPU_CHECK(gpu_open());
  GPU_CHECK(gpu_load(&kernel, "mm"));
  GPU_CHECK(gpu_malloc(&da, sizeof a));
  GPU_CHECK(gpu_malloc(&db, sizeof b));
  GPU_CHECK(gpu_malloc(&dc, sizeof c));
  GPU_CHECK(gpu_memcpy((void*)da, a, sizeof a, GPU_HOST_TO_DEVICE));
  GPU_CHECK(gpu_memcpy((void*)db, b, sizeof b, GPU_HOST_TO_DEVICE));
  const uint32_t n = N, k = K;
  const gpu_argument arguments[] = {GPU_ARGUMENT(da), GPU_ARGUMENT(db), GPU_ARGUMENT(dc),
                                    GPU_ARGUMENT(n), GPU_ARGUMENT(k)};
  GPU_CHECK(gpu_launch(&(gpu_launch_info){.kernel = kernel,
                                          .grid = {N / TILE, M / TILE},
                                          .block = {TILE, TILE},
                                          .arguments = arguments,
                                          .count = 5}));
  GPU_CHECK(gpu_stream_synchronize(0));
  GPU_CHECK(gpu_memcpy(c, (void*)dc, sizeof c, GPU_DEVICE_TO_HOST));
  unsigned wrong = 0;
  for (unsigned row = 0; row < M; ++row) {
    for (unsigned column = 0; column < N; ++column) {
      float sum = 0;
      for (unsigned i = 0; i < K; ++i) sum = __builtin_fmaf(a[row * K + i], b[i * N + column], sum);
      wrong += c[row * N + column] != sum;
    }
  }
  printf("mm: %u of %u wrong\n", wrong, M * N);
  return wrong != 0;
}
