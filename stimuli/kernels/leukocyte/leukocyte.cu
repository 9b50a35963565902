// SPDX-License-Identifier: Apache-2.0
// Finds and follows white blood cells in microscope frames.
//  * leukocyte_gicov: one pixel a thread, one line of the image a CTA. Samples the gradient along
//    seven circles around the pixel; its score is the best circle's squared mean of the outward
//    gradient over its variance. Circles and directions are tables in constant memory.
//  * leukocyte_dilate: the maximum of the scores in a disc around each pixel.
//  * leukocyte_flow: one cell's patch a CTA. Diffuses the patch's edges in shared memory until the
//    mean change falls below a cutoff.
#include "../cuda_device.h"

constexpr int kCircles = 7;
constexpr int kPoints = 150;
constexpr int kSmallest = 8;  // radii in steps of 2
constexpr int kBorder = 22;   // pixels that have no score: the largest radius and two more
constexpr int kDisc = 12;

// sin(x), from its series; cos(x) is sin(x + pi / 2).
constexpr double kPi = 3.14159265358979323846;
constexpr double series(double x) {
  double term = x;
  double sum = x;
  for (int n = 1; n < 24; ++n) {
    term *= -x * x / (2 * n * (2 * n + 1));
    sum += term;
  }
  return sum;
}
constexpr int rounded(double v) { return static_cast<int>(v < 0 ? v - 0.5 : v + 0.5); }

struct Tables {
  float sine[kPoints];
  float cosine[kPoints];
  int x[kCircles][kPoints];
  int y[kCircles][kPoints];
  int half_width[2 * kDisc + 1];  // of the disc's lines
};

constexpr Tables make_tables() {
  Tables t{};
  for (int n = 0; n < kPoints; ++n) {
    const double angle = 2 * kPi * n / kPoints;
    const double s = series(angle);
    const double c = series(angle + kPi / 2);
    t.sine[n] = static_cast<float>(s);
    t.cosine[n] = static_cast<float>(c);
    for (int k = 0; k < kCircles; ++k) {
      t.x[k][n] = rounded((kSmallest + 2 * k) * c);
      t.y[k][n] = rounded((kSmallest + 2 * k) * s);
    }
  }
  for (int d = -kDisc; d <= kDisc; ++d) {
    int half = 0;
    while ((half + 1) * (half + 1) + d * d <= kDisc * kDisc) ++half;
    t.half_width[kDisc + d] = half;
  }
  return t;
}

__constant__ Tables tables = make_tables();

extern "C" __global__ void leukocyte_gicov(const float* __restrict__ gradient_x,
                                           const float* __restrict__ gradient_y,
                                           float* __restrict__ scores, int width) {
  const int centre = (blockIdx.x + kBorder) * width + threadIdx.x + kBorder;
  float best = 0.0f;
  for (int k = 0; k < kCircles; ++k) {
    float sum = 0.0f;
    float squares = 0.0f;
    for (int n = 0; n < kPoints; ++n) {
      const int at = centre + tables.y[k][n] * width + tables.x[k][n];
      const float outward = gradient_x[at] * tables.cosine[n] + gradient_y[at] * tables.sine[n];
      sum += outward;
      squares += outward * outward;
    }
    const float mean = sum / kPoints;
    const float variance = (squares - sum * mean) / (kPoints - 1);
    best = fmaxf(best, mean * mean / variance);
  }
  scores[centre] = best;
}

extern "C" __global__ void leukocyte_dilate(const float* __restrict__ scores,
                                            float* __restrict__ dilated, int width, int height) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= width * height) return;
  const int x = at % width;
  const int y = at / width;
  float best = 0.0f;
  for (int d = -kDisc; d <= kDisc; ++d) {
    if (y + d < 0 || y + d >= height) continue;
    const int half = tables.half_width[kDisc + d];
    const int last = min(x + half, width - 1);
    for (int c = max(x - half, 0); c <= last; ++c) {
      best = fmaxf(best, scores[(y + d) * width + c]);
    }
  }
  dilated[at] = best;
}

constexpr int kPatchX = 81;
constexpr int kPatchY = 41;
constexpr int kPatch = kPatchX * kPatchY;
constexpr int kFlowThreads = 320;
constexpr float kDiffusion = 0.1f;
constexpr float kData = 0.2f;

// A smooth step of the difference, times the difference.
__device__ __forceinline__ float pull(float d) { return d * (0.5f + 0.5f * d / (1.0f + fabsf(d))); }

extern "C" __global__ void leukocyte_flow(const float* __restrict__ patches,
                                          float* __restrict__ flows, float cutoff,
                                          int max_iterations) {
  __shared__ float fields[2][kPatch];
  __shared__ float changes[kFlowThreads];
  const int t = threadIdx.x;
  const float* patch = patches + blockIdx.x * kPatch;
  for (int i = t; i < kPatch; i += kFlowThreads) fields[0][i] = patch[i];
  __syncthreads();
  int now = 0;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const float* from = fields[now];
    float* to = fields[1 - now];
    float change = 0.0f;
    for (int i = t; i < kPatch; i += kFlowThreads) {
      // Beyond the patch's edge stands what stands at it.
      const int x = i % kPatchX;
      const int y = i / kPatchX;
      const int left = x > 0 ? -1 : 0;
      const int right = x < kPatchX - 1 ? 1 : 0;
      const int up = y > 0 ? -kPatchX : 0;
      const int down = y < kPatchY - 1 ? kPatchX : 0;
      const float v = from[i];
      const float pulls = pull(from[i + up + left] - v) + pull(from[i + up] - v) +
                          pull(from[i + up + right] - v) + pull(from[i + left] - v) +
                          pull(from[i + right] - v) + pull(from[i + down + left] - v) +
                          pull(from[i + down] - v) + pull(from[i + down + right] - v);
      const float data = patch[i];
      const float next = v + kDiffusion * pulls - kData * data * (v - data);
      to[i] = next;
      change += fabsf(next - v);
    }
    changes[t] = change;
    __syncthreads();
    for (int half = 256; half > 0; half /= 2) {
      if (t < half && t + half < kFlowThreads) changes[t] += changes[t + half];
      __syncthreads();
    }
    now = 1 - now;
    const bool still = changes[0] < cutoff * kPatch;
    __syncthreads();  // before the next iteration's changes
    if (still) break;
  }
  for (int i = t; i < kPatch; i += kFlowThreads) flows[blockIdx.x * kPatch + i] = fields[now][i];
}
