// SPDX-License-Identifier: Apache-2.0
// One level of the reversible 5/3 wavelet transform of an image: rows, then columns, by lifting in
// shared memory. A CTA of 32 x 8 threads transforms a tile of 32 x 32 pixels, for which it stages
// two more pixels before and one after in each direction, mirrored at the image's ends. The output
// has the four sub-bands as quadrants. Width and height are multiples of 32.
#include "../cuda_device.h"

constexpr int kTile = 32;
constexpr int kBefore = 2;
constexpr int kStaged = kTile + kBefore + 1;
constexpr int kThreads = 32 * 8;

__device__ __forceinline__ int mirrored(int at, int n) {
  if (at < 0) return -at;
  return at < n ? at : 2 * n - 2 - at;
}

// Lifts kStaged lines; pixels of a line are `along` apart, lines `across`.
__device__ __forceinline__ void lift(int* s, int along, int across, int thread) {
  constexpr int kPairs = kStaged / 2;  // odd pixels of a line
  for (int k = thread; k < kStaged * kPairs; k += kThreads) {
    int* at = s + k / kPairs * across + (2 * (k % kPairs) + 1) * along;
    *at -= (at[-along] + at[along]) >> 1;
  }
  __syncthreads();
  for (int k = thread; k < kStaged * (kPairs - 1); k += kThreads) {
    int* at = s + k / (kPairs - 1) * across + (2 * (k % (kPairs - 1)) + 2) * along;
    *at += (at[-along] + at[along] + 2) >> 2;
  }
  __syncthreads();
}

extern "C" __global__ void dwt2d(const int* __restrict__ in, int* __restrict__ out, int width,
                                 int height) {
  __shared__ int s[kStaged * kStaged];
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  const int left = blockIdx.x * kTile - kBefore;
  const int top = blockIdx.y * kTile - kBefore;
  for (int k = thread; k < kStaged * kStaged; k += kThreads) {
    const int y = mirrored(top + k / kStaged, height);
    const int x = mirrored(left + k % kStaged, width);
    s[k] = in[y * width + x];
  }
  __syncthreads();
  lift(s, 1, kStaged, thread);
  lift(s, kStaged, 1, thread);
  for (int row = threadIdx.y; row < kTile; row += blockDim.y) {
    const int y = blockIdx.y * kTile + row;
    const int x = blockIdx.x * kTile + threadIdx.x;
    const int to_y = y / 2 + (y % 2) * (height / 2);
    const int to_x = x / 2 + (x % 2) * (width / 2);
    out[to_y * width + to_x] = s[(row + kBefore) * kStaged + threadIdx.x + kBefore];
  }
}
