// SPDX-License-Identifier: Apache-2.0
// The first layers of ResNet with the launches of Tango: one map a CTA, a square of factor x factor
// pixels a thread, straight from global memory. threadIdx.x selects the rows, so that a warp's
// lanes are `factor` rows apart. Threads beyond the map's end idle.
//  * resnet_first: 7 x 7 filters with stride 2 over an interleaved RGB image with a border of 3.
//  * resnet_scale: a map times its scale plus its shift, in place; once with the statistics of the
//    batch normalisation, once with its learnt values.
//  * resnet_rectify, in place.
//  * resnet_pool: the maximum of 3 x 3 pixels with stride 2.
//  * resnet_1x1: 1 x 1 filters over all pooled maps: every CTA reads all of them.
#include "../cuda_device.h"

constexpr int kColours = 3;
constexpr int kFilter = 7;
constexpr int kBorder = kFilter / 2;

// Calls `f` with the row and column of each pixel of this thread.
template <class F>
__device__ __forceinline__ void own_pixels(int size, int factor, F f) {
  const int first_row = threadIdx.x * factor;
  const int first_column = threadIdx.y * factor;
  if (first_row >= size || first_column >= size) return;
  for (int row = first_row; row < first_row + factor; ++row) {
    for (int column = first_column; column < first_column + factor; ++column) f(row, column);
  }
}

extern "C" __global__ void resnet_first(const float* image, const float* weights, float* out,
                                        int width, int size, int factor) {
  const int map = blockIdx.x;
  const float* filter = weights + map * kColours * kFilter * kFilter;
  own_pixels(size, factor, [=](int row, int column) {
    const int top = 2 * row - kBorder;
    const int left = 2 * column - kBorder;
    float sum = 0.0f;
#pragma unroll 1  // within the registers of 1024 threads
    for (int i = max(-top, 0); i < min(width - top, kFilter); ++i) {
#pragma unroll 1
      for (int j = max(-left, 0); j < min(width - left, kFilter); ++j) {
        const float* pixel = image + ((top + i) * width + left + j) * kColours;
        const float* tap = filter + i * kFilter + j;
#pragma unroll
        for (int c = 0; c < kColours; ++c) sum += pixel[c] * tap[c * kFilter * kFilter];
      }
    }
    out[(map * size + row) * size + column] = sum;
  });
}

extern "C" __global__ void resnet_scale(float* maps, const float* scale, const float* shift,
                                        int size, int factor) {
  const int map = blockIdx.x;
  own_pixels(size, factor, [=](int row, int column) {
    const int at = (map * size + row) * size + column;
    maps[at] = maps[at] * scale[map] + shift[map];
  });
}

extern "C" __global__ void resnet_rectify(float* maps, int size, int factor) {
  const int map = blockIdx.x;
  own_pixels(size, factor, [=](int row, int column) {
    const int at = (map * size + row) * size + column;
    if (maps[at] < 0.0f) maps[at] = 0.0f;
  });
}

extern "C" __global__ void resnet_pool(const float* in, float* out, int size, int factor) {
  const int map = blockIdx.x;
  const int in_size = 2 * size;
  own_pixels(size, factor, [=](int row, int column) {
    float best = 0.0f;
    for (int i = 2 * row; i < min(2 * row + 3, in_size); ++i) {
      for (int j = 2 * column; j < min(2 * column + 3, in_size); ++j) {
        best = fmaxf(best, in[(map * in_size + i) * in_size + j]);
      }
    }
    out[(map * size + row) * size + column] = best;
  });
}

extern "C" __global__ void resnet_1x1(const float* in, const float* weights, float* out,
                                      int channels, int size, int factor) {
  const int map = blockIdx.x;
  own_pixels(size, factor, [=](int row, int column) {
    float sum = 0.0f;
    for (int c = 0; c < channels; ++c) {
      sum += in[(c * size + row) * size + column] * weights[map * channels + c];
    }
    out[(map * size + row) * size + column] = sum;
  });
}
