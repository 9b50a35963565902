// SPDX-License-Identifier: Apache-2.0
// Particles in boxes, one box a CTA: every particle of the box is acted on by all particles of the
// box itself and of its neighbours, up to 27 boxes. The CTA stages its own particles and then, box
// by box, its neighbours' in shared memory.
#include "../cuda_device.h"

constexpr int kThreads = 128;  // and the most particles a box may have
constexpr int kNeighbours = 27;

struct alignas(16) Vector {
  double v, x, y, z;
};

// exp(-u) for small |u|, as the 64th power of the series of exp(-u / 64).
__device__ __forceinline__ double exp_minus(double u) {
  const double t = u * -0.015625;
  double e = 1.0 + t * (1.0 / 7);
  e = 1.0 + t * (1.0 / 6) * e;
  e = 1.0 + t * (1.0 / 5) * e;
  e = 1.0 + t * (1.0 / 4) * e;
  e = 1.0 + t * (1.0 / 3) * e;
  e = 1.0 + t * (1.0 / 2) * e;
  e = 1.0 + t * e;
#pragma unroll
  for (int i = 0; i < 6; ++i) e *= e;
  return e;
}

extern "C" __global__ void lavamd(const int* __restrict__ neighbour_count,
                                  const int* __restrict__ neighbours,
                                  const Vector* __restrict__ position,
                                  const double* __restrict__ charge, Vector* __restrict__ force,
                                  float alpha_squared_twice, int particles) {
  __shared__ Vector home[kThreads];
  __shared__ Vector other[kThreads];
  __shared__ double other_charge[kThreads];
  const int t = threadIdx.x;
  const int first = blockIdx.x * particles;
  if (t < particles) home[t] = position[first + t];
  Vector sum = {0.0, 0.0, 0.0, 0.0};
  const int boxes = neighbour_count[blockIdx.x];
  for (int k = 0; k < boxes; ++k) {
    const int from = neighbours[blockIdx.x * kNeighbours + k] * particles;
    if (t < particles) {
      other[t] = position[from + t];
      other_charge[t] = charge[from + t];
    }
    __syncthreads();
    if (t < particles) {
      const Vector a = home[t];
      for (int j = 0; j < particles; ++j) {
        const Vector b = other[j];
        const double r2 = a.v + b.v - (a.x * b.x + a.y * b.y + a.z * b.z);
        const double potential = exp_minus(double{alpha_squared_twice} * r2);
        const double weight = other_charge[j] * potential;
        const double twice = 2.0 * weight;
        sum.v += weight;
        sum.x += twice * (a.x - b.x);
        sum.y += twice * (a.y - b.y);
        sum.z += twice * (a.z - b.z);
      }
    }
    __syncthreads();
  }
  if (t < particles) force[first + t] = sum;
}
