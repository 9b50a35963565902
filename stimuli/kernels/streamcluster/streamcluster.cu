// SPDX-License-Identifier: Apache-2.0
// The cost step of streaming clustering, as in Rodinia: what opening a centre at a candidate point
// would change. Each thread sums the distance of its point to the candidate over the dimensions,
// coordinates dimension-major so that loads are coalesced and all lanes load the candidate's from
// one place. A point that is nearer to the candidate than to its centre would switch: its saving
// goes into its row's last place. Of the others, what their centre's closing would cost goes into
// their row at that centre's place.
#include "../cuda_device.h"

extern "C" __global__ void streamcluster_cost(const float* coordinates, const float* weight,
                                              const float* cost, const int* centre,
                                              const int* centre_place, float* work,
                                              uint8_t* switches, int n, int dimensions, int centres,
                                              int candidate) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float distance = 0.0f;
  for (int d = 0; d < dimensions; ++d) {
    const float difference = coordinates[d * n + i] - coordinates[d * n + candidate];
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
