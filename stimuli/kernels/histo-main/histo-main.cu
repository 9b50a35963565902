// SPDX-License-Identifier: Apache-2.0
// The main pass of a histogram with many bins of which few are hot, saturating at 255. The hot bins
// lie in a few ranges, one a row of CTAs: every row reads all bin addresses with a grid stride and
// counts its range's in shared memory, into one sub-histogram a CTA. The first row also counts the
// bins outside the hot ranges, with atomics in global memory.
#include "../cuda_device.h"

constexpr int kBins = 4096;  // of a range
constexpr int kThreads = 256;

extern "C" __global__ void histo_main(const unsigned* __restrict__ addresses,
                                      unsigned* __restrict__ sub_histograms, unsigned* rare,
                                      int inputs, int first_range) {
  __shared__ unsigned counts[kBins];
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  for (int b = t; b < kBins; b += kThreads) counts[b] = 0;
  __syncthreads();
  const unsigned first_hot = first_range * kBins;
  const unsigned first_cold = first_hot + gridDim.y * kBins;
  const unsigned mine = first_hot + blockIdx.y * kBins;
  const int stride = gridDim.x * kThreads;
  for (int i = blockIdx.x * kThreads + t; i < inputs; i += stride) {
    const unsigned bin = addresses[i];
    if (bin - mine < kBins) {
      atomicAdd(&counts[bin - mine], 1u);
    } else if (blockIdx.y == 0 && (bin < first_hot || bin >= first_cold)) {
      atomicAdd(&rare[bin], 1u);
    }
  }
  __syncthreads();
  // Four saturated counts a word.
  unsigned* sub = sub_histograms + (blockIdx.x * gridDim.y + blockIdx.y) * (kBins / 4);
  for (int w = t; w < kBins / 4; w += kThreads) {
    unsigned word = 0;
    for (int b = 3; b >= 0; --b) word = word << 8 | min(counts[4 * w + b], 255u);
    sub[w] = word;
  }
}
