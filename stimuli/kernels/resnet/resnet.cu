// SPDX-License-Identifier: Apache-2.0
// A residual block of ResNet's kind: a direct 3 x 3 convolution, its normalisation with rectifier,
// a second convolution, and its normalisation with the block's input added. One pixel of one map a
// thread; the CTAs of all maps read all maps of the layer before. All maps have a border of one
// pixel, which nothing writes.
#include "../cuda_device.h"

struct Pixel {
  int map;
  int width;  // of a map with its border
  int at;     // index of the pixel
};

__device__ __forceinline__ Pixel own_pixel() {
  const int map = blockIdx.y;
  const int width = blockDim.x + 2;
  const int y = blockIdx.x * blockDim.y + threadIdx.y;
  return {map, width, (map * width + y + 1) * width + static_cast<int>(threadIdx.x) + 1};
}

extern "C" __global__ void resnet_convolution(const float* __restrict__ in,
                                              const float* __restrict__ weights,
                                              float* __restrict__ out, int channels) {
  const Pixel p = own_pixel();
  const int area = p.width * p.width;
  const float* window = in + p.at - p.map * area - p.width - 1;
  const float* filter = weights + p.map * channels * 9;
  float sum = 0.0f;
  for (int c = 0; c < channels; ++c) {
#pragma unroll
    for (int i = 0; i < 3; ++i) {
#pragma unroll
      for (int j = 0; j < 3; ++j) {
        sum += window[c * area + i * p.width + j] * filter[c * 9 + i * 3 + j];
      }
    }
  }
  out[p.at] = sum;
}

extern "C" __global__ void resnet_normalise(float* maps, const float* __restrict__ scale,
                                            const float* __restrict__ shift) {
  const Pixel p = own_pixel();
  maps[p.at] = fmaxf(maps[p.at] * scale[p.map] + shift[p.map], 0.0f);
}

extern "C" __global__ void resnet_add(const float* __restrict__ maps,
                                      const float* __restrict__ identity,
                                      const float* __restrict__ scale,
                                      const float* __restrict__ shift, float* __restrict__ out) {
  const Pixel p = own_pixel();
  out[p.at] = fmaxf(maps[p.at] * scale[p.map] + shift[p.map] + identity[p.at], 0.0f);
}
