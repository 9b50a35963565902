// SPDX-License-Identifier: Apache-2.0
#pragma once

// The heap of malloc() and free() in device code (CUDA C++ Programming Guide, "Dynamic Global
// Memory Allocation"). It allocates blocks of one allocation of device memory. The list of free
// blocks is kept here and not in that memory, so that malloc() causes no memory traffic. The state
// persists across the launches of a device.

#include <cstdint>
#include <map>

#include "stimuli/device_memory.h"

namespace tessera::ptx {

class DeviceHeap {
 public:
  /// Name of the allocation, and its default size, CUDA's cudaLimitMallocHeapSize.
  static constexpr const char* kName = "device heap";
  static constexpr std::uint64_t kDefaultBytes = std::uint64_t{8} << 20;
  static constexpr std::uint64_t kAlignment = 16;

  /// The heap is [begin, begin + bytes).
  DeviceHeap(Address begin, std::uint64_t bytes);

  /// Allocates from the first free block that is large enough. Returns an address that is a
  /// multiple of 16, or 0 if there is no such block. A request of 0 bytes also gets a block.
  Address allocate(std::uint64_t bytes);
  /// Returns false if `address` is not the start of an allocated block.
  bool release(Address address);

  /// Bytes in use, each block rounded up to a multiple of 16.
  std::uint64_t used() const { return used_; }

 private:
  std::map<Address, std::uint64_t> free_;  ///< start to bytes; adjacent blocks are merged
  std::map<Address, std::uint64_t> live_;
  std::uint64_t bytes_;
  std::uint64_t used_ = 0;
};

}  // namespace tessera::ptx
