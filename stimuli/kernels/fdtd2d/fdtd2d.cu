// SPDX-License-Identifier: Apache-2.0
// Two-dimensional finite differences in the time domain: per time step ey, ex and then hz from
// their neighbours, one element a thread. hz is nx * ny; ex has one column more, ey one row more,
// whose last ones nothing changes. A source drives ey's first row.
#include "../cuda_device.h"

extern "C" __global__ void fdtd_ey(float* ey, const float* __restrict__ hz,
                                   const float* __restrict__ source, int nx, int ny, int step) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  const int at = i * ny + j;
  if (i == 0) {
    ey[at] = source[step];
  } else {
    ey[at] -= 0.5f * (hz[at] - hz[at - ny]);
  }
}

extern "C" __global__ void fdtd_ex(float* ex, const float* __restrict__ hz, int nx, int ny) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j < 1 || j >= ny) return;
  const int at = i * ny + j;
  ex[i * (ny + 1) + j] -= 0.5f * (hz[at] - hz[at - 1]);
}

extern "C" __global__ void fdtd_hz(const float* __restrict__ ex, const float* __restrict__ ey,
                                   float* hz, int nx, int ny) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  const float* x = ex + i * (ny + 1) + j;
  const float* y = ey + i * ny + j;
  hz[i * ny + j] -= 0.7f * (x[1] - x[0] + y[ny] - y[0]);
}
