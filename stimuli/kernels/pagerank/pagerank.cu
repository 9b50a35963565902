// SPDX-License-Identifier: Apache-2.0
// One sweep of PageRank, pulling: one vertex a thread, each lane walks its own run of incoming
// edges (source and weight) and gathers the sources' ranks. A weight is one over the source's
// number of outgoing edges.
#include "../cuda_device.h"

extern "C" __global__ void pagerank_pull(const int* __restrict__ row_start,
                                         const int* __restrict__ sources,
                                         const float* __restrict__ weights,
                                         const float* __restrict__ before,
                                         float* __restrict__ after, int vertices, float base,
                                         float damping) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  const int end = row_start[v + 1];
  float sum = 0.0f;
  for (int e = row_start[v]; e < end; ++e) sum += weights[e] * before[sources[e]];
  after[v] = base + damping * sum;
}
