// SPDX-License-Identifier: Apache-2.0
// How often a keyword stands in each line of a text: one line a thread, byte by byte, so that a
// warp's lanes are a line apart; the keyword is shared by all. Lines are text[starts[i]] to
// text[starts[i + 1] - 1].
#include "../cuda_device.h"

extern "C" __global__ void stringmatch(const uint8_t* __restrict__ text,
                                       const int* __restrict__ starts,
                                       const uint8_t* __restrict__ keyword, int* matches, int lines,
                                       int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= lines) return;
  const int last = starts[i + 1] - length;
  int found = 0;
  for (int at = starts[i]; at <= last; ++at) {
    int k = 0;
    while (k < length && text[at + k] == keyword[k]) ++k;
    if (k == length) ++found;
  }
  matches[i] = found;
}
