// SPDX-License-Identifier: Apache-2.0
// k-means: points arrive row-major and are turned feature-major once, so that the assignment's
// loads are coalesced. The assignment gives each point its nearest centroid, the first of equals.
// The host moves the centroids between launches.
#include "../cuda_device.h"

extern "C" __global__ void kmeans_transpose(const float* __restrict__ points,
                                            float* __restrict__ by_feature, int n, int features) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int f = 0; f < features; ++f) by_feature[f * n + i] = points[i * features + f];
}

extern "C" __global__ void kmeans_assign(const float* __restrict__ by_feature,
                                         const float* __restrict__ centroids, int* membership,
                                         int n, int features, int clusters) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int nearest = 0;
  float smallest = 3.0e38f;
  for (int c = 0; c < clusters; ++c) {
    float distance = 0.0f;
    for (int f = 0; f < features; ++f) {
      const float d = by_feature[f * n + i] - centroids[c * features + f];
      distance += d * d;
    }
    if (distance < smallest) {
      smallest = distance;
      nearest = c;
    }
  }
  membership[i] = nearest;
}
