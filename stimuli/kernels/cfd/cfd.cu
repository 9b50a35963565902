// SPDX-License-Identifier: Apache-2.0
// Euler equations of a gas on an unstructured mesh, one cell a thread, explicit time steps of three
// stages. A cell has four faces, whose neighbours a table names: another cell, a wall or the far
// field. The five variables of a cell (density, momentum, energy) stand in an array each, one after
// the other, so that a warp's own accesses are coalesced and its neighbours' are gathers.
#include "../cuda_device.h"

constexpr int kFaces = 4;
constexpr int kWall = -1;
constexpr int kFarField = -2;
constexpr float kGamma = 1.4f;
constexpr float kViscosity = 0.2f;
// The far field: Mach 1.2 along x, pressure and speed of sound 1.
constexpr float kFarDensity = 1.4f;
constexpr float kFarMomentum = 1.68f;
constexpr float kFarEnergy = 3.508f;

struct Vector {
  float x, y, z;
};

__device__ __forceinline__ float dot(const Vector& a, const Vector& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

struct State {
  float density;
  Vector momentum;
  float energy;
};

struct Derived {
  Vector velocity;
  float speed;
  float pressure;
  float sound;
};

__device__ __forceinline__ State load(const float* variables, int at, int cells) {
  return {variables[at],
          {variables[at + cells], variables[at + 2 * cells], variables[at + 3 * cells]},
          variables[at + 4 * cells]};
}

__device__ __forceinline__ Derived derive(const State& s) {
  Derived d;
  d.velocity = {s.momentum.x / s.density, s.momentum.y / s.density, s.momentum.z / s.density};
  const float square = dot(d.velocity, d.velocity);
  d.speed = sqrtf(square);
  d.pressure = (kGamma - 1.0f) * (s.energy - 0.5f * s.density * square);
  d.sound = sqrtf(kGamma * d.pressure / s.density);
  return d;
}

// Adds `share` times what flows through a face with that normal.
__device__ __forceinline__ void flow(State& sum, const State& s, const Derived& d,
                                     const Vector& normal, float share) {
  const float through = share * dot(d.velocity, normal);
  const float push = share * d.pressure;
  sum.density += through * s.density;
  sum.momentum.x += through * s.momentum.x + push * normal.x;
  sum.momentum.y += through * s.momentum.y + push * normal.y;
  sum.momentum.z += through * s.momentum.z + push * normal.z;
  sum.energy += through * (s.energy + d.pressure);
}

extern "C" __global__ void cfd_initialise(float* variables, int cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  variables[i] = kFarDensity;
  variables[i + cells] = kFarMomentum;
  variables[i + 2 * cells] = 0.0f;
  variables[i + 3 * cells] = 0.0f;
  variables[i + 4 * cells] = kFarEnergy;
}

// The length of each cell's time step; also keeps the variables for the stages.
extern "C" __global__ void cfd_step_factors(const float* __restrict__ variables,
                                            const float* __restrict__ areas, float* old_variables,
                                            float* step_factors, int cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const State s = load(variables, i, cells);
  old_variables[i] = s.density;
  old_variables[i + cells] = s.momentum.x;
  old_variables[i + 2 * cells] = s.momentum.y;
  old_variables[i + 3 * cells] = s.momentum.z;
  old_variables[i + 4 * cells] = s.energy;
  const Derived d = derive(s);
  step_factors[i] = 0.5f / (sqrtf(areas[i]) * (d.speed + d.sound));
}

// normals[(axis * faces + face) * cells + cell]
extern "C" __global__ void cfd_fluxes(const int* __restrict__ neighbours,
                                      const float* __restrict__ normals,
                                      const float* __restrict__ variables,
                                      float* __restrict__ fluxes, int cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const State own = load(variables, i, cells);
  const Derived own_derived = derive(own);
  State sum = {0.0f, {0.0f, 0.0f, 0.0f}, 0.0f};
  for (int face = 0; face < kFaces; ++face) {
    const int neighbour = neighbours[i + face * cells];
    const float* n = normals + i + face * cells;
    const Vector normal = {n[0], n[kFaces * cells], n[2 * kFaces * cells]};
    if (neighbour >= 0) {
      const State other = load(variables, neighbour, cells);
      const Derived other_derived = derive(other);
      const float damping =
          0.5f * kViscosity * sqrtf(dot(normal, normal)) *
          (own_derived.speed + other_derived.speed + own_derived.sound + other_derived.sound);
      sum.density -= damping * (own.density - other.density);
      sum.momentum.x -= damping * (own.momentum.x - other.momentum.x);
      sum.momentum.y -= damping * (own.momentum.y - other.momentum.y);
      sum.momentum.z -= damping * (own.momentum.z - other.momentum.z);
      sum.energy -= damping * (own.energy - other.energy);
      flow(sum, own, own_derived, normal, 0.5f);
      flow(sum, other, other_derived, normal, 0.5f);
    } else if (neighbour == kWall) {
      sum.momentum.x += own_derived.pressure * normal.x;
      sum.momentum.y += own_derived.pressure * normal.y;
      sum.momentum.z += own_derived.pressure * normal.z;
    } else if (neighbour == kFarField) {
      const State far = {kFarDensity, {kFarMomentum, 0.0f, 0.0f}, kFarEnergy};
      flow(sum, own, own_derived, normal, 0.5f);
      flow(sum, far, derive(far), normal, 0.5f);
    }
  }
  fluxes[i] = sum.density;
  fluxes[i + cells] = sum.momentum.x;
  fluxes[i + 2 * cells] = sum.momentum.y;
  fluxes[i + 3 * cells] = sum.momentum.z;
  fluxes[i + 4 * cells] = sum.energy;
}

extern "C" __global__ void cfd_time_step(const float* __restrict__ old_variables,
                                         const float* __restrict__ step_factors,
                                         const float* __restrict__ fluxes, float* variables,
                                         int cells, int stages_left) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float factor = step_factors[i] / static_cast<float>(stages_left);
  for (int v = 0; v < 5; ++v) {
    const int at = i + v * cells;
    variables[at] = old_variables[at] + factor * fluxes[at];
  }
}
