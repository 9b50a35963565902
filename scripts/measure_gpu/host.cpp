// SPDX-License-Identifier: Apache-2.0
// The host program of scripts/measure-gpu, with CUDA's driver API.
//
//   host info                                          what the GPU is
//   host run PLAN KERNELS.cubin CLOCK.cubin SEED       runs a plan (contents.h)
//
// Prints lines of "KEY VALUE". A run prints "ns LAUNCH KERNEL NS..." for each launch, with a time
// for each timed round, and then "sm_mhz MHZ". Kernels of the last round have no events between
// them. Exit status: 0, or 1 with a message on standard error.

#include <cuda.h>

#include <cstdio>
#include <fstream>
#include <iostream>

#include "scripts/measure_gpu/contents.h"

namespace measure_gpu {
namespace {

void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* text = nullptr;
  cuGetErrorString(result, &text);
  throw std::runtime_error(std::string(what) + ": " + (text != nullptr ? text : "unknown error"));
}

CUdevice open_device() {
  check(cuInit(0), "cuInit");
  CUdevice device = 0;
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  return device;
}

int attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  check(cuDeviceGetAttribute(&value, which, device), "cuDeviceGetAttribute");
  return value;
}

void info() {
  const CUdevice device = open_device();
  char name[256] = {};
  std::size_t memory = 0;
  int api = 0;
  check(cuDeviceGetName(name, sizeof name, device), "cuDeviceGetName");
  check(cuDeviceTotalMem(&memory, device), "cuDeviceTotalMem");
  check(cuDriverGetVersion(&api), "cuDriverGetVersion");
  std::cout << "gpu " << name << "\nmemory " << memory << "\ncuda " << api / 1000 << '.'
            << api % 1000 / 10 << "\nsms "
            << attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) << "\ncompute "
            << attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) << '.'
            << attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) << "\nl2_bytes "
            << attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE) << '\n';
}

/// A kernel that waits, to bring the GPU to its clock and to measure it.
class Clock {
 public:
  explicit Clock(const std::string& cubin) {
    check(cuModuleLoad(&module_, cubin.c_str()), "cuModuleLoad");
    check(cuModuleGetFunction(&wait_, module_, "wait_cycles"), "cuModuleGetFunction");
    check(cuMemAlloc(&out_, 16), "cuMemAlloc");
  }

  double mhz(std::uint64_t cycles) {
    CUdeviceptr nanoseconds = out_ + 8;
    void* arguments[] = {&out_, &nanoseconds, &cycles};
    check(cuLaunchKernel(wait_, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr),
          "cuLaunchKernel");
    std::uint64_t both[2] = {};
    check(cuMemcpyDtoH(both, out_, sizeof both), "cuMemcpyDtoH");
    return both[1] == 0 ? 0 : 1000.0 * static_cast<double>(both[0]) / static_cast<double>(both[1]);
  }

 private:
  CUmodule module_ = nullptr;
  CUfunction wait_ = nullptr;
  CUdeviceptr out_ = 0;
};

