// SPDX-License-Identifier: Apache-2.0
// Shortest paths from one source as a min-plus product of the graph's matrix (compressed rows of
// incoming edges) and the vector of distances: one vertex a thread, each lane walks its own run of
// edges and gathers distances. sssp_settle takes the new distances over, and raises the flag that
// makes the host go on when one was shorter; several threads may raise it.
#include "../cuda_device.h"

extern "C" __global__ void sssp_relax(const int* __restrict__ row_start,
                                      const int* __restrict__ sources,
                                      const int* __restrict__ weights,
                                      const int* __restrict__ distance, int* __restrict__ next,
                                      int vertices) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  const int end = row_start[v + 1];
  int shortest = distance[v];
  for (int e = row_start[v]; e < end; ++e) {
    shortest = min(shortest, distance[sources[e]] + weights[e]);
  }
  next[v] = shortest;
}

extern "C" __global__ void sssp_settle(const int* __restrict__ next, int* distance, int* changed,
                                       int vertices) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  const int shortest = next[v];
  if (shortest == distance[v]) return;
  distance[v] = shortest;
  *changed = 1;
}
