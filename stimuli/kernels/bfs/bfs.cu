// SPDX-License-Identifier: Apache-2.0
// One level of a breadth-first search, one vertex a thread: the vertices of the current level give
// the next level to neighbours that have none yet, and raise the flag that makes the host go on.
// Several threads may write one vertex or the flag, always the same value.
#include "../cuda_device.h"

extern "C" __global__ void bfs_level(const int* __restrict__ row_start,
                                     const int* __restrict__ edges, int* level, int* changed,
                                     int vertices, int current) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || level[v] != current) return;
  const int end = row_start[v + 1];
  for (int e = row_start[v]; e < end; ++e) {
    const int neighbour = edges[e];
    if (level[neighbour] < 0) {
      level[neighbour] = current + 1;
      *changed = 1;
    }
  }
}
