// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <new>
#include <string>
#include <utility>

namespace tessera {

namespace {

/// MADV_COLLAPSE of linux/mman.h; sys/mman.h of Debian 12 does not define it.
constexpr int kMadviseCollapse = 25;

}  // namespace

HugePages::HugePages(std::size_t bytes) : size_((bytes + kChunk - 1) / kChunk * kChunk) {
  // One chunk more, so that the mapping contains an aligned range of the requested size.
  mapped_bytes_ = size_ + kChunk;
  mapped_ =
      mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped_ == MAP_FAILED) throw std::bad_alloc();
  const auto begin = reinterpret_cast<std::uintptr_t>(mapped_);
  const std::uintptr_t aligned = (begin + kChunk - 1) / kChunk * kChunk;
  data_ = static_cast<std::byte*>(mapped_) + (aligned - begin);
  // A hint: without huge pages the kernel uses small ones, so that the result is ignored.
  static_cast<void>(madvise(data_, size_, MADV_HUGEPAGE));
}

HugePages::~HugePages() {
  if (mapped_ != nullptr) munmap(mapped_, mapped_bytes_);
}

HugePages::HugePages(HugePages&& other) noexcept
    : mapped_(std::exchange(other.mapped_, nullptr)),
      mapped_bytes_(other.mapped_bytes_),
      data_(other.data_),
      size_(other.size_) {}

void move_heap_to_huge_pages() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("[heap]") == std::string::npos) continue;
    void* first = nullptr;
    void* last = nullptr;
    if (std::sscanf(line.c_str(), "%p-%p", &first, &last) != 2) return;
    auto* const begin = static_cast<std::byte*>(first);
    auto* const end = static_cast<std::byte*>(last);
    const std::size_t before = -reinterpret_cast<std::uintptr_t>(begin) % HugePages::kChunk;
    const std::size_t behind = reinterpret_cast<std::uintptr_t>(end) % HugePages::kChunk;
    const auto size = static_cast<std::size_t>(end - begin);
    // A hint, as above.
    if (before + behind < size) {
      static_cast<void>(madvise(begin + before, size - before - behind, kMadviseCollapse));
    }
    return;
  }
}

}  // namespace tessera
