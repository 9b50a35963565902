// SPDX-License-Identifier: Apache-2.0
// Temperatures of a chip, two time steps a launch: a CTA of 16 x 16 threads stages 16 x 16 cells in
// shared memory and makes both steps there; each step loses the outermost ring, so that 12 x 12
// cells are left as its result, and CTAs overlap. At the grid's edges a cell is its own neighbour.
#include "../cuda_device.h"

constexpr int kTile = 16;
constexpr int kSteps = 2;
constexpr int kResult = kTile - 2 * kSteps;

extern "C" __global__ void hotspot(const float* __restrict__ power, const float* __restrict__ from,
                                   float* __restrict__ to, int columns, int rows, float step,
                                   float across, float along, float outward, float ambient) {
  __shared__ float temperature[kTile][kTile];
  __shared__ float heat[kTile][kTile];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int left = blockIdx.x * kResult - kSteps;
  const int top = blockIdx.y * kResult - kSteps;
  const int x = left + tx;
  const int y = top + ty;
  const bool inside = x >= 0 && x < columns && y >= 0 && y < rows;
  if (inside) {
    temperature[ty][tx] = from[y * columns + x];
    heat[ty][tx] = power[y * columns + x];
  }
  __syncthreads();
  // Neighbours within the grid.
  const int west = max(tx - 1, -left);
  const int east = min(tx + 1, columns - 1 - left);
  const int north = max(ty - 1, -top);
  const int south = min(ty + 1, rows - 1 - top);
  for (int ring = 1; ring <= kSteps; ++ring) {
    const bool mine = inside && tx >= ring && tx < kTile - ring && ty >= ring && ty < kTile - ring;
    float next = 0.0f;
    if (mine) {
      const float t = temperature[ty][tx];
      next = t + step * (heat[ty][tx] +
                         (temperature[south][tx] + temperature[north][tx] - 2.0f * t) * along +
                         (temperature[ty][east] + temperature[ty][west] - 2.0f * t) * across +
                         (ambient - t) * outward);
    }
    __syncthreads();
    if (mine) temperature[ty][tx] = next;
    __syncthreads();
    if (mine && ring == kSteps) to[y * columns + x] = next;
  }
}
