// SPDX-License-Identifier: Apache-2.0
// Temperatures of a stack of layers, one time step a launch: a CTA of 64 x 4 threads has a tile of
// a layer and marches through the layers, each thread with the temperatures of its own column in
// registers and those beside it from global memory. At the stack's faces a cell is its own
// neighbour. nx is a multiple of 64, ny of 4.
#include "../cuda_device.h"

extern "C" __global__ void hotspot3d(const float* __restrict__ power,
                                     const float* __restrict__ from, float* __restrict__ to, int nx,
                                     int ny, int nz, float own, float across, float along,
                                     float through, float heating, float ambient) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int layer = nx * ny;
  int at = y * nx + x;
  const int west = x > 0 ? -1 : 0;
  const int east = x < nx - 1 ? 1 : 0;
  const int north = y > 0 ? -nx : 0;
  const int south = y < ny - 1 ? nx : 0;
  float here = from[at];
  float below = here;
  for (int z = 0; z < nz; ++z) {
    const float above = z < nz - 1 ? from[at + layer] : here;
    to[at] = own * here + across * (from[at + west] + from[at + east]) +
             along * (from[at + north] + from[at + south]) + through * (below + above) +
             heating * power[at] + through * ambient;
    below = here;
    here = above;
    at += layer;
  }
}
