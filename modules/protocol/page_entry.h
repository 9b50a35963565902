// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace tessera {

/// An entry of the page table, as translations carry it and TLBs hold it: the physical address of
/// the page in bits 0 to 47, the number of the page's allocation in bits 48 to 63.
class PageEntry {
 public:
  static constexpr unsigned kPhysicalBits = 48;
  /// Allocations are numbered from 1. Allocations with a higher number are treated like none (0).
  static constexpr std::uint32_t kMostAllocations = 0xffff;

  PageEntry() = default;
  explicit PageEntry(std::uint64_t bits) : bits_(bits) {}
  /// `allocation`: 0 if unknown.
  PageEntry(std::uint64_t physical_page, std::uint32_t allocation)
      : bits_(physical_page | std::uint64_t{allocation <= kMostAllocations ? allocation : 0}
                                  << kPhysicalBits) {}

  std::uint64_t bits() const { return bits_; }
  std::uint64_t physical() const { return bits_ & ((std::uint64_t{1} << kPhysicalBits) - 1); }
  std::uint16_t allocation() const { return static_cast<std::uint16_t>(bits_ >> kPhysicalBits); }

 private:
  std::uint64_t bits_ = 0;
};

/// Page table as an SM with ideal translation sees it.
class PageLookupIf {
 public:
  virtual ~PageLookupIf() = default;
  /// The entry of a virtual page that has been mapped before now(). A page that is mapped at the
  /// same time is not found, so that the order of processes does not matter.
  virtual std::optional<PageEntry> mapped_before_now(std::uint64_t virtual_page) const = 0;
};

}  // namespace tessera
