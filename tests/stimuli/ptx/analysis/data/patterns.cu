// SPDX-License-Identifier: Apache-2.0
// Access patterns for the index analysis. patterns_test.cpp has the hand classification of each.
// patterns_clang14.ptx and patterns_nvcc13.ptx are this file as compiled by compile_ptx.cmake of
// stimuli/kernels (clang 14 -O3 and nvcc 13 -O3).
#include "../../../../../stimuli/kernels/cuda_device.h"

#define KERNEL extern "C" __global__ void
#define TILE 16

struct Dims {
  const float* data;
  int rows;
  int columns;
};

__device__ float weights[256];

__device__ __attribute__((noinline)) int row_major(int row, int width, int column) {
  return row * width + column;
}

// LADM Figure 6: the width is that of the grid.
KERNEL figure6(const float* a, const float* b, float* c) {
  __shared__ float as[TILE][TILE];
  __shared__ float bs[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  const int width = blockDim.x * gridDim.x;
  float sum = 0;
  for (int m = 0; m < width / TILE; ++m) {
    as[ty][tx] = a[row * width + m * TILE + tx];
    bs[ty][tx] = b[(m * TILE + ty) * width + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * width + col] = sum;
}

// The same with parameters as widths.
KERNEL tiled_gemm(const float* a, const float* b, float* c, int n, int depth) {
  __shared__ float as[TILE][TILE];
  __shared__ float bs[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int m = 0; m < depth; m += TILE) {
    as[ty][tx] = a[row * depth + m + tx];
    bs[ty][tx] = b[(m + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

// Both operands transposed: A is walked down its columns, B along its rows.
KERNEL tiled_gemm_tt(const float* at, const float* bt, float* c, int m_rows, int n, int depth) {
  __shared__ float as[TILE][TILE];
  __shared__ float bs[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  float sum = 0;
  for (int m = 0; m < depth; m += TILE) {
    as[tx][ty] = at[(m + ty) * m_rows + blockIdx.y * TILE + tx];
    bs[tx][ty] = bt[(blockIdx.x * TILE + ty) * depth + m + tx];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += as[k][ty] * bs[k][tx];
    __syncthreads();
  }
  c[(blockIdx.y * TILE + ty) * n + blockIdx.x * TILE + tx] = sum;
}

// No tiles: a thread walks along a row of A.
KERNEL naive_gemm(const float* a, const float* b, float* c, int n, int depth) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < depth; ++k) sum += a[row * depth + k] * b[k * n + col];
  c[row * n + col] = sum;
}

// 256 threads in a row make a tile.
KERNEL linear_tile(const float* a, float* c, int depth) {
  __shared__ float as[TILE][TILE];
  const int tx = threadIdx.x & 15, ty = threadIdx.x >> 4;
  float sum = 0;
  for (int m = 0; m < depth / TILE; ++m) {
    as[ty][tx] = a[(blockIdx.y * TILE + ty) * depth + m * TILE + tx];
    __syncthreads();
    sum += as[tx][ty];
    __syncthreads();
  }
  c[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.x] = sum;
}

// A width that the compiler knows.
KERNEL constant_width(const float* b, float* c, int depth) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = blockIdx.y;
  for (int k = 0; k < depth; ++k) sum += b[k * 128 + col];
  c[blockIdx.y * 128 + col] = sum;
}

KERNEL add_vectors(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

KERNEL add_doubles(const double* a, double* c, size_t n) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i];
}

KERNEL scale_bytes(unsigned char* a, short* b) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = a[i] * 2;
  b[i] = b[i] * 2;
}

KERNEL grid_stride(const float* a, float* b, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    b[i] = a[i] * 2;
  }
}

KERNEL grid_stride_unrolled(const float* a, float* b, int n) {
#pragma unroll 4
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    b[i] = a[i] * 2;
  }
}

KERNEL parameter_stride(const float* a, float* b, int n, int threads) {
  float sum = 0;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += threads) sum += a[i];
  b[blockIdx.x * 128 + threadIdx.x] = sum;
}

KERNEL reduce(const float* a, float* sums, unsigned n) {
  __shared__ float partial[256];
  float sum = 0;
  for (unsigned i = blockIdx.x * 512 + threadIdx.x; i < n; i += 512 * gridDim.x) {
    sum += a[i];
    if (i + 256 < n) sum += a[i + 256];
  }
  partial[threadIdx.x] = sum;
  for (unsigned s = 128; s > 0; s >>= 1) {
    __syncthreads();
    if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}

KERNEL persistent(const float* a, float* b, int tiles) {
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) b[t * 256 + threadIdx.x] = a[t * 256 + threadIdx.x];
}

// A thread sums its own row.
KERNEL row_sums(const float* a, float* sums, int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < width; ++j) sum += a[row * width + j];
  sums[row] = sum;
}

KERNEL row_sums_unrolled(const float* a, float* sums, int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 8
  for (int j = 0; j < width; ++j) sum += a[row * width + j];
  sums[row] = sum;
}

KERNEL row_sums_backwards(const float* a, float* sums, int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = width - 1; j >= 0; --j) sum = sum * 0.5f + a[row * width + j];
  sums[row] = sum;
}

