/* SPDX-License-Identifier: Apache-2.0 */
/* Two kernels in two streams, of which each consumes what the other has produced: transpose of one
   stream, vecadd of the other (stimuli/kernels/transpose/transpose.ptx, vecadd/vecadd.ptx). On a
   platform of several GPUs each GPU executes a part of each kernel's CTAs. Pages are placed by the
   platform's policy; the transpose reads the rows that other GPUs have written. */
#include "tessera.h"

#define SIDE 128
#define N (SIDE * SIDE)
#define ROUNDS 4

static float expected[N], turned[N];

static void launch(gpu_kernel kernel, gpu_stream stream, dim3 grid, dim3 block,
                   const gpu_argument* arguments) {
  GPU_CHECK(gpu_launch(&(gpu_launch_info){.kernel = kernel,
                                          .grid = grid,
                                          .block = block,
                                          .stream = stream,
                                          .arguments = arguments,
                                          .count = 4}));
}

int main(void) {
  gpu_kernel transpose, vecadd;
  gpu_stream ping, pong;
  gpu_event produced, consumed;
  float *a, *b, *step;
  GPU_CHECK(gpu_open());
  GPU_CHECK(gpu_load(&transpose, "transpose"));
  GPU_CHECK(gpu_load(&vecadd, "vecadd"));
  GPU_CHECK(gpu_stream_create(&ping, 0));
  GPU_CHECK(gpu_stream_create(&pong, 0));
  GPU_CHECK(gpu_event_create(&produced));
  GPU_CHECK(gpu_event_create(&consumed));
  GPU_CHECK(gpu_malloc_managed((void**)&a, N * sizeof(float)));
  GPU_CHECK(gpu_malloc_managed((void**)&b, N * sizeof(float)));
  GPU_CHECK(gpu_malloc_managed((void**)&step, N * sizeof(float)));
  for (unsigned i = 0; i < N; ++i) {
    expected[i] = a[i] = (float)(3 * i);
    step[i] = (float)(i % 7);
  }
  const uint32_t side = SIDE, n = N;
  const gpu_argument turn[] = {GPU_ARGUMENT(a), GPU_ARGUMENT(b), GPU_ARGUMENT(side),
                               GPU_ARGUMENT(side)};
  const gpu_argument add[] = {GPU_ARGUMENT(b), GPU_ARGUMENT(step), GPU_ARGUMENT(a),
                              GPU_ARGUMENT(n)};
  for (unsigned r = 0; r < ROUNDS; ++r) {
    if (r != 0) GPU_CHECK(gpu_stream_wait_event(ping, consumed));
    launch(transpose, ping, (dim3){SIDE / 16, SIDE / 16, 1}, (dim3){16, 16, 1}, turn);
    GPU_CHECK(gpu_event_record(produced, ping));
    GPU_CHECK(gpu_stream_wait_event(pong, produced));
    launch(vecadd, pong, (dim3){N / 256, 1, 1}, (dim3){256, 1, 1}, add);
    GPU_CHECK(gpu_event_record(consumed, pong));
  }
  for (unsigned r = 0; r < ROUNDS; ++r) {
    for (unsigned i = 0; i < N; ++i) turned[i % SIDE * SIDE + i / SIDE] = expected[i];
    for (unsigned i = 0; i < N; ++i) expected[i] = turned[i] + (float)(i % 7);
  }
  GPU_CHECK(gpu_device_synchronize());
  unsigned wrong = 0;
  for (unsigned i = 0; i < N; ++i) wrong += a[i] != expected[i];
  printf("peers: %u of %u wrong\n", wrong, N);
  return wrong != 0;
}
