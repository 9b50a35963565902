// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kernels as the launch path sees them. A KernelSource makes programs from launches; the device,
// the command processor and the launch planner use it and know no kernel language. Sources: PTX
// modules (stimuli/runner/module_loader.h); traces and synthetic kernels implement it, too.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/locality.h"
#include "stimuli/device_memory.h"
#include "stimuli/warp_program.h"

namespace tessera {

/// A kernel argument: raw bytes in the layout of the kernel's parameter.
struct KernelArgument {
  std::vector<std::byte> bytes;

  template <class T>
  static KernelArgument of(const T& value) {
    const auto* p = reinterpret_cast<const std::byte*>(&value);
    return KernelArgument{std::vector<std::byte>(p, p + sizeof(T))};
  }
};

struct KernelParameter {
  std::string name;
  std::uint32_t offset = 0;  ///< byte in the argument block, naturally aligned
  std::uint32_t bytes = 0;
  /// The kernel loads through this pointer and never writes by it.
  bool read_only = false;
};

/// What is known of a kernel before it is launched.
struct KernelFacts {
  std::vector<KernelParameter> parameters;  ///< ascending offsets
  std::uint32_t argument_bytes = 0;         ///< of the argument block
};

class KernelSource;

struct LaunchRequest {
  std::shared_ptr<KernelSource> source;
  std::string kernel;
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<KernelArgument> arguments;
};

/// The SMs of a device, for memory that each warp slot needs.
struct DeviceSlots {
  std::uint32_t sms = 0;         ///< 0: the launch runs without SMs
  std::uint32_t warps = 0;       ///< slots of an SM
  std::uint64_t page_bytes = 0;  ///< alignment of an SM's memory
};

/// The device's side of a launch.
struct LaunchEnvironment {
  /// Functional mode: the memory that holds all values. Null: carried mode.
  FlatMemory* flat = nullptr;
  /// Called for each race that the kernel's accesses show. Empty: accesses are not checked.
  std::function<void(const std::string&)> on_race = {};
  DeviceSlots slots = {};
};

/// Makes kernel programs. Serves one device.
class KernelSource {
 public:
  virtual ~KernelSource() = default;
  KernelSource() = default;
  KernelSource(const KernelSource&) = delete;
  KernelSource& operator=(const KernelSource&) = delete;

  /// Valid as long as the source. Throws InputError for a kernel that it does not have.
  virtual const KernelFacts& facts(const std::string& kernel) = 0;
  /// How the CTAs of a launch access the arrays that its parameters point to, by parameter. An
  /// entry is empty if nothing is known of the parameter, the list if the source has no locality
  /// tables. LaunchRequest::source is not read.
  virtual std::vector<std::optional<ArrayLocality>> locality(const LaunchRequest& /*request*/) {
    return {};
  }
  /// Makes the program of one launch, which the source must outlive. Throws InputError when grid,
  /// block or arguments do not suit the kernel. LaunchRequest::source is not read.
  virtual std::unique_ptr<KernelProgram> make(const LaunchRequest& request,
                                              const LaunchEnvironment& environment) = 0;
};

/// The source of a request. Throws InputError when it has none.
KernelSource& source_of(const LaunchRequest& request);

/// The argument block: each argument at its parameter's offset, zeros between. Throws InputError
/// when the number of arguments or an argument's bytes differ from the parameters.
std::vector<std::byte> argument_block(const std::string& kernel,
                                      const std::vector<KernelParameter>& parameters,
                                      std::uint32_t bytes,
                                      const std::vector<KernelArgument>& arguments);
/// The arguments of a block of KernelFacts::argument_bytes bytes.
std::vector<KernelArgument> arguments_of(const KernelFacts& facts,
                                         const std::vector<std::byte>& block);

}  // namespace tessera
