// SPDX-License-Identifier: Apache-2.0
// One pass of Floyd and Warshall's algorithm in place, one pair of vertices a thread: is the way
// over vertex `via` shorter? A warp reads its own cells and a run of row `via` (coalesced) and one
// element of column `via`. Row and column do not change in their own pass, since the way from a
// vertex to itself is 0.
#include "../cuda_device.h"

extern "C" __global__ void floyd_pass(int* distance, int* path, int vertices, int via) {
  const int to = blockIdx.x * blockDim.x + threadIdx.x;
  const int from = blockIdx.y * blockDim.y + threadIdx.y;
  const int at = from * vertices + to;
  const int through = distance[from * vertices + via] + distance[via * vertices + to];
  if (through < distance[at]) {
    distance[at] = through;
    path[at] = via;
  }
}
