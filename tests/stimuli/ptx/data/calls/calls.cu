// SPDX-License-Identifier: Apache-2.0
// The source of the .ptx files here, which name the command that made each of them; nothing builds
// it. tests/stimuli/ptx/call_programs_test.cpp has independent references of these kernels.
#include "cuda_device.h"

// Ray intersection by virtual functions. `tag` says what a shape is, for the reference only.
struct Ray {
  float ox, oy, oz, dx, dy, dz;
};
struct Shape {
  float a, b, c, d;
  __device__ virtual float hit(const Ray& r) const = 0;
  __device__ virtual int weight(int salt) const { return salt + 1; }
};
struct Sphere : Shape {
  __device__ float hit(const Ray& r) const override {
    const float x = r.ox - a, y = r.oy - b, z = r.oz - c;
    const float half = x * r.dx + y * r.dy + z * r.dz;
    const float inside = half * half - (x * x + y * y + z * z - d * d);
    return inside < 0 ? -1.0f : -half - inside * 0.25f;
  }
};
struct Plane : Shape {
  __device__ float hit(const Ray& r) const override {
    const float along = a * r.dx + b * r.dy + c * r.dz;
    if (along == 0) return -1.0f;
    return (d - (a * r.ox + b * r.oy + c * r.oz)) / along;
  }
  __device__ int weight(int salt) const override { return 3 * salt; }
};
struct Slab : Shape {
  __device__ float hit(const Ray& r) const override {
    float best = -1.0f;
    const float at[3] = {(a - r.ox), (b - r.oy), (c - r.oz)};
    const float step[3] = {r.dx, r.dy, r.dz};
    for (int i = 0; i < 3; ++i) {
      if (step[i] == 0) continue;
      const float t = (at[i] + d) / step[i];
      if (t > best) best = t;
    }
    return best;
  }
  __device__ int weight(int salt) const override { return salt ^ 0x55; }
};
struct Disc : Plane {
  __device__ float hit(const Ray& r) const override {
    const float t = Plane::hit(r);
    return t * t > 4.0f * d ? -1.0f : t;
  }
};

#ifndef __CUDACC_VER_MAJOR__
inline __device__ void* operator new(size_t, void* at) { return at; }
#endif

// kinds[i] selects the class; values has 4 numbers a shape; shapes has 32 bytes a shape.
__global__ void make_shapes(const int* kinds, const float* values, char* shapes, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Shape* s;
  void* at = shapes + 32 * i;
  switch (kinds[i]) {
    case 0: s = new (at) Sphere; break;
    case 1: s = new (at) Plane; break;
    case 2: s = new (at) Slab; break;
    default: s = new (at) Disc; break;
  }
  s->a = values[4 * i];
  s->b = values[4 * i + 1];
  s->c = values[4 * i + 2];
  s->d = values[4 * i + 3];
}

// Each thread starts at another shape, so that the lanes of a warp call different functions.
__global__ void trace(const char* shapes, int count, const float* rays, float* nearest, int* which) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const Ray r = {rays[6 * t],     rays[6 * t + 1], rays[6 * t + 2],
                 rays[6 * t + 3], rays[6 * t + 4], rays[6 * t + 5]};
  float best = 1e30f;
  int found = -1;
#pragma unroll 1
  for (int k = 0; k < count; ++k) {
    const int i = (t + k) % count;
    const Shape* s = reinterpret_cast<const Shape*>(shapes + 32 * i);
    const float at = s->hit(r);
    if (at > 0 && at < best) {
      best = at;
      found = s->weight(i);
    }
  }
  nearest[t] = best;
  which[t] = found;
}

// A recursive walk over a binary tree.
struct Node {
  int key, left, right, value;
};
__device__ __noinline__ int walk(const Node* nodes, int at, int low, int high, int depth) {
  if (at < 0) return 1;
  const Node n = nodes[at];
  int sum = n.key >= low && n.key < high ? n.value * (depth + 1) : 0;
  if (n.key >= low) sum += 3 * walk(nodes, n.left, low, high, depth + 1);
  if (n.key < high) sum -= walk(nodes, n.right, low, high, depth + 1);
  return sum ^ depth;
}
__global__ void walk_tree(const Node* nodes, const int* bounds, int* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = walk(nodes, 0, bounds[2 * t], bounds[2 * t + 1], 0);
}

