// SPDX-License-Identifier: Apache-2.0
// y = A x with A in jagged diagonals: rows are sorted by their number of values, and the k-th
// values of all rows that have one stand together, so that the lanes of a warp, one row each, read
// values and columns coalesced and gather from x. The rows of a warp are filled up to one length.
// A CTA is one warp; results go back to the rows' old places.
#include "../cuda_device.h"

extern "C" __global__ void spmv_jds(const int* __restrict__ lengths,
                                    const int* __restrict__ diagonals,
                                    const int* __restrict__ columns,
                                    const float* __restrict__ values,
                                    const int* __restrict__ permutation,
                                    const float* __restrict__ x, float* __restrict__ y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int length = lengths[blockIdx.x];
  float sum = 0.0f;
  for (int k = 0; k < length; ++k) {
    const int at = diagonals[k] + row;
    sum += values[at] * x[columns[at]];
  }
  y[permutation[row]] = sum;
}
