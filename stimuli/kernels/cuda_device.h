// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of CUDA's device language that kernels need, for clang without any SDK:
//   clang++ -x cuda --cuda-device-only -nocudainc -nocudalib -S -O3 --cuda-gpu-arch=sm_70
//           -include cuda_device.h kernel.cu -o kernel.ptx
// Under nvcc, which has these declarations, it only supplies the names of the integer types.

#if defined(__clang__) && !defined(__NVCC__)

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

using size_t = __SIZE_TYPE__;
using uint32_t = __UINT32_TYPE__;
using uint64_t = __UINT64_TYPE__;
using int32_t = __INT32_TYPE__;
using int64_t = __INT64_TYPE__;
using uint8_t = __UINT8_TYPE__;

// The special registers, as stateless objects with conversions that read the registers.
namespace tessera_cuda {

template <unsigned (*Read)()>
struct Register {
  __device__ __forceinline__ operator unsigned() const { return Read(); }
};

__device__ __forceinline__ unsigned tid_x() { return __nvvm_read_ptx_sreg_tid_x(); }
__device__ __forceinline__ unsigned tid_y() { return __nvvm_read_ptx_sreg_tid_y(); }
__device__ __forceinline__ unsigned tid_z() { return __nvvm_read_ptx_sreg_tid_z(); }
__device__ __forceinline__ unsigned ctaid_x() { return __nvvm_read_ptx_sreg_ctaid_x(); }
__device__ __forceinline__ unsigned ctaid_y() { return __nvvm_read_ptx_sreg_ctaid_y(); }
__device__ __forceinline__ unsigned ctaid_z() { return __nvvm_read_ptx_sreg_ctaid_z(); }
__device__ __forceinline__ unsigned ntid_x() { return __nvvm_read_ptx_sreg_ntid_x(); }
__device__ __forceinline__ unsigned ntid_y() { return __nvvm_read_ptx_sreg_ntid_y(); }
__device__ __forceinline__ unsigned ntid_z() { return __nvvm_read_ptx_sreg_ntid_z(); }
__device__ __forceinline__ unsigned nctaid_x() { return __nvvm_read_ptx_sreg_nctaid_x(); }
__device__ __forceinline__ unsigned nctaid_y() { return __nvvm_read_ptx_sreg_nctaid_y(); }
__device__ __forceinline__ unsigned nctaid_z() { return __nvvm_read_ptx_sreg_nctaid_z(); }

struct ThreadIndex {
  Register<tid_x> x;
  Register<tid_y> y;
  Register<tid_z> z;
};
struct BlockIndex {
  Register<ctaid_x> x;
  Register<ctaid_y> y;
  Register<ctaid_z> z;
};
struct BlockSize {
  Register<ntid_x> x;
  Register<ntid_y> y;
  Register<ntid_z> z;
};
struct GridSize {
  Register<nctaid_x> x;
  Register<nctaid_y> y;
  Register<nctaid_z> z;
};

}  // namespace tessera_cuda

// Not defined, because only the conversions of their empty members are used, which read no memory.
extern const __device__ __attribute__((weak)) tessera_cuda::ThreadIndex threadIdx;
extern const __device__ __attribute__((weak)) tessera_cuda::BlockIndex blockIdx;
extern const __device__ __attribute__((weak)) tessera_cuda::BlockSize blockDim;
extern const __device__ __attribute__((weak)) tessera_cuda::GridSize gridDim;

struct __attribute__((aligned(8))) float2 {
  float x, y;
};
struct __attribute__((aligned(16))) float4 {
  float x, y, z, w;
};
struct __attribute__((aligned(8))) int2 {
  int x, y;
};
struct __attribute__((aligned(16))) int4 {
  int x, y, z, w;
};
struct __attribute__((aligned(8))) uint2 {
  unsigned x, y;
};
struct __attribute__((aligned(16))) uint4 {
  unsigned x, y, z, w;
};
struct __attribute__((aligned(4))) uchar4 {
  unsigned char x, y, z, w;
};

// __syncthreads() is a builtin of clang.
__device__ __forceinline__ int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
__device__ __forceinline__ void __syncwarp(unsigned mask = 0xffffffffu) {
  __nvvm_bar_warp_sync(mask);
}
__device__ __forceinline__ void __threadfence() { __nvvm_membar_gl(); }
__device__ __forceinline__ void __threadfence_block() { __nvvm_membar_cta(); }