class Run {
 public:
  Run(const Plan& plan, const std::string& cubin, std::uint64_t seed) : plan_(plan), seed_(seed) {
    check(cuModuleLoad(&module_, cubin.c_str()), "cuModuleLoad");
    for (const Array& a : plan_.arrays) {
      check(cuMemAlloc(&addresses_[a.name], std::max<std::uint64_t>(a.bytes(), 16)), "cuMemAlloc");
    }
    for (const Step& s : plan_.steps) {
      if (s.what != "launch") continue;
      CUfunction& kernel = kernels_[s.name];
      if (kernel != nullptr) continue;
      check(cuModuleGetFunction(&kernel, module_, s.name.c_str()), "cuModuleGetFunction");
      int fixed = 0;
      check(cuFuncGetAttribute(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel),
            "cuFuncGetAttribute");
      if (fixed + s.shared > 48 * 1024) {
        check(cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                 static_cast<int>(s.shared)),
              "cuFuncSetAttribute");
      }
    }
  }

  void run(Clock& clock) {
    std::vector<std::vector<double>> times;
    clock.mhz(kWarmCycles);
    for (unsigned round = 0; round < plan_.rounds; ++round) timed_round(times);
    initialise();
    clock.mhz(kWarmCycles);
    for (const Step& s : plan_.steps) execute(s);
    check(cuCtxSynchronize(), "cuCtxSynchronize");
    const double mhz = clock.mhz(kWarmCycles / 8);
    for (const auto& [array, file] : plan_.reads) read(plan_.array(array), file);
    std::size_t number = 0;
    for (const Step& s : plan_.steps) {
      if (s.what != "launch") continue;
      std::printf("ns %zu %s", number, s.name.c_str());
      if (number < times.size()) {
        for (const double ns : times[number]) std::printf(" %.0f", ns);
      }
      std::printf("\n");
      ++number;
    }
    std::printf("sm_mhz %.1f\n", mhz);
  }

 private:
  static constexpr std::uint64_t kWarmCycles = 40'000'000;
  /// Contents up to this size are generated once.
  static constexpr std::uint64_t kKeptBytes = std::uint64_t{1} << 28;

  void initialise() {
    for (const Array& a : plan_.arrays) {
      if (a.kind == "zero") {
        check(cuMemsetD8(addresses_[a.name], 0, a.bytes()), "cuMemsetD8");
        continue;
      }
      Bytes& kept = contents_[a.name];
      if (kept.empty()) kept = Contents(plan_, a, seed_).all();
      check(cuMemcpyHtoD(addresses_[a.name], kept.data(), kept.size()), "cuMemcpyHtoD");
      if (kept.size() > kKeptBytes) Bytes().swap(kept);
    }
    check(cuCtxSynchronize(), "cuCtxSynchronize");
  }

  void execute(const Step& s) {
    const CUdeviceptr at = s.what == "launch" ? 0 : addresses_.at(s.name);
    if (s.what == "fill") {
      const Array& a = plan_.array(s.name);
      Bytes all;
      for (std::uint64_t i = 0; i < a.count; ++i) {
        all.insert(all.end(), s.value.begin(), s.value.end());
      }
      check(cuMemcpyHtoD(at, all.data(), all.size()), "cuMemcpyHtoD");
      return;
    }
    if (s.what == "set") {
      check(cuMemcpyHtoD(at + s.element * s.value.size(), s.value.data(), s.value.size()),
            "cuMemcpyHtoD");
      return;
    }
    std::vector<Bytes> values;
    std::vector<void*> pointers;
    for (const Argument& a : s.arguments) {
      values.push_back(a.bytes);
      for (const Argument::Address& x : a.addresses) {
        const std::uint64_t address =
            addresses_.at(x.array) + x.element * plan_.array(x.array).element_bytes();
        std::memcpy(values.back().data() + x.offset, &address, sizeof address);
      }
    }
    for (Bytes& v : values) pointers.push_back(v.data());
    check(cuLaunchKernel(kernels_.at(s.name), s.grid[0], s.grid[1], s.grid[2], s.block[0],
                         s.block[1], s.block[2], s.shared, nullptr, pointers.data(), nullptr),
          "cuLaunchKernel");
  }

  /// Appends the time of each launch.
  void timed_round(std::vector<std::vector<double>>& times) {
    initialise();
    std::vector<std::pair<CUevent, CUevent>> events;
    for (const Step& s : plan_.steps) {
      if (s.what != "launch") {
        execute(s);
        continue;
      }
      events.emplace_back();
      check(cuEventCreate(&events.back().first, CU_EVENT_DEFAULT), "cuEventCreate");
      check(cuEventCreate(&events.back().second, CU_EVENT_DEFAULT), "cuEventCreate");
      check(cuEventRecord(events.back().first, nullptr), "cuEventRecord");
      execute(s);
      check(cuEventRecord(events.back().second, nullptr), "cuEventRecord");
    }
    check(cuCtxSynchronize(), "cuCtxSynchronize");
    times.resize(events.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
      float ms = 0;
      check(cuEventElapsedTime(&ms, events[i].first, events[i].second), "cuEventElapsedTime");
      times[i].push_back(1e6 * static_cast<double>(ms));
      check(cuEventDestroy(events[i].first), "cuEventDestroy");
      check(cuEventDestroy(events[i].second), "cuEventDestroy");
    }
  }

  void read(const Array& a, const std::string& path) {
    Bytes all(a.bytes());
    check(cuMemcpyDtoH(all.data(), addresses_.at(a.name), all.size()), "cuMemcpyDtoH");
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(all.data()), static_cast<std::streamsize>(all.size()));
    if (!file.flush()) throw std::runtime_error("cannot write " + path);
  }

  const Plan& plan_;
  std::uint64_t seed_;
  CUmodule module_ = nullptr;
  std::map<std::string, CUdeviceptr> addresses_;
  std::map<std::string, CUfunction> kernels_;
  std::map<std::string, Bytes> contents_;
};

}  // namespace
}  // namespace measure_gpu

int main(int argc, char** argv) {
  using namespace measure_gpu;
  try {
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "info" && argc == 2) {
      info();
      return 0;
    }
    if (what != "run" || argc != 6) throw std::runtime_error("wrong arguments");
    const CUdevice device = open_device();
    CUcontext context = nullptr;
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    const std::uint64_t seed = std::stoull(argv[5]);
    const Plan plan = read_plan(argv[2], seed);
    Clock clock(argv[4]);
    Run(plan, argv[3], seed).run(clock);
    return 0;
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
