// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace tessera {

/// A piece of zeroed memory that asks for 2 MiB pages. What a platform has in flight is touched in
/// no order and outgrows the host's TLB by far when it lies on small pages (docs/performance.md).
class HugePages {
 public:
  static constexpr std::size_t kChunk = std::size_t{2} << 20;

  /// `bytes` is rounded up to a multiple of kChunk. Throws std::bad_alloc.
  explicit HugePages(std::size_t bytes = kChunk);
  ~HugePages();
  HugePages(HugePages&& other) noexcept;
  HugePages(const HugePages&) = delete;
  HugePages& operator=(const HugePages&) = delete;
  HugePages& operator=(HugePages&&) = delete;

  std::byte* data() { return data_; }
  std::size_t size() const { return size_; }

 private:
  void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Moves what lies on the heap now to 2 MiB pages, where the kernel can (Linux 6.1 and later; else
/// it stays where it is). Once a platform is built: its blocks are touched in no order either.
void move_heap_to_huge_pages();

}  // namespace tessera
