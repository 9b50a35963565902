// SPDX-License-Identifier: Apache-2.0
#include "modules/core/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <new>
#include <string>
#include <utility>

namespace tessera {

namespace {

/// MADV_COLLAPSE of linux/mman.h, which sys/mman.h of Debian 12 does not name yet.
constexpr int kMadviseCollapse = 25;

}  // namespace

HugePages::HugePages(std::size_t bytes) : size_((bytes + kChunk - 1) / kChunk * kChunk) {
  // One chunk more, so that an aligned piece of the wanted size lies inside.
  mapped_bytes_ = size_ + kChunk;
  mapped_ =
      mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped_ == MAP_FAILED) throw std::bad_alloc();
  const auto begin = reinterpret_cast<std::uintptr_t>(mapped_);
  const std::uintptr_t aligned = (begin + kChunk - 1) / kChunk * kChunk;
  data_ = static_cast<std::byte*>(mapped_) + (aligned - begin);
  // A hint: where the kernel has no huge pages, small ones serve.
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
    std::size_t begin = 0;
    std::size_t end = 0;
    if (std::sscanf(line.c_str(), "%zx-%zx", &begin, &end) != 2) return;
    constexpr std::size_t kSize = HugePages::kChunk;
    begin = (begin + kSize - 1) / kSize * kSize;
    end = end / kSize * kSize;
    // A hint, too.
    if (begin < end) {
      static_cast<void>(madvise(reinterpret_cast<void*>(begin), end - begin, kMadviseCollapse));
    }
    return;
  }
}

}  // namespace tessera
