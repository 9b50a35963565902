// SPDX-License-Identifier: Apache-2.0
// Sobel filter of an image with four bytes a pixel, one pixel a thread: half the gradient's length
// of each byte, from the eight pixels around it. The image's rim is not written.
#include "../cuda_device.h"

__device__ __forceinline__ unsigned char length(int x, int y) {
  return static_cast<unsigned char>(fminf(0.5f * sqrtf(static_cast<float>(x * x + y * y)), 255.0f));
}

extern "C" __global__ void sobel(const uchar4* __restrict__ in, uchar4* __restrict__ out, int width,
                                 int height) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  const int x = at % width;
  const int y = at / width;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const uchar4 nw = in[at - width - 1];
  const uchar4 n = in[at - width];
  const uchar4 ne = in[at - width + 1];
  const uchar4 w = in[at - 1];
  const uchar4 e = in[at + 1];
  const uchar4 sw = in[at + width - 1];
  const uchar4 s = in[at + width];
  const uchar4 se = in[at + width + 1];
  uchar4 v;
  v.x = length(nw.x + 2 * w.x + sw.x - ne.x - 2 * e.x - se.x,
               nw.x + 2 * n.x + ne.x - sw.x - 2 * s.x - se.x);
  v.y = length(nw.y + 2 * w.y + sw.y - ne.y - 2 * e.y - se.y,
               nw.y + 2 * n.y + ne.y - sw.y - 2 * s.y - se.y);
  v.z = length(nw.z + 2 * w.z + sw.z - ne.z - 2 * e.z - se.z,
               nw.z + 2 * n.z + ne.z - sw.z - 2 * s.z - se.z);
  v.w = length(nw.w + 2 * w.w + sw.w - ne.w - 2 * e.w - se.w,
               nw.w + 2 * n.w + ne.w - sw.w - 2 * s.w - se.w);
  out[at] = v;
}
