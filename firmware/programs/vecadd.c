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
  gpu_open();
  const gpu_kernel kernel = gpu_load("vecadd");
  const device_pointer da = gpu_malloc(sizeof a);
  const device_pointer db = gpu_malloc(sizeof b);
  const device_pointer dc = gpu_malloc(sizeof c);
  gpu_write(da, a, sizeof a);
  gpu_write(db, b, sizeof b);
  const uint32_t n = N;
  const gpu_argument arguments[] = {GPU_ARGUMENT(da), GPU_ARGUMENT(db), GPU_ARGUMENT(dc),
                                    GPU_ARGUMENT(n)};
  gpu_wait(gpu_launch(kernel, (dim3){N / 256, 1, 1}, (dim3){256, 1, 1}, arguments, 4));
  gpu_read(c, dc, sizeof c);
  unsigned wrong = 0;
  for (unsigned i = 0; i < N; ++i) wrong += c[i] != a[i] + b[i];
  put_text("vecadd: ");
  put_number(wrong);
  put_text(" of 4096 wrong\n");
  return wrong != 0;
}
