// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "modules/protocol/page_entry.h"

namespace tessera {

/// A fully associative translation buffer with LRU replacement: virtual page -> page-table entry.
/// Plain C++. Hashed, so that a lookup does not scan and rarely reads slots other than the page's
/// own. Uses are numbered, and sorted only if an entry must be evicted.
class Tlb {
 public:
  /// `entries`: at least 1.
  explicit Tlb(std::uint32_t entries);

  /// The entry of the page, or nullptr. Counts as a use.
  const PageEntry* find(std::uint64_t virtual_page);
  /// Adds or replaces a translation. If the buffer is full, the least recently used one is evicted.
  void insert(std::uint64_t virtual_page, PageEntry entry);
  void invalidate_all();

 private:
  /// A slot of a table with open addressing, which is at most half full.
  struct Slot {
    std::uint64_t page = 0;
    PageEntry entry;
    std::uint64_t used = 0;  ///< number of its last use; 0: the slot is empty
  };

  struct Use {
    std::uint64_t number = 0;
    std::uint64_t page = 0;
  };

  std::size_t home(std::uint64_t page) const {
    return static_cast<std::size_t>((page * 0x9e3779b97f4a7c15U) >> 40) & mask_;
  }
  std::size_t next(std::size_t s) const { return (s + 1) & mask_; }
  /// The page's slot, or the empty slot where it would be inserted.
  std::size_t search(std::uint64_t page) const;
  std::size_t least_recent();
  void remove_least_recent();

  std::vector<Slot> slots_;
  std::vector<Use> by_age_;  ///< last use of each page when the list was built, oldest at the end
  std::size_t mask_ = 0;
  std::uint64_t uses_ = 0;
  std::uint32_t entries_;
  std::uint32_t used_ = 0;
};

}  // namespace tessera
