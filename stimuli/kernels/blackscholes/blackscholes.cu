// SPDX-License-Identifier: Apache-2.0
// Prices of European options after Black and Scholes. The normal distribution is the polynomial
// 26.2.17 of Abramowitz and Stegun.
#include "../cuda_device.h"

__device__ __forceinline__ float normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float series =
      k * (0.31938153f +
           k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float upper = 0.39894228f * __expf(-0.5f * d * d) * series;
  return d > 0.0f ? 1.0f - upper : upper;
}

struct Terms {
  float n1, n2, discounted;
};

__device__ __forceinline__ Terms terms(float s, float x, float t, float rate, float volatility) {
  const float deviation = volatility * sqrtf(t);
  const float drift = (rate + 0.5f * volatility * volatility) * t;
  const float d1 = (__logf(s / x) + drift) / deviation;
  const float n1 = normal(d1);
  const float n2 = normal(d1 - deviation);
  return {n1, n2, x * __expf(-rate * t)};
}

__device__ __forceinline__ float call_price(float s, const Terms& t) {
  return s * t.n1 - t.discounted * t.n2;
}

__device__ __forceinline__ float put_price(float s, const Terms& t) {
  return t.discounted * (1.0f - t.n2) - s * (1.0f - t.n1);
}

// Three input streams and two output streams, in a grid stride.
extern "C" __global__ void blackscholes(const float* __restrict__ price,
                                        const float* __restrict__ strike,
                                        const float* __restrict__ years, float* __restrict__ call,
                                        float* __restrict__ put, float rate, float volatility,
                                        int n) {
  const int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    const float s = price[i];
    const Terms t = terms(s, strike[i], years[i], rate, volatility);
    call[i] = call_price(s, t);
    put[i] = put_price(s, t);
  }
}

// A parameter between its limits, by a random number from 0 to 1.
__device__ __forceinline__ float between(float low, float high, float random) {
  return low * random + high * (1.0f - random);
}

__device__ __forceinline__ void random_option(float random, float* call, float* put) {
  const float price = between(10.0f, 100.0f, random);
  const Terms t = terms(price, price, between(1.0f, 10.0f, random), between(0.01f, 0.05f, random),
                        between(0.01f, 0.1f, random));
  *call = call_price(price, t);
  *put = put_price(price, t);
}

// Four options a thread, as in the sample of the AMD APP SDK: one input stream of random numbers,
// from which the parameters of an option follow. Its strike equals its price.
extern "C" __global__ void blackscholes_float4(const float4* __restrict__ random,
                                               float4* __restrict__ call,
                                               float4* __restrict__ put) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 r = random[i];
  float4 c;
  float4 p;
  random_option(r.x, &c.x, &p.x);
  random_option(r.y, &c.y, &p.y);
  random_option(r.z, &c.z, &p.z);
  random_option(r.w, &c.w, &p.w);
  call[i] = c;
  put[i] = p;
}
