// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "stimuli/device_memory.h"
#include "stimuli/workload.h"

namespace tessera::test {

/// A device of memory without timing, for tests that run kernels themselves.
class FlatDevice : public Device {
 public:
  Address allocate(const std::string& name, std::uint64_t bytes) final {
    const Address begin = allocations_.allocate(name, bytes).begin;
    memory_.cover(allocations_.top());
    return begin;
  }
  void write(Address to, const void* from, std::uint64_t bytes) final {
    if (bytes != 0) memory_.write(to, from, bytes);
  }
  void defer(Address to, std::uint64_t bytes, Contents contents) final {
    memory_.defer(to, bytes, std::move(contents));
  }
  void read(void* to, Address from, std::uint64_t bytes) final {
    if (bytes != 0) memory_.read(to, from, bytes);
  }
  const Allocations& allocations() const final { return allocations_; }
  FlatMemory& memory() { return memory_; }

 private:
  Allocations allocations_;
  FlatMemory memory_;
};

}  // namespace tessera::test
