// SPDX-License-Identifier: Apache-2.0
// The source of the .ptx files here, which name the command that made each of them. It needs no
// header, so that clang and nvcc both take it; nothing builds it.
#ifdef __CUDACC_VER_MAJOR__
#define TID threadIdx.x
#else
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(a, b) __attribute__((launch_bounds(a, b)))
#define TID __nvvm_read_ptx_sreg_tid_x()
#endif

struct Record {
  int a;
  double d[3];
  char c;
};

__constant__ float coefficient[16] = {1.f, 2.f, -3.5f};
__device__ int counter = 7;
__device__ int* pointer = &counter;
__device__ double grid[2][3] = {{1, 2, 3}, {4, -5.5, 6}};
extern __shared__ float dynamic[];

#ifdef __CUDACC_VER_MAJOR__
struct __attribute__((packed)) Packed {
  char c;
  int* p;
  short s;
};
__device__ int table[10];
__device__ Packed packed = {1, &table[1], 9};
#endif

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ __noinline__ Record marked(Record r, char c) {
  r.c = c;
  return r;
}

typedef int (*Operation)(int);
__device__ int successor(int a) { return a + 1; }
__device__ int triple(int a) { return a * 3; }
__device__ Operation operation[2] = {successor, triple};

__global__ void __launch_bounds__(128, 2)
    tile(const float* __restrict__ in, Record r, float* out, char k) {
  __shared__ float t[33][4];
  int i = TID;
  t[i & 31][1] = in[i] + coefficient[i & 15] + dynamic[i];
  __syncthreads();
  out[i] = static_cast<float>(r.d[1]) * t[i & 3][1] / in[i + 1];
  counter += k;
  grid[1][i] = r.d[2];
  *pointer = i;
#ifdef __CUDACC_VER_MAJOR__
  packed.s += *packed.p;
#endif
}

__global__ void calls(int* o, Record* q) {
  o[TID] = fibonacci(o[TID]);
  q[0] = marked(q[1], 'x');
  o[0] = operation[o[1] & 1](o[2]);
}

__global__ void scopes(int* o) {
  int x;
  asm volatile(
      "{\n .reg .pred p;\n setp.ne.b32 p, %1, 0;\n @!p bra L1;\n mov.u32 %0, 0x1F;\n"
      " L1: add.u32 %0, %1, (1<<4)+WARP_SZ;\n}"
      : "=r"(x)
      : "r"(o[0]));
  asm volatile("{ .reg .pred p, q; setp.ge.and.s32 p|q, %1, 3, !p; selp.b32 %0, 1, -1, q; }"
               : "=r"(o[1])
               : "r"(x));
  o[7] = x;
}

__global__ void local(int* o, unsigned char* u, long long* l) {
  int a[64];
  for (int i = 0; i < 64; i++) a[i] = o[i] * i;
  for (int i = 0; i < o[3]; i++) o[4] += a[o[i] & 63];
  u[0] = u[1] > u[2] ? 3 : u[4];
  l[0] = l[1] / l[2];
}
