// SPDX-License-Identifier: Apache-2.0
// A convolution layer of AlexNet's kind, direct: 5 x 5 filters over all input maps, with bias and
// rectifier. A CTA computes one output map, one pixel a thread; it shares its filters among its
// threads, and all input maps with all other CTAs. Input maps are wider and higher by the filter's
// border of two at each end.
#include "../cuda_device.h"

constexpr int kFilter = 5;

extern "C" __global__ void alexnet_convolution(const float* __restrict__ in,
                                               const float* __restrict__ weights,
                                               const float* __restrict__ bias,
                                               float* __restrict__ out, int channels) {
  const int size = blockDim.x;
  const int padded = size + kFilter - 1;
  const int map = blockIdx.x;
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  float sum = bias[map];
  for (int c = 0; c < channels; ++c) {
    const float* window = in + (c * padded + y) * padded + x;
    const float* filter = weights + (map * channels + c) * kFilter * kFilter;
#pragma unroll
    for (int i = 0; i < kFilter; ++i) {
#pragma unroll
      for (int j = 0; j < kFilter; ++j) sum += window[i * padded + j] * filter[i * kFilter + j];
    }
  }
  out[(map * size + y) * size + x] = fmaxf(sum, 0.0f);
}
