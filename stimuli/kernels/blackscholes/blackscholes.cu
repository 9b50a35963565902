// SPDX-License-Identifier: Apache-2.0
// Prices of European options after Black and Scholes: three input streams, two output streams, much
// arithmetic between, in a grid stride. The normal distribution is the polynomial 26.2.17 of
// Abramowitz and Stegun.
#include "../cuda_device.h"

__device__ __forceinline__ float normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float series =
      k * (0.31938153f +
           k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float upper = 0.39894228f * __expf(-0.5f * d * d) * series;
  return d > 0.0f ? 1.0f - upper : upper;
}

extern "C" __global__ void blackscholes(const float* __restrict__ price,
                                        const float* __restrict__ strike,
                                        const float* __restrict__ years, float* __restrict__ call,
                                        float* __restrict__ put, float rate, float volatility,
                                        int n) {
  const int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    const float s = price[i];
    const float x = strike[i];
    const float t = years[i];
    const float deviation = volatility * sqrtf(t);
    const float drift = (rate + 0.5f * volatility * volatility) * t;
    const float d1 = (__logf(s / x) + drift) / deviation;
    const float n1 = normal(d1);
    const float n2 = normal(d1 - deviation);
    const float discounted = x * __expf(-rate * t);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
  }
}
