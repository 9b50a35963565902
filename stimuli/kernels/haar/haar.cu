// SPDX-License-Identifier: Apache-2.0
// Levels of the Haar wavelet transform of a signal. A CTA of 256 threads has a group of 512 values
// (the last launch a shorter one) and halves it in shared memory until one average is left. Each
// level's details go to their own part of the output: the level that makes m of them from the
// whole signal has the places from m on.
#include "../cuda_device.h"

constexpr int kThreads = 256;
constexpr int kGroup = 2 * kThreads;
constexpr float kRootHalf = 0.70710678f;

extern "C" __global__ void haar(const float* __restrict__ in, float* __restrict__ details,
                                float* __restrict__ averages, int length) {
  __shared__ float s[kGroup];
  const int t = threadIdx.x;
  const int group = min(length, kGroup);
  const int begin = blockIdx.x * group;
  if (t < group) s[t] = in[begin + t];
  if (t + kThreads < group) s[t + kThreads] = in[begin + t + kThreads];
  int level = length / 2;
  for (int pairs = group / 2; pairs > 0; pairs /= 2) {
    __syncthreads();
    float left = 0.0f;
    float right = 0.0f;
    if (t < pairs) {
      left = s[2 * t];
      right = s[2 * t + 1];
      details[level + blockIdx.x * pairs + t] = (left - right) * kRootHalf;
    }
    __syncthreads();
    if (t < pairs) s[t] = (left + right) * kRootHalf;
    level /= 2;
  }
  if (t == 0) averages[blockIdx.x] = s[0];
}
