// SPDX-License-Identifier: Apache-2.0
// The cheapest path through a grid from its first row to every cell of its last: row by row, each
// cell adds the cheapest of its three neighbours above.
#include "cuda_device.h"

__global__ void next_row(const int* above, const int* wall, int* below, int columns) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= columns) return;
  int best = above[x];
  if (x > 0) best = min(best, above[x - 1]);
  if (x + 1 < columns) best = min(best, above[x + 1]);
  below[x] = wall[x] + best;
}
