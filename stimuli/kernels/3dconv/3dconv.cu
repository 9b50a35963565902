// SPDX-License-Identifier: Apache-2.0
// One plane of b = 3D convolution of a, straight from global memory, one output a thread: a cross
// of five elements from each of the planes below, at and above. The border of b is not written.
#include "../cuda_device.h"

extern "C" __global__ void conv3d_plane(const float* __restrict__ a, float* __restrict__ b, int nj,
                                        int nk, int plane) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (j < 1 || k < 1 || j >= nj - 1 || k >= nk - 1) return;
  const int index = (plane * nj + j) * nk + k;
  const float* at = a + index;
  const float* below = at - nj * nk;
  const float* above = at + nj * nk;
  b[index] = 0.2f * below[-nk] - 0.3f * below[-1] + 0.4f * below[0] + 0.5f * below[1] -
             0.6f * below[nk] +                                               //
             0.7f * at[-nk] + 0.8f * at[-1] - 0.9f * at[0] + 0.15f * at[1] +  //
             0.25f * at[nk] -                                                 //
             0.35f * above[-nk] + 0.45f * above[-1] - 0.55f * above[0] + 0.65f * above[1] +
             0.75f * above[nk];
}