__device__ __forceinline__ int atomicAdd(int* p, int v) { return __nvvm_atom_add_gen_i(p, v); }
__device__ __forceinline__ unsigned atomicAdd(unsigned* p, unsigned v) {
  return static_cast<unsigned>(
      __nvvm_atom_add_gen_i(reinterpret_cast<int*>(p), static_cast<int>(v)));
}
__device__ __forceinline__ float atomicAdd(float* p, float v) {
  return __nvvm_atom_add_gen_f(p, v);
}
__device__ __forceinline__ int atomicMin(int* p, int v) { return __nvvm_atom_min_gen_i(p, v); }
__device__ __forceinline__ int atomicMax(int* p, int v) { return __nvvm_atom_max_gen_i(p, v); }
__device__ __forceinline__ unsigned atomicMin(unsigned* p, unsigned v) {
  return __nvvm_atom_min_gen_ui(p, v);
}
__device__ __forceinline__ unsigned atomicMax(unsigned* p, unsigned v) {
  return __nvvm_atom_max_gen_ui(p, v);
}
__device__ __forceinline__ int atomicExch(int* p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
__device__ __forceinline__ int atomicCAS(int* p, int compare, int v) {
  return __nvvm_atom_cas_gen_i(p, compare, v);
}

// Loads through the read-only path (ld.global.nc).
__device__ __forceinline__ float __ldg(const float* p) { return __nvvm_ldg_f(p); }
__device__ __forceinline__ int __ldg(const int* p) { return __nvvm_ldg_i(p); }
__device__ __forceinline__ unsigned __ldg(const unsigned* p) { return __nvvm_ldg_ui(p); }

// Shuffles within a whole warp. The constant is PTX's: clamp at lane 31, segments of 32.
__device__ __forceinline__ int __shfl_down_sync(unsigned mask, int v, unsigned by) {
  return __nvvm_shfl_sync_down_i32(mask, v, by, 0x1f);
}
__device__ __forceinline__ float __shfl_down_sync(unsigned mask, float v, unsigned by) {
  return __nvvm_shfl_sync_down_f32(mask, v, by, 0x1f);
}
// The constant of shfl.up clamps at lane 0.
__device__ __forceinline__ int __shfl_up_sync(unsigned mask, int v, unsigned by) {
  return __nvvm_shfl_sync_up_i32(mask, v, by, 0);
}
__device__ __forceinline__ unsigned __shfl_up_sync(unsigned mask, unsigned v, unsigned by) {
  return static_cast<unsigned>(__shfl_up_sync(mask, static_cast<int>(v), by));
}
__device__ __forceinline__ int __shfl_sync(unsigned mask, int v, int lane) {
  return __nvvm_shfl_sync_idx_i32(mask, v, lane, 0x1f);
}
__device__ __forceinline__ unsigned __shfl_sync(unsigned mask, unsigned v, int lane) {
  return static_cast<unsigned>(__shfl_sync(mask, static_cast<int>(v), lane));
}
__device__ __forceinline__ int __shfl_xor_sync(unsigned mask, int v, int lanes) {
  return __nvvm_shfl_sync_bfly_i32(mask, v, lanes, 0x1f);
}
__device__ __forceinline__ float __shfl_xor_sync(unsigned mask, float v, int lanes) {
  return __nvvm_shfl_sync_bfly_f32(mask, v, lanes, 0x1f);
}
__device__ __forceinline__ unsigned __ballot_sync(unsigned mask, int p) {
  return __nvvm_vote_ballot_sync(mask, p != 0);
}
__device__ __forceinline__ int __all_sync(unsigned mask, int p) {
  return __nvvm_vote_all_sync(mask, p != 0);
}

__device__ __forceinline__ int __popc(unsigned v) { return __builtin_popcount(v); }
__device__ __forceinline__ float sqrtf(float v) { return __nvvm_sqrt_rn_f(v); }
__device__ __forceinline__ float rsqrtf(float v) { return __nvvm_rsqrt_approx_f(v); }
// Fast approximations: ex2.approx and lg2.approx with a multiplication.
__device__ __forceinline__ float __expf(float v) { return __nvvm_ex2_approx_f(v * 1.44269504f); }
__device__ __forceinline__ float __logf(float v) { return __nvvm_lg2_approx_f(v) * 0.693147181f; }
__device__ __forceinline__ float fabsf(float v) { return __builtin_fabsf(v); }
__device__ __forceinline__ float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__device__ __forceinline__ float fminf(float a, float b) { return __builtin_fminf(a, b); }
__device__ __forceinline__ float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
template <class T>
__device__ __forceinline__ T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
__device__ __forceinline__ T max(T a, T b) {
  return a < b ? b : a;
}

#else

#include <stdint.h>

#endif
