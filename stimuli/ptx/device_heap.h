// SPDX-License-Identifier: Apache-2.0
#pragma once

// The heap of malloc() and free() in device code (CUDA C++ Programming Guide, "Dynamic Global
// Memory Allocation"). It hands out parts of one allocation of device memory; what is free is known
// here, not in that memory, so that an allocation makes no memory traffic of its own. State lasts
// over the launches of a device.

#include <cstdint>
#include <map>

#include "stimuli/device_memory.h"

namespace tessera::ptx {

class DeviceHeap {
 public:
  /// Name of the allocation, and its size by default: CUDA's cudaLimitMallocHeapSize.
  static constexpr const char* kName = "device heap";
  static constexpr std::uint64_t kDefaultBytes = std::uint64_t{8} << 20;
  static constexpr std::uint64_t kAlignment = 16;

  /// Of [begin, begin + bytes).
  DeviceHeap(Address begin, std::uint64_t bytes);

  /// The first free block that is large enough, a multiple of 16; 0 when there is none. A request
  /// of 0 bytes gets a block of its own.
  Address allocate(std::uint64_t bytes);
  /// False when `address` is not the begin of a block that is in use.
  bool release(Address address);

  /// Bytes in use, each block rounded up to a multiple of 16.
  std::uint64_t used() const { return used_; }

 private:
  std::map<Address, std::uint64_t> free_;  ///< begin to bytes; never two next to each other
  std::map<Address, std::uint64_t> live_;
  std::uint64_t bytes_;
  std::uint64_t used_ = 0;
};

}  // namespace tessera::ptx
