// SPDX-License-Identifier: Apache-2.0
// The first layers of AlexNet with the launches of Tango: one output map a CTA, one pixel a thread,
// straight from global memory. threadIdx.x is the row, so that a warp's lanes are rows apart.
//  * alexnet_first: 11 x 11 filters with stride 4 over an interleaved RGB image, bias, rectifier. A
//    map has more pixels than a CTA can have threads: four launches, each with a part of all maps.
//  * alexnet_pool: the maximum of 3 x 3 pixels with stride 2.
//  * alexnet_second: 5 x 5 filters over half of the maps, bias, rectifier. Taps beyond the maps'
//  ends
//    are left out.
#include "../cuda_device.h"

constexpr int kColours = 3;
constexpr int kFirst = 11;  // width of the first layer's filters
constexpr int kFirstStride = 4;
constexpr int kSecond = 5;
constexpr int kSecondBorder = kSecond / 2;

extern "C" __global__ void alexnet_first(const float* bias, const float* image,
                                         const float* weights, float* out, int width, int size,
                                         int first_row, int first_column) {
  const int map = blockIdx.x;
  const int row = first_row + threadIdx.x;
  const int column = first_column + threadIdx.y;
  const float* window = image + (row * width + column) * kFirstStride * kColours;
  const float* filter = weights + map * kColours * kFirst * kFirst;
  float sum = 0.0f;
  for (int i = 0; i < kFirst; ++i) {
    for (int j = 0; j < kFirst; ++j) {
      const float* pixel = window + (i * width + j) * kColours;
      const float* tap = filter + i * kFirst + j;
#pragma unroll
      for (int c = 0; c < kColours; ++c) sum += pixel[c] * tap[c * kFirst * kFirst];
    }
  }
  out[(map * size + row) * size + column] = fmaxf(sum + bias[map], 0.0f);
}

extern "C" __global__ void alexnet_pool(const float* in, float* out, int in_size) {
  const int size = blockDim.x;
  const int map = blockIdx.x;
  const int row = threadIdx.x;
  const int column = threadIdx.y;
  const float* window = in + (map * in_size + 2 * row) * in_size + 2 * column;
  float best = 0.0f;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) best = fmaxf(best, window[i * in_size + j]);
  }
  out[(map * size + row) * size + column] = best;
}

extern "C" __global__ void alexnet_second(const float* bias, const float* in, const float* weights,
                                          float* out, int channels) {
  const int size = blockDim.x;
  const int map = blockIdx.x;
  const int row = threadIdx.x;
  const int column = threadIdx.y;
  const int top = max(kSecondBorder - row, 0);
  const int bottom = min(size + kSecondBorder - row, kSecond);
  const int left = max(kSecondBorder - column, 0);
  const int right = min(size + kSecondBorder - column, kSecond);
  float sum = 0.0f;
  for (int c = 0; c < channels; ++c) {
    const float* window = in + (c * size + row - kSecondBorder) * size + column - kSecondBorder;
    const float* filter = weights + (map * channels + c) * kSecond * kSecond;
    for (int i = top; i < bottom; ++i) {
      for (int j = left; j < right; ++j) sum += window[i * size + j] * filter[i * kSecond + j];
    }
  }
  out[(map * size + row) * size + column] = fmaxf(sum + bias[map], 0.0f);
}
