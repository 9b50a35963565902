// SPDX-License-Identifier: Apache-2.0
// How often a keyword of up to four bytes stands in each line of a text: one line a thread, byte by
// byte, so that a warp's lanes are a line apart; the keyword is shared by all. Lines are
// text[starts[i]] to text[starts[i + 1] - 1]; neither they nor the keyword have zero bytes.
#include "../cuda_device.h"

extern "C" __global__ void stringmatch(const uint8_t* __restrict__ text,
                                       const int* __restrict__ starts,
                                       const uint8_t* __restrict__ keyword, int* matches, int lines,
                                       int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= lines) return;
  unsigned wanted = 0;
  for (int k = 0; k < length; ++k) wanted = wanted << 8 | keyword[k];
  const unsigned mask = 0xffffffffu >> (32 - 8 * length);
  const int end = starts[i + 1];
  unsigned last = 0;  // the last `length` bytes, zeros before the line
  int found = 0;
  for (int at = starts[i]; at < end; ++at) {
    last = (last << 8 | text[at]) & mask;
    if (last == wanted) ++found;
  }
  matches[i] = found;
}
