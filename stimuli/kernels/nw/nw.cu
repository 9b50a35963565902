// SPDX-License-Identifier: Apache-2.0
// Needleman-Wunsch: the score of aligning the first i elements of one sequence with the first j of
// another, as the best of three neighbours. One launch an anti-diagonal of 16 x 16 tiles, one CTA
// of 16 threads a tile, which sweeps its own anti-diagonals in shared memory. scores and similarity
// have cols = n + 1 columns and rows; the host fills the first ones. n is a multiple of 16.
#include "../cuda_device.h"

constexpr int kTile = 16;

// Tile (first_y + CTA, last_x - CTA) of the anti-diagonal.
extern "C" __global__ void nw_diagonal(int* scores, const int* __restrict__ similarity, int cols,
                                       int penalty, int first_y, int last_x) {
  __shared__ int score[kTile + 1][kTile + 1];
  __shared__ int similar[kTile][kTile];
  const int t = threadIdx.x;
  const int tile_y = first_y + blockIdx.x;
  const int tile_x = last_x - blockIdx.x;
  // The element above and left of the tile.
  const int corner = tile_y * kTile * cols + tile_x * kTile;
  for (int row = 0; row < kTile; ++row) {
    similar[row][t] = similarity[corner + (row + 1) * cols + t + 1];
  }
  if (t == 0) score[0][0] = scores[corner];
  score[0][t + 1] = scores[corner + t + 1];
  score[t + 1][0] = scores[corner + (t + 1) * cols];
  __syncthreads();
  // Thread t has column t; anti-diagonal d meets it in row d - t.
  for (int d = 0; d < 2 * kTile - 1; ++d) {
    const int row = d - t;
    if (row >= 0 && row < kTile) {
      const int aligned = score[row][t] + similar[row][t];
      const int gap = max(score[row][t + 1], score[row + 1][t]) - penalty;
      score[row + 1][t + 1] = max(aligned, gap);
    }
    __syncthreads();
  }
  for (int row = 0; row < kTile; ++row) {
    scores[corner + (row + 1) * cols + t + 1] = score[row + 1][t + 1];
  }
}
