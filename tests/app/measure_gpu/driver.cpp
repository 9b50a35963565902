// SPDX-License-Identifier: Apache-2.0
// CUDA's driver in small, for measure_gpu_test.py: device memory is the host's, a launch takes a
// microsecond a CTA, and the kernels that it knows run here: those of micro-launch, and wait_cycles
// at 1500 MHz. Other kernels do nothing.

#include <cuda.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

std::uint64_t now_ns = 0;

template <class T>
T argument(void** arguments, int i) {
  return *static_cast<T*>(arguments[i]);
}

}  // namespace

struct CUfunc_st {
  std::string name;
};
struct CUevent_st {
  std::uint64_t ns = 0;
};

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuGetErrorString(CUresult, const char** text) {
  *text = "an error in small";
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int bytes, CUdevice) {
  std::strncpy(name, "GPU in small", static_cast<std::size_t>(bytes));
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice) {
  *bytes = std::size_t{1} << 30;
  return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
  switch (which) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = 8;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = 0;
      break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 4;
      break;
    default:
      *value = 1 << 20;
  }
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  *context = nullptr;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxSynchronize() { return CUDA_SUCCESS; }
CUresult cuModuleLoad(CUmodule* module, const char*) {
  *module = nullptr;
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  *function = new CUfunc_st{name};
  return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute, CUfunction) {
  *value = 0;
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }
CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  *address = reinterpret_cast<CUdeviceptr>(std::malloc(bytes));
  return CUDA_SUCCESS;
}
CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, std::size_t bytes) {
  std::memset(reinterpret_cast<void*>(to), value, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  return CUDA_SUCCESS;
}
CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = new CUevent_st;
  return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event, CUstream) {
  event->ns = now_ns;
  return CUDA_SUCCESS;
}
CUresult cuEventElapsedTime(float* ms, CUevent begin, CUevent end) {
  *ms = static_cast<float>(end->ns - begin->ns) * 1e-6F;
  return CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent event) {
  delete event;
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction kernel, unsigned grid_x, unsigned, unsigned, unsigned, unsigned,
                        unsigned, unsigned, CUstream, void** arguments, void**) {
  if (kernel->name == "wait_cycles") {
    const auto wanted = argument<std::uint64_t>(arguments, 2);
    *argument<std::uint64_t*>(arguments, 0) = wanted;
    *argument<std::uint64_t*>(arguments, 1) = wanted * 2 / 3;
    return CUDA_SUCCESS;
  }
  if (kernel->name == "stamp") {
    *argument<std::uint64_t*>(arguments, 0) = now_ns * 3 / 2;
    *argument<std::uint32_t*>(arguments, 1) = argument<std::uint32_t>(arguments, 2);
  }
  now_ns += 1000 * std::uint64_t{grid_x};
  return CUDA_SUCCESS;
}
