// SPDX-License-Identifier: Apache-2.0
// The first layers of SqueezeNet with the launches of Tango: one column of all maps a CTA, one row
// a thread, so that a warp's lanes are rows apart and every CTA touches all lines of its input.
// Each thread computes its pixel of all output maps in turn. Weights and maps are doubles.
//  * squeezenet_first: 7 x 7 filters with stride 2 over the image's three colour planes, rectifier.
//  * squeezenet_pool: the maximum of 3 x 3 pixels with stride 2; only threads and CTAs at odd
//  pixels,
//    the windows' centres, work.
//  * squeezenet_squeeze: 1 x 1 filters over all pooled maps, rectifier.
#include "../cuda_device.h"

constexpr int kFilter = 7;
constexpr int kTaps = kFilter * kFilter;

__device__ __forceinline__ double rectified(double v) { return v < 0.0 ? 0.0 : v; }

extern "C" __global__ void squeezenet_first(const double* weights, const int* red, const int* green,
                                            const int* blue, double* out, int maps, int width) {
  const int size = blockDim.x;
  const int row = threadIdx.x;
  const int column = blockIdx.x;
  const int begin = 2 * row * width + 2 * column;
  for (int map = 0; map < maps; ++map) {
    const double* filter = weights + map * 3 * kTaps;
    double sum = 0.0;
    for (int i = 0; i < kFilter; ++i) {
      for (int j = 0; j < kFilter; ++j) {
        const int at = begin + i * width + j;
        const double* tap = filter + i * kFilter + j;
        sum += red[at] * tap[0];
        sum += green[at] * tap[kTaps];
        sum += blue[at] * tap[2 * kTaps];
      }
    }
    out[(map * size + row) * size + column] = rectified(sum);
  }
}

extern "C" __global__ void squeezenet_pool(const double* in, double* out, int maps) {
  const int in_size = blockDim.x;
  const int size = (in_size - 1) / 2;
  const int row = threadIdx.x;
  const int column = blockIdx.x;
  if (row % 2 == 0 || column % 2 == 0) return;
  for (int map = 0; map < maps; ++map) {
    double best = 0.0;
    for (int i = row - 1; i <= row + 1; ++i) {
      for (int j = column - 1; j <= column + 1; ++j) {
        const double v = in[(map * in_size + i) * in_size + j];
        if (v > best) best = v;
      }
    }
    out[(map * size + row / 2) * size + column / 2] = best;
  }
}

extern "C" __global__ void squeezenet_squeeze(const double* weights, const double* in, double* out,
                                              int channels, int maps) {
  const int size = blockDim.x;
  const int row = threadIdx.x;
  const int column = blockIdx.x;
  for (int map = 0; map < maps; ++map) {
    double sum = 0.0;
    for (int c = 0; c < channels; ++c) {
      sum += in[(c * size + row) * size + column] * weights[map * channels + c];
    }
    out[(map * size + row) * size + column] = rectified(sum);
  }
}
