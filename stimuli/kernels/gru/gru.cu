// SPDX-License-Identifier: Apache-2.0
// One time step of a layer of gated recurrent units, as in Tango: all units of one sequence a CTA,
// one unit a thread, a scalar input. threadIdx.y is the fast part of the unit's index, so that a
// warp's lanes are spread over a row of the weights. u[gate][unit before][unit] is read by all
// CTAs. The reset gates pass through shared memory. The host gives each sequence its own state.
#include "../cuda_device.h"

constexpr int kMostUnits = 512;

__device__ __forceinline__ float hard_sigmoid(float v) {
  return fminf(fmaxf(0.2f * v + 0.5f, 0.0f), 1.0f);
}

__device__ __forceinline__ float tanh_of(float v) {
  return 2.0f / (1.0f + __expf(-2.0f * v)) - 1.0f;
}

extern "C" __global__ void gru_step(const float* x, const float* w, const float* u,
                                    const float* bias, float* states, int step) {
  __shared__ float reset[kMostUnits];
  const int units = blockDim.x * blockDim.y;
  const int j = threadIdx.x * blockDim.y + threadIdx.y;
  const float input = x[step * gridDim.x + blockIdx.x];
  float* state = states + blockIdx.x * units;
  float sum_z = 0.0f;
  float sum_r = 0.0f;
  for (int k = 0; k < units; ++k) {
    sum_z += state[k] * u[k * units + j];
    sum_r += state[k] * u[(units + k) * units + j];
  }
  const float z = hard_sigmoid(input * w[j] + sum_z + bias[j]);
  reset[j] = hard_sigmoid(input * w[units + j] + sum_r + bias[units + j]);
  __syncthreads();
  float sum = 0.0f;
  for (int k = 0; k < units; ++k) sum += reset[k] * state[k] * u[(2 * units + k) * units + j];
  const float candidate = tanh_of(input * w[2 * units + j] + sum + bias[2 * units + j]);
  __syncthreads();  // all threads have read the state
  state[j] = (1.0f - z) * state[j] + z * candidate;
}
