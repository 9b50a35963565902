// SPDX-License-Identifier: Apache-2.0
#include "stimuli/device_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/error.h"

namespace tessera {

Allocations::Allocations(std::uint64_t alignment) : alignment_(alignment) {
  if (alignment < 4096 || (alignment & (alignment - 1)) != 0) {
    throw InputError("allocation alignment must be a power of two of at least 4096 bytes, not " +
                     std::to_string(alignment));
  }
}

const Allocation& Allocations::allocate(const std::string& name, std::uint64_t bytes) {
  if (bytes == 0) throw InputError("allocation '" + name + "' has no bytes");
  if (find(name) != nullptr) throw InputError("allocation '" + name + "' exists already");
  // An unallocated alignment unit after each allocation catches overruns.
  const Address begin = top_;
  top_ = ((begin + bytes + alignment_ - 1) & ~(alignment_ - 1)) + alignment_;
  all_.push_back(Allocation{name, begin, bytes});
  return all_.back();
}

const Allocation* Allocations::nearest_below(Address address) const {
  auto it = std::upper_bound(all_.begin(), all_.end(), address,
                             [](Address a, const Allocation& x) { return a < x.begin; });
  return it == all_.begin() ? nullptr : &*(it - 1);
}

const Allocation* Allocations::find(Address address, std::uint64_t bytes) const {
  const Allocation* a = nearest_below(address);
  return a != nullptr && address + bytes <= a->end() && address + bytes >= address ? a : nullptr;
}

const Allocation* Allocations::find(const std::string& name) const {
  auto it =
      std::find_if(all_.begin(), all_.end(), [&](const Allocation& a) { return a.name == name; });
  return it == all_.end() ? nullptr : &*it;
}

FlatMemory::FlatMemory(std::uint64_t capacity_bytes) { cover(Allocations::kBase + capacity_bytes); }

FlatMemory::~FlatMemory() {
  if (data_ != nullptr) munmap(data_, capacity_);
}

void FlatMemory::cover(Address top) {
  constexpr std::uint64_t kLeast = std::uint64_t{16} << 20;
  const std::uint64_t needed = top - Allocations::kBase;
  if (needed <= capacity_) return;
  // Twice as much each time: few moves, of page tables only.
  const std::uint64_t capacity = std::max({kLeast, 2 * capacity_, needed});
  void* const p = data_ == nullptr ? mmap(nullptr, capacity, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                   : mremap(data_, capacity_, capacity, MREMAP_MAYMOVE);
  if (p == MAP_FAILED) {
    throw RunError("the host has no address space for " + std::to_string(needed) +
                   " bytes of device memory: " + std::strerror(errno) +
                   " (see ulimit -v, or make the workload's arrays smaller)");
  }
  data_ = static_cast<std::byte*>(p);
  capacity_ = capacity;
}

}  // namespace tessera
