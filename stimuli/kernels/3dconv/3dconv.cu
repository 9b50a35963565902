// SPDX-License-Identifier: Apache-2.0
// One plane of b = 3D convolution of a, straight from global memory, one output a thread: eleven
// voxels of the planes below, at and above, as in PolyBench/GPU. The border of b is not written.
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
  b[index] = 0.2f * below[-nk - 1] - 0.3f * above[-nk - 1] +  //
             0.4f * at[-nk] + 0.5f * at[0] - 0.6f * at[nk] +  //
             0.7f * below[-nk + 1] + 0.8f * above[-nk + 1] -  //
             0.9f * below[1] + 0.15f * above[1] +             //
             0.25f * below[nk + 1] - 0.35f * above[nk + 1];
}
