// SPDX-License-Identifier: Apache-2.0
// One pass of a bitonic sort in place, one pair of keys a thread: the two keys are a power of two
// apart. Blocks of 2^(stage + 1) keys are sorted up and down in turns.
#include "../cuda_device.h"

extern "C" __global__ void bitonic_pass(unsigned* keys, int stage, int pass) {
  const unsigned pair = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned apart = 1u << pass;
  const unsigned left = 2 * pair - (pair & (apart - 1));
  const unsigned right = left + apart;
  const unsigned a = keys[left];
  const unsigned b = keys[right];
  const bool up = (pair >> stage & 1) == 0;
  const bool exchange = (a > b) == up;
  keys[left] = exchange ? b : a;
  keys[right] = exchange ? a : b;
}