// Two functions that call each other, with local arrays in their frames.
__device__ __noinline__ int odd_part(int n, const int* data);
__device__ __noinline__ int even_part(int n, const int* data) {
  int kept[4];
  for (int i = 0; i < 4; ++i) kept[i] = data[(n + i) & 31] + n;
  if (n <= 0) return kept[0];
  const int below = odd_part(n - 1 - (kept[1] & 1), data);
  return below * 2 + kept[(below ^ n) & 3];
}
__device__ __noinline__ int odd_part(int n, const int* data) {
  if (n <= 0) return 7;
  int kept[2] = {data[n & 31], n};
  const int below = even_part(n - 1, data) - even_part(n - 2, data);
  return below + kept[below & 1];
}
__global__ void mutual(const int* data, int* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = even_part(t % 9, data);
}

// A merge sort whose frames have buffers.
__device__ __noinline__ void merge_sort(int* a, int n) {
  if (n < 2) return;
  const int half = n / 2;
  int left[8];
#pragma unroll 1
  for (int i = 0; i < half; ++i) left[i] = a[i];
  merge_sort(left, half);
  merge_sort(a + half, n - half);
  int i = 0, j = half, k = 0;
#pragma unroll 1
  while (i < half) a[k++] = j < n && a[j] < left[i] ? a[j++] : left[i++];
}
__global__ void sort_each(int* data) {
  int mine[16];
  int* at = data + 16 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int i = 0; i < 16; ++i) mine[i] = at[i];
  merge_sort(mine, 1 + threadIdx.x % 16);
  for (int i = 0; i < 16; ++i) at[i] = mine[i];
}

// An expression tree whose nodes evaluate their children by virtual calls.
struct Expression {
  __device__ virtual int value(int x) const = 0;
};
struct Leaf : Expression {
  int c;
  __device__ int value(int x) const override { return c + x; }
};
struct Sum : Expression {
  const Expression *l, *r;
  __device__ int value(int x) const override { return l->value(x) + r->value(x + 1); }
};
struct Product : Expression {
  const Expression *l, *r;
  __device__ int value(int x) const override {
    const int v = l->value(x ^ 1);
    return v == 0 ? 0 : v * r->value(x) - x;
  }
};
__global__ void evaluate(int* out) {
  const int t = threadIdx.x;
  Leaf leaf[4];
  for (int i = 0; i < 4; ++i) leaf[i].c = i * t - 3;
  Sum sum;
  sum.l = &leaf[t & 3];
  sum.r = &leaf[1];
  Product product;
  product.l = &sum;
  product.r = t % 3 == 0 ? static_cast<Expression*>(&leaf[2]) : &sum;
  Sum top;
  top.l = &product;
  top.r = t & 4 ? static_cast<Expression*>(&product) : &leaf[3];
  const Expression* root = t % 5 == 0 ? static_cast<Expression*>(&leaf[0]) : &top;
  out[t] = root->value(t);
}

// Function pointers in constant memory, in shared memory, and in a structure by value.
using Operation = int (*)(int, int);
__device__ __noinline__ int add_two(int a, int b) { return a + b; }
__device__ __noinline__ int take_away(int a, int b) { return a - 2 * b; }
__device__ __noinline__ int mix(int a, int b) { return (a << 3) ^ b; }
__device__ __noinline__ int first(int a, int) { return a; }
__constant__ Operation table[4] = {add_two, take_away, mix, first};
struct Job {
  int values[5];
  Operation run;
  long long bias;
};
__device__ __noinline__ int run_job(Job job, int which) {
  return job.run(job.values[which % 5], which) + static_cast<int>(job.bias);
}
__global__ void pointers(const int* in, int* out) {
  __shared__ Operation here[4];
  const int t = threadIdx.x;
  if (t < 4) here[3 - t] = table[t];
  __syncthreads();
  Job job;
  for (int i = 0; i < 5; ++i) job.values[i] = in[t] + i;
  job.run = here[in[t] & 3];
  job.bias = 1000 * t;
  int v = table[t & 3](in[t], t);
  if (t % 7 != 0) v += run_job(job, in[t] & 15);
  out[t] = v;
}

// Recursion of different depth with barriers of the warp and of the CTA around it.
__device__ __noinline__ unsigned fibonacci(unsigned n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
__global__ void numbers(unsigned* out) {
  __shared__ unsigned shared[128];
  const unsigned t = threadIdx.x;
  shared[t] = fibonacci(t % 11);
  __syncthreads();
  out[t] = shared[(t + 1) % blockDim.x] * 64 + ackermann(t % 3, t % 4);
}
