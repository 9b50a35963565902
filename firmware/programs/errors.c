/* SPDX-License-Identifier: Apache-2.0 */
/* Each mistake gives its error, and the GPUs go on: stimuli/kernels/vecadd/vecadd.ptx. */
#include "tessera.h"

#define N 256

static unsigned unexpected;

static void expect(const char* what, gpu_error error, gpu_error expected) {
  printf("%s: %s\n", what, gpu_error_name(error));
  if (error == expected) return;
  printf("  expected %s\n", gpu_error_name(expected));
  ++unexpected;
}

int main(void) {
  gpu_kernel kernel = 0;
  expect("a launch before gpu_open()", gpu_launch(&(gpu_launch_info){0}), GPU_NOT_OPEN);
  GPU_CHECK(gpu_open());
  expect("no such kernel", gpu_load(&kernel, "nothing"), GPU_UNKNOWN_KERNEL);
  expect("a name at no address", gpu_load(&kernel, ""),
         GPU_SERVICES_ERROR(GPU_SERVICES_STATUS_BAD_ADDRESS));
  GPU_CHECK(gpu_load(&kernel, "vecadd"));
  device_pointer none;
  expect("too much memory", gpu_malloc(&none, 1UL << 50), GPU_NO_MEMORY);
  float *a, *b, *c;
  GPU_CHECK(gpu_malloc_managed((void**)&a, N * sizeof *a));
  GPU_CHECK(gpu_malloc_managed((void**)&b, N * sizeof *b));
  GPU_CHECK(gpu_malloc_managed((void**)&c, N * sizeof *c));
  expect("a copy in the other direction", gpu_memcpy(a, &kernel, 8, GPU_DEVICE_TO_HOST),
         GPU_BAD_ARGUMENT);
  for (unsigned i = 0; i < N; ++i) {
    a[i] = (float)i;
    b[i] = (float)(i + 1);
  }
  const uint32_t n = N;
  const gpu_argument arguments[] = {GPU_ARGUMENT(a), GPU_ARGUMENT(b), GPU_ARGUMENT(c),
                                    GPU_ARGUMENT(n)};
  const gpu_launch_info good = {
      .kernel = kernel, .grid = {1}, .block = {N}, .arguments = arguments, .count = 4};
  gpu_launch_info launch = good;
  launch.stream = 9;
  expect("no such stream", gpu_launch(&launch), GPU_BAD_ARGUMENT);
  launch = good;
  launch.kernel = 1000;
  GPU_CHECK(gpu_launch(&launch));
  expect("a handle of no kernel", gpu_stream_synchronize(0), GPU_COMMAND_ERROR_UNKNOWN_KERNEL);
  launch = good;
  launch.block.x = 1 << 20;
  GPU_CHECK(gpu_launch(&launch));
  GPU_CHECK(gpu_launch(&good)); /* is executed after the refused one */
  expect("too many threads", gpu_stream_synchronize(0), GPU_COMMAND_ERROR_REFUSED);
  unsigned wrong = 0;
  for (unsigned i = 0; i < N; ++i) wrong += c[i] != a[i] + b[i];
  printf("the launch after it: %u of %u wrong\n", wrong, N);
  unexpected += wrong;

  gpu_stream full;
  GPU_CHECK(gpu_stream_create(&full, GPU_STREAM_NO_WAIT));
  launch = good;
  launch.stream = full;
  launch.grid.x = 512; /* takes longer than the core takes to enqueue it */
  unsigned launches = 0;
  gpu_error error = GPU_SUCCESS;
  while (error == GPU_SUCCESS && launches < 1000) {
    error = gpu_launch(&launch);
    launches += error == GPU_SUCCESS;
  }
  expect("more launches than the ring holds", error, GPU_RING_FULL);
  if (launches < GPU_RING_PACKETS) ++unexpected;
  GPU_CHECK(gpu_stream_synchronize(full));

  /* The driver keeps its own count, so that only the command processor can notice. */
  gpu_queue_doorbell(0, gpu_queue_tail(0) + GPU_RING_PACKETS + 1);
  expect("a doorbell for more packets than the ring holds", gpu_device_synchronize(),
         GPU_COMMAND_ERROR_QUEUE_OVERFLOW);
  GPU_CHECK(gpu_launch(&good));
  GPU_CHECK(gpu_device_synchronize());
  const bool pending = read64(GPU_COMMAND_INTERRUPT_STATUS(0)) != 0 ||
                       read64(GPU_COMMAND_INTERRUPT_STATUS(1)) != 0 ||
                       read64(GPU_COMMAND_ERROR(0)) != 0;
  printf("interrupts and errors that nobody has acknowledged: %s\n", pending ? "some" : "none");
  unexpected += pending;
  printf("errors: %u unexpected\n", unexpected);
  return unexpected != 0;
}
