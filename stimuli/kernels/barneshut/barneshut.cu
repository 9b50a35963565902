// SPDX-License-Identifier: Apache-2.0
// Gravity on bodies by the Barnes-Hut method, one body a thread. The lanes of a warp have bodies
// that are near each other (`order`) and walk the tree together, with one stack a warp in shared
// memory: a cell whose distance from all their bodies is large for its size, by a vote, acts as one
// mass; any other cell's children are looked at one after the other. Nodes below `bodies` are
// bodies, the others cells of eight children, the root first; missing children are -1. All warps
// read the upper cells.
#include "../cuda_device.h"

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;
constexpr int kDepth = 12;

extern "C" __global__ void barneshut_force(
    const int* __restrict__ children, const float* __restrict__ mass, const float* __restrict__ x,
    const float* __restrict__ y, const float* __restrict__ z, const int* __restrict__ order,
    float* __restrict__ acceleration, float* __restrict__ velocity, int bodies, float root_distance,
    float softening, float step) {
  // Where each level of a warp's walk is: the cell, and its next child.
  __shared__ int cells[kWarps][kDepth];
  __shared__ int next[kWarps][kDepth];
  // The square of the distance from which on a child of the level's cell may act as one mass.
  __shared__ float far[kDepth];
  const int warp = threadIdx.x / 32;
  const bool first = threadIdx.x % 32 == 0;
  if (threadIdx.x == 0) {
    float square = root_distance;
    for (int d = 0; d < kDepth; ++d) {
      square *= 0.25f;
      far[d] = square;
    }
  }
  __syncthreads();
  const int body = order[blockIdx.x * kThreads + threadIdx.x];
  const float bx = x[body];
  const float by = y[body];
  const float bz = z[body];
  float ax = 0.0f;
  float ay = 0.0f;
  float az = 0.0f;
  int depth = 0;
  if (first) {
    cells[warp][0] = bodies;
    next[warp][0] = 0;
  }
  __syncwarp();
  while (depth >= 0) {
    const int child = next[warp][depth];
    if (child == 8) {
      --depth;
      continue;
    }
    const int node = children[(cells[warp][depth] - bodies) * 8 + child];
    __syncwarp();  // all have read
    if (first) next[warp][depth] = child + 1;
    __syncwarp();
    if (node < 0) continue;
    const float dx = x[node] - bx;
    const float dy = y[node] - by;
    const float dz = z[node] - bz;
    const float square = dx * dx + dy * dy + dz * dz;
    if (node < bodies || __all_sync(0xffffffffu, square >= far[depth])) {
      const float inverse = rsqrtf(square + softening);
      const float pull = mass[node] * inverse * inverse * inverse;
      ax += pull * dx;
      ay += pull * dy;
      az += pull * dz;
    } else {
      ++depth;
      if (first) {
        cells[warp][depth] = node;
        next[warp][depth] = 0;
      }
      __syncwarp();
    }
  }
  acceleration[body] = ax;
  acceleration[bodies + body] = ay;
  acceleration[2 * bodies + body] = az;
  velocity[body] += step * ax;
  velocity[bodies + body] += step * ay;
  velocity[2 * bodies + body] += step * az;
}
