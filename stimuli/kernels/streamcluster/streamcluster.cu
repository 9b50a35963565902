// SPDX-License-Identifier: Apache-2.0
// The cost step of streaming clustering: what opening a centre at a candidate point would change.
// Each thread sums the distance of its point to the candidate over the dimensions, coordinates
// dimension-major so that loads are coalesced; the candidate's own are staged in shared memory. A
// point that is nearer to the candidate than to its centre would switch: its saving goes into its
// row's last place. Of the others, what their centre's closing would cost goes into their row at
// that centre's place.
#include "../cuda_device.h"

constexpr int kMaxDimensions = 256;

extern "C" __global__ void streamcluster_cost(const float* __restrict__ coordinates,
                                              const float* __restrict__ weight,
                                              const float* __restrict__ cost,
                                              const int* __restrict__ centre,
                                              const int* __restrict__ centre_place, float* work,
                                              uint8_t* switches, int n, int dimensions, int centres,
                                              int candidate) {
  __shared__ float candidate_coordinates[kMaxDimensions];
  for (int d = threadIdx.x; d < dimensions; d += blockDim.x) {
    candidate_coordinates[d] = coordinates[d * n + candidate];
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float distance = 0.0f;
  for (int d = 0; d < dimensions; ++d) {
    const float difference = coordinates[d * n + i] - candidate_coordinates[d];
    distance += difference * difference;
  }
  const float change = distance * weight[i] - cost[i];
  float* row = work + i * (centres + 1);
  if (change < 0.0f) {
    switches[i] = 1;
    row[centres] += change;
  } else {
    row[centre_place[centre[i]]] += change;
  }
}
