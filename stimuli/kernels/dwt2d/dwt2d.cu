// SPDX-License-Identifier: Apache-2.0
// One level of the reversible 5/3 wavelet transform of an image: rows, then columns, by lifting in
// shared memory. As in Rodinia, a CTA has one thread for each column of its strip and slides a
// window of eight rows down the strip, `steps` times. It stages two more pixels before and one
// after in each direction, mirrored at the image's ends. The output has the four sub-bands as
// quadrants. The width is a multiple of the CTA's, the height of the window's.
#include "../cuda_device.h"

constexpr int kMostColumns = 192;
constexpr int kRows = 8;
constexpr int kBefore = 2;
constexpr int kHalo = kBefore + 1;
constexpr int kStagedRows = kRows + kHalo;

__device__ __forceinline__ int mirrored(int at, int n) {
  if (at < 0) return -at;
  return at < n ? at : 2 * n - 2 - at;
}

// Lifts `lines` lines of n staged pixels; pixels of a line are `along` apart, lines `across`.
__device__ __forceinline__ void lift(int* s, int lines, int n, int along, int across) {
  const int pairs = n / 2;  // odd pixels of a line
  for (int k = threadIdx.x; k < lines * pairs; k += blockDim.x) {
    int* at = s + k / pairs * across + (2 * (k % pairs) + 1) * along;
    *at -= (at[-along] + at[along]) >> 1;
  }
  __syncthreads();
  for (int k = threadIdx.x; k < lines * (pairs - 1); k += blockDim.x) {
    int* at = s + k / (pairs - 1) * across + (2 * (k % (pairs - 1)) + 2) * along;
    *at += (at[-along] + at[along] + 2) >> 2;
  }
  __syncthreads();
}

extern "C" __global__ void dwt2d(const int* __restrict__ in, int* __restrict__ out, int width,
                                 int height, int steps) {
  __shared__ int s[kStagedRows * (kMostColumns + kHalo)];
  const int columns = blockDim.x;
  const int pitch = columns + kHalo;
  const int left = blockIdx.x * columns - kBefore;
  const int begin = blockIdx.y * steps * kRows;
  const int end = min(begin + steps * kRows, height);
  // Threads of the first half write even columns, the others odd ones: runs of the sub-bands.
  const int half = columns / 2;
  const int column = threadIdx.x < half ? 2 * threadIdx.x : 2 * (threadIdx.x - half) + 1;
  const int x = blockIdx.x * columns + column;
  const int to_x = x / 2 + (x % 2) * (width / 2);
  for (int top = begin; top < end; top += kRows) {
    for (int row = 0; row < kStagedRows; ++row) {
      const int* line = in + mirrored(top - kBefore + row, height) * width;
      for (int k = threadIdx.x; k < pitch; k += columns) {
        s[row * pitch + k] = line[mirrored(left + k, width)];
      }
    }
    __syncthreads();
    lift(s, kStagedRows, pitch, 1, pitch);
    lift(s, pitch, kStagedRows, pitch, 1);
    for (int row = 0; row < kRows; ++row) {
      const int y = top + row;
      const int to_y = y / 2 + (y % 2) * (height / 2);
      out[to_y * width + to_x] = s[(row + kBefore) * pitch + column + kBefore];
    }
    __syncthreads();  // before the next window's pixels
  }
}
