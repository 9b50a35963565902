// SPDX-License-Identifier: Apache-2.0
// A fire module of SqueezeNet's kind: 1 x 1 filters squeeze the input maps into a few, 1 x 1 and 3
// x 3 filters expand these into the output maps' two halves. Direct convolutions with bias and
// rectifier; a CTA computes one map, one pixel a thread, and reads all maps of the layer before.
// Maps of the 3 x 3 filters' input have a border of zeros (pad 1), the others none (pad 0).
#include "../cuda_device.h"

extern "C" __global__ void fire_1x1(const float* __restrict__ in, const float* __restrict__ weights,
                                    const float* __restrict__ bias, float* __restrict__ out,
                                    int channels, int in_pad, int out_pad) {
  const int size = blockDim.x;
  const int map = blockIdx.x;
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int in_width = size + 2 * in_pad;
  const int out_width = size + 2 * out_pad;
  const float* pixel = in + (y + in_pad) * in_width + x + in_pad;
  float sum = bias[map];
  for (int c = 0; c < channels; ++c) {
    sum += pixel[c * in_width * in_width] * weights[map * channels + c];
  }
  out[(map * out_width + y + out_pad) * out_width + x + out_pad] = fmaxf(sum, 0.0f);
}

// Writes the maps from first_map on.
extern "C" __global__ void fire_3x3(const float* __restrict__ in, const float* __restrict__ weights,
                                    const float* __restrict__ bias, float* __restrict__ out,
                                    int channels, int first_map) {
  const int size = blockDim.x;
  const int map = blockIdx.x;
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int in_width = size + 2;
  float sum = bias[map];
  for (int c = 0; c < channels; ++c) {
    const float* window = in + (c * in_width + y) * in_width + x;
    const float* filter = weights + (map * channels + c) * 9;
#pragma unroll
    for (int i = 0; i < 3; ++i) {
#pragma unroll
      for (int j = 0; j < 3; ++j) sum += window[i * in_width + j] * filter[i * 3 + j];
    }
  }
  out[((first_map + map) * size + y) * size + x] = fmaxf(sum, 0.0f);
}
