// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tessera {

/// A fully associative translation buffer with LRU replacement: virtual page -> physical page
/// address. Plain C++; hashed, so that a lookup does not scan.
class Tlb {
 public:
  /// `entries`: at least 1.
  explicit Tlb(std::uint32_t entries);

  /// The physical address of the page, or nullptr. Counts as a use.
  const std::uint64_t* find(std::uint64_t virtual_page);
  /// Adds or replaces a translation; the least recently used entry makes room.
  void insert(std::uint64_t virtual_page, std::uint64_t physical_address);
  void invalidate_all();

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Entry {
    std::uint64_t page = 0;
    std::uint64_t physical = 0;
    std::uint32_t newer = kNone;
    std::uint32_t older = kNone;
    std::uint32_t next = kNone;  ///< of the same bucket
  };

  std::uint32_t bucket(std::uint64_t page) const {
    return static_cast<std::uint32_t>((page * 0x9e3779b97f4a7c15U) >> 40) & bucket_mask_;
  }
  void unlink(std::uint32_t i);
  void make_newest(std::uint32_t i);

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> buckets_;
  std::uint32_t bucket_mask_;
  std::uint32_t used_ = 0;
  std::uint32_t newest_ = kNone;
  std::uint32_t oldest_ = kNone;
};

}  // namespace tessera
