// SPDX-License-Identifier: Apache-2.0
// Breadth-first search by levels with two masks: `expand` visits the frontier's neighbours,
// `advance` makes them the next frontier and says whether there are any.
#include "cuda_device.h"

__constant__ int vertices;

__global__ void expand(const int* row_start, const int* edges, unsigned char* frontier,
                       unsigned char* found, const unsigned char* visited, int* cost) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || frontier[v] == 0) return;
  frontier[v] = 0;
  for (int e = row_start[v]; e < row_start[v + 1]; ++e) {
    const int to = edges[e];
    if (visited[to] != 0) continue;
    cost[to] = cost[v] + 1;
    found[to] = 1;
  }
}

__global__ void advance(unsigned char* frontier, unsigned char* found, unsigned char* visited,
                        int* again) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || found[v] == 0) return;
  found[v] = 0;
  frontier[v] = 1;
  visited[v] = 1;
  *again = 1;
}
