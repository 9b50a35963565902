// SPDX-License-Identifier: Apache-2.0
#include "stimuli/device_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

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

void FlatMemory::defer(Address begin, std::uint64_t bytes, Contents contents) {
  if (bytes == 0 || begin % kPageBytes != 0 ||
      (!deferred_.empty() && begin < deferred_.back().begin + deferred_.back().bytes)) {
    throw std::logic_error("contents are deferred for whole allocations, in order");
  }
  deferred_.push_back({begin, bytes, std::move(contents)});
  const std::uint64_t last = page_of(begin + bytes - 1);
  missing_.resize(last / 64 + 1);
  for (std::uint64_t page = page_of(begin); page <= last; ++page) {
    missing_[page / 64] |= std::uint64_t{1} << page % 64;
  }
}

void FlatMemory::contents_of(std::uint64_t page, std::byte* out) const {
  const Address at = Allocations::kBase + page * kPageBytes;
  const auto after = std::upper_bound(deferred_.begin(), deferred_.end(), at,
                                      [](Address a, const Deferred& d) { return a < d.begin; });
  const Deferred& array = *(after - 1);
  const std::uint64_t bytes = std::min(kPageBytes, array.begin + array.bytes - at);
  array.contents(at - array.begin, out, bytes);
  std::fill(out + bytes, out + kPageBytes, std::byte{0});
}

void FlatMemory::make(std::uint64_t page) {
  contents_of(page, data_ + page * kPageBytes);
  set_made(page);
}

void FlatMemory::read(void* to, Address from, std::uint64_t bytes) const {
  auto* out = static_cast<std::byte*>(to);
  std::array<std::byte, kPageBytes> contents;
  while (bytes > 0) {
    const std::uint64_t page = page_of(from);
    const std::uint64_t offset = from % kPageBytes;
    const std::uint64_t part = std::min(bytes, kPageBytes - offset);
    if (missing(page)) {
      contents_of(page, contents.data());
      std::copy_n(contents.data() + offset, part, out);
    } else {
      std::copy_n(at(from), part, out);
    }
    from += part;
    out += part;
    bytes -= part;
  }
}

void FlatMemory::write(Address to, const void* from, std::uint64_t bytes) {
  if (bytes == 0) return;
  if (!missing_.empty()) {
    // Pages that are overwritten whole need not be made.
    touch(to, 1);
    touch(to + bytes - 1, 1);
    for (std::uint64_t page = page_of(to); page <= page_of(to + bytes - 1); ++page) set_made(page);
  }
  std::memcpy(at(to), from, bytes);
}

void FlatMemory::discard(Address begin, std::uint64_t bytes) {
  for (std::uint64_t page = page_of(begin); page < page_of(begin + bytes); ++page) set_made(page);
  const auto host_page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  if (begin % host_page == 0 && bytes % host_page == 0) madvise(at(begin), bytes, MADV_DONTNEED);
}

}  // namespace tessera
