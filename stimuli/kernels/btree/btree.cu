// SPDX-License-Identifier: Apache-2.0
// Look-ups in a B+ tree of 256 keys a node: one query a CTA, one key a thread. The thread whose key
// is the last that is not above the query names the next node, in a leaf the record. The upper
// levels are read by all CTAs.
#include "../cuda_device.h"

constexpr int kOrder = 256;

extern "C" __global__ void btree_find(const int* __restrict__ keys,
                                      const int* __restrict__ children,
                                      const int* __restrict__ queries, int* __restrict__ answers,
                                      int depth) {
  __shared__ int next;
  const int t = threadIdx.x;
  const int query = queries[blockIdx.x];
  int node = 0;
  for (int level = 0; level < depth; ++level) {
    const int at = node * kOrder + t;
    if (keys[at] <= query && (t == kOrder - 1 || keys[at + 1] > query)) next = children[at];
    __syncthreads();
    node = next;
    __syncthreads();
  }
  if (t == 0) answers[blockIdx.x] = node;
}
