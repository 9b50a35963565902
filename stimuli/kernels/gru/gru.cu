// SPDX-License-Identifier: Apache-2.0
// One time step of a layer of gated recurrent units, one unit of one sample a thread. The reset
// gate works on the recurrent product, so that a step is one launch. w[gate][input][unit] and
// u[gate][unit before][unit] are shared by the CTAs of all samples; states[step][sample][unit].
#include "../cuda_device.h"

__device__ __forceinline__ float sigmoid(float v) { return 1.0f / (1.0f + __expf(-v)); }

extern "C" __global__ void gru_step(const float* __restrict__ x, const float* __restrict__ w,
                                    const float* __restrict__ u, const float* __restrict__ bias,
                                    float* states, int inputs, int hidden, int step) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int sample = step * gridDim.y + blockIdx.y;
  const float* xs = x + sample * inputs;
  const float* before = states + sample * hidden;
  float z = bias[j];
  float r = bias[hidden + j];
  float candidate = bias[2 * hidden + j];
  for (int k = 0; k < inputs; ++k) {
    const float v = xs[k];
    const float* at = w + k * hidden + j;
    z += v * at[0];
    r += v * at[inputs * hidden];
    candidate += v * at[2 * inputs * hidden];
  }
  float recurrent = 0.0f;
  for (int k = 0; k < hidden; ++k) {
    const float v = before[k];
    const float* at = u + k * hidden + j;
    z += v * at[0];
    r += v * at[hidden * hidden];
    recurrent += v * at[2 * hidden * hidden];
  }
  z = sigmoid(z);
  candidate = 2.0f * sigmoid(2.0f * (candidate + sigmoid(r) * recurrent)) - 1.0f;  // tanh
  states[(sample + gridDim.y) * hidden + j] = candidate + z * (before[j] - candidate);
}
