/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that reads outside of all allocations (stimuli/kernels/vecadd/vecadd.ptx) ends the GPUs'
   work. Nothing hangs: launches and events of all streams end with the error. The status is 3. */
#include "tessera.h"

#define N 256

static void show(const char* what, gpu_error error) {
  printf("%s: %s\n", what, gpu_error_name(error));
}

int main(void) {
  gpu_kernel kernel;
  gpu_stream other;
  gpu_event event;
  float* a;
  GPU_CHECK(gpu_open());
  GPU_CHECK(gpu_load(&kernel, "vecadd"));
  GPU_CHECK(gpu_stream_create(&other, 0));
  GPU_CHECK(gpu_event_create(&event));
  GPU_CHECK(gpu_malloc_managed((void**)&a, N * sizeof *a));
  for (unsigned i = 0; i < N; ++i) a[i] = 0;
  const float* const nowhere = (float*)(GPU_MEMORY_BASE + GPU_MEMORY_BYTES / 2);
  const uint32_t n = N;
  const gpu_argument bad[] = {GPU_ARGUMENT(nowhere), GPU_ARGUMENT(a), GPU_ARGUMENT(a),
                              GPU_ARGUMENT(n)};
  const gpu_argument good[] = {GPU_ARGUMENT(a), GPU_ARGUMENT(a), GPU_ARGUMENT(a), GPU_ARGUMENT(n)};
  gpu_launch_info launch = {
      .kernel = kernel, .grid = {1}, .block = {N}, .arguments = bad, .count = 4};
  GPU_CHECK(gpu_launch(&launch));
  /* The kernel can fail between two of these calls: they return the error then. */
  gpu_error error = gpu_event_record(event, 0);
  launch.stream = other;
  launch.arguments = good;
  if (error == GPU_SUCCESS) error = gpu_stream_wait_event(other, event);
  if (error == GPU_SUCCESS) error = gpu_launch(&launch);
  if (error != GPU_COMMAND_ERROR_KERNEL_FAILED) GPU_CHECK(error);
  show("the kernel", gpu_stream_synchronize(0));
  show("its event", gpu_event_synchronize(event));
  show("the stream that waits for it", gpu_stream_synchronize(other));
  show("a launch after it", gpu_launch(&launch));
  return 3;
}
