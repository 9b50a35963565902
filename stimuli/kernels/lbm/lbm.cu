// SPDX-License-Identifier: Apache-2.0
// One step of a Lattice-Boltzmann fluid, D3Q19: each cell's 19 distributions relax towards their
// equilibrium (BGK) and stream to the 19 neighbours. One cell a thread, one row of x a CTA; each
// direction is an array of its own, so that loads are coalesced and stores nearly so. The lattice
// is periodic.
#include "../cuda_device.h"

constexpr int kDirections = 19;

extern "C" __global__ void lbm_step(const float* __restrict__ from, float* __restrict__ to,
                                    float omega) {
  constexpr int kX[kDirections] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
  constexpr int kY[kDirections] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
  constexpr int kZ[kDirections] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
  const int nx = blockDim.x;
  const int ny = gridDim.x;
  const int nz = gridDim.y;
  const int x = threadIdx.x;
  const int y = blockIdx.x;
  const int z = blockIdx.y;
  const int cells = nx * ny * nz;
  const int cell = (z * ny + y) * nx + x;

  float f[kDirections];
  float density = 0.0f;
  float ux = 0.0f;
  float uy = 0.0f;
  float uz = 0.0f;
#pragma unroll
  for (int d = 0; d < kDirections; ++d) {
    f[d] = from[d * cells + cell];
    density += f[d];
    ux += static_cast<float>(kX[d]) * f[d];
    uy += static_cast<float>(kY[d]) * f[d];
    uz += static_cast<float>(kZ[d]) * f[d];
  }
  const float volume = 1.0f / density;
  ux *= volume;
  uy *= volume;
  uz *= volume;
  const float still = 1.0f - 1.5f * (ux * ux + uy * uy + uz * uz);

  const int xs[3] = {x == 0 ? nx - 1 : x - 1, x, x == nx - 1 ? 0 : x + 1};
  const int ys[3] = {y == 0 ? ny - 1 : y - 1, y, y == ny - 1 ? 0 : y + 1};
  const int zs[3] = {z == 0 ? nz - 1 : z - 1, z, z == nz - 1 ? 0 : z + 1};
#pragma unroll
  for (int d = 0; d < kDirections; ++d) {
    const float weight = d == 0 ? 1.0f / 3.0f : d < 7 ? 1.0f / 18.0f : 1.0f / 36.0f;
    const float along = static_cast<float>(kX[d]) * ux + static_cast<float>(kY[d]) * uy +
                        static_cast<float>(kZ[d]) * uz;
    const float equilibrium = weight * density * (still + along * (3.0f + 4.5f * along));
    const int neighbour = (zs[kZ[d] + 1] * ny + ys[kY[d] + 1]) * nx + xs[kX[d] + 1];
    to[d * cells + neighbour] = f[d] + omega * (equilibrium - f[d]);
  }
}
