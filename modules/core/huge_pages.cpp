// SPDX-License-Identifier: Apache-2.0
#include "modules/core/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>
#include <utility>

namespace tessera {

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

}  // namespace tessera
