// SPDX-License-Identifier: Apache-2.0
// Convolution with a mask that is no product of two vectors, one element a thread: each reads a
// window of the mask's size around its element and the whole mask. Beyond the image all is 0.
#include "../cuda_device.h"

extern "C" __global__ void simpleconvolution(const unsigned* __restrict__ in,
                                             const float* __restrict__ mask,
                                             unsigned* __restrict__ out, int width, int height,
                                             int side) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  const int x = at % width;
  const int y = at / width;
  const int left = x - side / 2;
  const int top = y - side / 2;
  const int first = max(0, -left);
  const int last = min(side, width - left);
  float sum = 0.0f;
  for (int r = max(0, -top); r < min(side, height - top); ++r) {
    for (int c = first; c < last; ++c) {
      sum += static_cast<float>(in[(top + r) * width + left + c]) * mask[r * side + c];
    }
  }
  out[at] = static_cast<unsigned>(sum);
}