KERNEL row_sums_vector(const float4* a, float* sums, int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < width; ++j) {
    const float4 v = a[row * width + j];
    sum += v.x + v.y + v.z + v.w;
  }
  sums[row] = sum;
}

// The pointer itself moves.
KERNEL row_sums_pointer(const float* a, float* sums, int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const float* p = a + row * width;
  const float* const end = p + width;
  float sum = 0;
#pragma unroll 1
  for (; p != end; ++p) sum += *p;
  sums[row] = sum;
}

KERNEL every_second(const float* a, float* sums, int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < width; ++j) sum += a[row * 64 + 2 * j];
  sums[row] = sum;
}

// A thread sums its own column.
KERNEL column_sums(const float* a, float* sums, int width, int height) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < height; ++j) sum += a[j * width + col];
  sums[col] = sum;
}

// Blocks of rows: the outer loop decides.
KERNEL blocked_rows(const float* a, float* sums, int width, int part) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float best = 0;
#pragma unroll 1
  for (int m = 0; m < width; m += part) {
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < part; ++k) sum += a[row * width + m + k];
    if (sum > best) best = sum;
  }
  sums[row] = best;
}

// The outer loop does not move the access.
KERNEL repeated_rows(const float* a, float* sums, int width, int times) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int t = 0; t < times; ++t) {
    sum *= 0.5f;
#pragma unroll 1
    for (int k = 0; k < width; ++k) sum += a[row * width + k];
  }
  sums[row] = sum;
}

KERNEL csr(const int* rows, const int* columns, const float* values, const float* x, float* y, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum = 0;
  for (int e = rows[row]; e < rows[row + 1]; ++e) sum += values[e] * x[columns[e]];
  y[row] = sum;
}

KERNEL gather(const int* index, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[index[i]];
}

KERNEL histogram_of(const int* a, int* bins, int* totals) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&bins[a[i] & 63], 1);
  atomicAdd(&totals[blockIdx.x], 1);
}

KERNEL broadcast(const float* x, const float* table, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = table[threadIdx.x];
#pragma unroll 1
  for (int j = 0; j < n; ++j) sum += x[j];
  y[i] = sum;
}

KERNEL row_bias(const float* row_bias_, const float* column_bias, float* y, int width) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  y[row * width + col] = row_bias_[row] + column_bias[col];
}

KERNEL stencil1d(const float* a, float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) b[i] = a[i - 1] + a[i] + a[i + 1];
}

KERNEL clamped_stencil(const float* a, float* b, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int left = x - 1 < 0 ? 0 : x - 1;
  const int right = x + 1 > width - 1 ? width - 1 : x + 1;
  b[y * width + x] = a[y * width + left] + a[y * width + right];
}

KERNEL stencil3d(const float* a, float* b, int width, int height, int depth) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  for (int z = 0; z < depth; ++z) {
    const int at = (z * height + y) * width + x;
    b[at] = a[at] * 0.5f;
  }
}

KERNEL square_index(const float* a, float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j) sum += a[i + j * j];
  b[i] = sum;
}

KERNEL swizzled(const float* a, float* b) {
  const int tile = blockIdx.x / 4 + (blockIdx.x % 4) * 16;
  b[blockIdx.x * 64 + threadIdx.x] = a[tile * 64 + threadIdx.x];
}

KERNEL split_and_join(const float* a, float* b, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = i / width, col = i % width;
  b[i] = a[row * width + col];
}

KERNEL find_zero(const float* a, int* found, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int at = -1;
  for (int j = i; j < n; j += blockDim.x * gridDim.x) {
    if (a[j] == 0.0f) {
      at = j;
      break;
    }
  }
  found[i] = at;
}

KERNEL linked_list(const int* next, int* last, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int at = i;
  for (int s = 0; s < steps; ++s) at = next[at];
  last[i] = at;
}

KERNEL chosen_array(const float* a, const float* b, float* c, int flag) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float* p = flag != 0 ? a : b;
  c[i] = p[i];
}

KERNEL pointer_table(float* const* arrays, float* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = arrays[blockIdx.x & 1][threadIdx.x];
}

KERNEL batched(const float* a, const float* w, float* b, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int at = (blockIdx.z * height + blockIdx.y) * width + x;
  b[at] = a[at] * w[x];
}

KERNEL by_value(Dims d, float* b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int r = 0; r < d.rows; ++r) sum += d.data[r * d.columns + i];
  b[i] = sum * weights[threadIdx.x];
}

KERNEL called_index(const float* a, float* b, int width) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  b[row_major(blockIdx.y, width, col)] = a[row_major(blockIdx.y, width, col)];
}

KERNEL unrolled_columns(const float* b, float* c, int n, int depth) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = blockIdx.y;
#pragma unroll 4
  for (int k = 0; k < depth; ++k) sum += b[k * n + col];
  c[blockIdx.y * n + col] = sum;
}

KERNEL interleaved(const float* a, float* b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += a[(blockIdx.x * 8 + k) * 64 + threadIdx.x];
  b[i] = sum;
}

KERNEL strip_walk(const float* a, float* c, int width) {
  float sum = 0;
#pragma unroll 1
  for (int r = 0; r < 16; ++r) sum += a[(blockIdx.y * 16 + r) * width + threadIdx.x];
  c[blockIdx.y * width + blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
