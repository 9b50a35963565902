/* SPDX-License-Identifier: Apache-2.0 */
/* A producer and a consumer through coherent memory, without a copy: the core writes a block while
   the GPUs work on the one before, and reads each result where the GPUs have left it. Two blocks in
   turn. Kernel: stimuli/kernels/saxpy/saxpy.ptx (y = a x + y). */
#include "tessera.h"

#define N 2048
#define ROUNDS 6

static float factor(unsigned round) { return (float)(round + 1); }

static void produce(float* x, float* y, unsigned round) {
  for (unsigned i = 0; i < N; ++i) {
    x[i] = (float)(i + round);
    y[i] = (float)(i % 16);
  }
}

static unsigned consume(const float* y, unsigned round) {
  unsigned wrong = 0;
  for (unsigned i = 0; i < N; ++i) {
    wrong += y[i] != factor(round) * (float)(i + round) + (float)(i % 16);
  }
  return wrong;
}

int main(void) {
  gpu_kernel kernel;
  gpu_stream streams[2];
  float *x[2], *y[2];
  unsigned wrong = 0;
  GPU_CHECK(gpu_open());
  GPU_CHECK(gpu_load(&kernel, "saxpy"));
  for (unsigned s = 0; s < 2; ++s) {
    GPU_CHECK(gpu_stream_create(&streams[s], 0));
    GPU_CHECK(gpu_malloc_managed((void**)&x[s], N * sizeof(float)));
    GPU_CHECK(gpu_malloc_managed((void**)&y[s], N * sizeof(float)));
  }
  for (unsigned r = 0; r < ROUNDS + 2; ++r) {
    const unsigned s = r % 2;
    if (r >= 2) {
      GPU_CHECK(gpu_stream_synchronize(streams[s]));
      wrong += consume(y[s], r - 2);
    }
    if (r >= ROUNDS) continue;
    produce(x[s], y[s], r);
    const uint32_t n = N;
    const float a = factor(r);
    const gpu_argument arguments[] = {GPU_ARGUMENT(a), GPU_ARGUMENT(x[s]), GPU_ARGUMENT(y[s]),
                                      GPU_ARGUMENT(n)};
    GPU_CHECK(gpu_launch(&(gpu_launch_info){.kernel = kernel,
                                            .grid = {N / 256},
                                            .block = {256},
                                            .stream = streams[s],
                                            .arguments = arguments,
                                            .count = 4}));
  }
  printf("producer: %u of %u wrong\n", wrong, ROUNDS * N);
  return wrong != 0;
}
