// SPDX-License-Identifier: Apache-2.0
#include "stimuli/device_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

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

FlatMemory::FlatMemory(std::uint64_t capacity_bytes) : capacity_(capacity_bytes) {
  void* p = mmap(nullptr, capacity_, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(p);
}

FlatMemory::~FlatMemory() { munmap(data_, capacity_); }

}  // namespace tessera
