// SPDX-License-Identifier: Apache-2.0
// Speckle-reducing anisotropic diffusion of an image, two launches an iteration: the differences to
// the four neighbours and the diffusion coefficient of each pixel; then the divergence, for which a
// pixel needs its own coefficient and those below and to its right. A CTA of 16 x 16 threads stages
// its tile and the halo in shared memory. At the image's edges a pixel is its own neighbour. Width
// and height are multiples of 16.
#include "../cuda_device.h"

constexpr int kTile = 16;

extern "C" __global__ void srad_coefficients(const float* __restrict__ image,
                                             float* __restrict__ north, float* __restrict__ south,
                                             float* __restrict__ west, float* __restrict__ east,
                                             float* __restrict__ coefficients, float noise,
                                             int width, int height) {
  __shared__ float s[kTile + 2][kTile + 2];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int x = blockIdx.x * kTile + tx;
  const int y = blockIdx.y * kTile + ty;
  const int at = y * width + x;
  s[ty + 1][tx + 1] = image[at];
  if (ty == 0) s[0][tx + 1] = image[y > 0 ? at - width : at];
  if (ty == kTile - 1) s[kTile + 1][tx + 1] = image[y < height - 1 ? at + width : at];
  if (tx == 0) s[ty + 1][0] = image[x > 0 ? at - 1 : at];
  if (tx == kTile - 1) s[ty + 1][kTile + 1] = image[x < width - 1 ? at + 1 : at];
  __syncthreads();
  const float v = s[ty + 1][tx + 1];
  const float n = s[ty][tx + 1] - v;
  const float d = s[ty + 2][tx + 1] - v;
  const float w = s[ty + 1][tx] - v;
  const float e = s[ty + 1][tx + 2] - v;
  const float gradient = (n * n + d * d + w * w + e * e) / (v * v);
  const float laplacian = (n + d + w + e) / v;
  const float spread = 1.0f + 0.25f * laplacian;
  const float variation = (0.5f * gradient - 0.0625f * laplacian * laplacian) / (spread * spread);
  const float c = 1.0f / (1.0f + (variation - noise) / (noise * (1.0f + noise)));
  north[at] = n;
  south[at] = d;
  west[at] = w;
  east[at] = e;
  coefficients[at] = fminf(fmaxf(c, 0.0f), 1.0f);
}

extern "C" __global__ void srad_update(float* image, const float* __restrict__ north,
                                       const float* __restrict__ south,
                                       const float* __restrict__ west,
                                       const float* __restrict__ east,
                                       const float* __restrict__ coefficients, float lambda,
                                       int width, int height) {
  __shared__ float s[kTile + 1][kTile + 1];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int x = blockIdx.x * kTile + tx;
  const int y = blockIdx.y * kTile + ty;
  const int at = y * width + x;
  s[ty][tx] = coefficients[at];
  if (ty == kTile - 1) s[kTile][tx] = coefficients[y < height - 1 ? at + width : at];
  if (tx == kTile - 1) s[ty][kTile] = coefficients[x < width - 1 ? at + 1 : at];
  __syncthreads();
  const float divergence =
      s[ty][tx] * (north[at] + west[at]) + s[ty + 1][tx] * south[at] + s[ty][tx + 1] * east[at];
  image[at] += 0.25f * lambda * divergence;
}
