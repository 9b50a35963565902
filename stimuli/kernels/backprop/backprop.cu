// SPDX-License-Identifier: Apache-2.0
// Training step of a layer with 16 hidden units: the forward pass multiplies 16 x 16 tiles of the
// weights with their chunk of the inputs and adds each tile up as a tree in shared memory; the
// second pass adjusts all weights. Row and column 0 of the weights belong to the bias units and are
// left alone.
#include "../cuda_device.h"

constexpr int kTile = 16;
constexpr int kPitch = kTile + 1;  // of the weights

__device__ __forceinline__ int weight_index() {
  return (blockIdx.x * kTile + threadIdx.y + 1) * kPitch + threadIdx.x + 1;
}

// partial[tile][unit]
extern "C" __global__ void backprop_forward(const float* __restrict__ input,
                                            const float* __restrict__ weights,
                                            float* __restrict__ partial) {
  __shared__ float chunk[kTile];
  __shared__ float products[kTile][kTile];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  if (ty == 0) chunk[tx] = input[blockIdx.x * kTile + tx];
  __syncthreads();
  products[ty][tx] = weights[weight_index()] * chunk[ty];
  for (int half = kTile / 2; half > 0; half /= 2) {
    __syncthreads();
    if (ty < half) products[ty][tx] += products[ty + half][tx];
  }
  if (ty == 0) partial[blockIdx.x * kTile + tx] = products[0][tx];
}

extern "C" __global__ void backprop_adjust(const float* __restrict__ input,
                                           const float* __restrict__ delta, float* weights,
                                           float* changes, float rate, float momentum) {
  const int at = weight_index();
  const float change =
      rate * delta[threadIdx.x] * input[blockIdx.x * kTile + threadIdx.y] + momentum * changes[at];
  weights[at] += change;
  changes[at] = change;
}
