// SPDX-License-Identifier: Apache-2.0
// The last pass of a saturating histogram: with a grid stride, four bins a thread, adds up the
// partial sub-histograms of the hot bins, takes the other bins' counts from the global histogram,
// and writes saturated bytes.
#include "../cuda_device.h"

extern "C" __global__ void histo_final(const uchar4* __restrict__ sub_histograms,
                                       const uint4* __restrict__ histogram,
                                       uchar4* __restrict__ result, int parts, int first_hot,
                                       int hot, int bins) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < bins / 4; i += stride) {
    uint4 sum = histogram[i];
    const unsigned at = i - first_hot / 4;
    if (at < static_cast<unsigned>(hot / 4)) {
      for (int p = 0; p < parts; ++p) {
        const uchar4 part = sub_histograms[p * (hot / 4) + at];
        sum.x += part.x;
        sum.y += part.y;
        sum.z += part.z;
        sum.w += part.w;
      }
    }
    uchar4 bytes;
    bytes.x = static_cast<unsigned char>(min(sum.x, 255u));
    bytes.y = static_cast<unsigned char>(min(sum.y, 255u));
    bytes.z = static_cast<unsigned char>(min(sum.z, 255u));
    bytes.w = static_cast<unsigned char>(min(sum.w, 255u));
    result[i] = bytes;
  }
}
