// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace tessera {

/// Zeroed memory with a request for 2 MiB pages. Transactions in flight are accessed in random
/// order; on small pages they exceed the reach of the host's TLB (docs/performance.md).
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

/// Moves the present heap to 2 MiB pages if the kernel supports it (Linux 6.1 and later); otherwise
/// does nothing. To be called after a platform is built, because its blocks are accessed in random
/// order, too.
void move_heap_to_huge_pages();

}  // namespace tessera
