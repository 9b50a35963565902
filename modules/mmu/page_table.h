// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "common/ids.h"
#include "modules/kernel/time.h"
#include "modules/mmu/tlb_directory.h"
#include "modules/protocol/page_entry.h"
#include "policies/address_map.h"

namespace tessera {

/// Maps virtual pages to physical pages and allocates physical pages. Plain C++; a lookup is two
/// loads. If the address map keeps a page in one memory (a channel or a GPU: AddressMap), each
/// memory has its own free pages. Otherwise pages are allocated in order of address. A ChannelId
/// here is the index of the memory.
class PageTable final : public PageLookupIf {
 public:
  /// `map` must outlive the table.
  explicit PageTable(const AddressMap& map);

  unsigned page_bits() const { return page_bits_; }
  std::uint64_t page_bytes() const { return std::uint64_t{1} << page_bits_; }
  std::uint64_t page_of(std::uint64_t virtual_address) const {
    return virtual_address >> page_bits_;
  }

  /// Physical address of a virtual address.
  std::optional<std::uint64_t> translate(std::uint64_t virtual_address) const {
    const std::uint64_t page = virtual_address >> page_bits_;
    const std::uint64_t leaf = page / kLeafPages;
    if (leaf >= leaves_.size() || leaves_[leaf] == nullptr) return std::nullopt;
    const std::uint32_t entry = (*leaves_[leaf])[page % kLeafPages];
    if (entry == 0) return std::nullopt;
    return (std::uint64_t{entry - 1} << page_bits_) | (virtual_address & (page_bytes() - 1));
  }

  /// The number of a page's allocation (PageEntry), 0 if there is none. Empty: all 0.
  std::function<std::uint32_t(std::uint64_t virtual_address)> allocation_of;
  /// The entry of a virtual page that is at `physical`, by a walk or a fault.
  PageEntry entry_of(std::uint64_t virtual_address, std::uint64_t physical) const {
    return {physical, allocation_of ? allocation_of(virtual_address) : 0};
  }

  std::optional<PageEntry> mapped_before_now(std::uint64_t virtual_page) const override;

  /// Called when a walk finds an unmapped page. Returns true if it has mapped the page. The UVM
  /// driver sets it in mode kPrefaulted.
  std::function<bool(std::uint64_t virtual_page, RequesterId toucher)> on_missing;

  /// Result of a walk for `toucher`: the replica in its partition, otherwise the page itself. The
  /// TLB directory records the toucher.
  std::optional<std::uint64_t> walk(std::uint64_t virtual_address, RequesterId toucher) {
    if (!copies_.empty()) {
      if (const auto copy = copy_for(virtual_address, toucher)) return copy;
    }
    auto found = translate(virtual_address);
    if (!found && on_missing && on_missing(page_of(virtual_address), toucher)) {
      found = translate(virtual_address);
    }
    if (found) tlb_directory.record(page_of(virtual_address), toucher);
    return found;
  }

  /// Records that the end of a fault has mapped a page. A walk that ends at the same time does not
  /// find the page, so that the order of the two processes does not matter.
  void mapped_by_fault(std::uint64_t virtual_page, Tick now) { by_fault_.add(virtual_page, now); }
  bool hidden_from_walks(std::uint64_t virtual_address, Tick now) const {
    return by_fault_.has(page_of(virtual_address), now);
  }

  /// Maps an unmapped virtual page to a free page of `wanted`, or of the channel with the fewest
  /// pages if `wanted` is full. Ignores `wanted` unless a page has one channel. Returns the
  /// physical address. Throws RunError if memory is full or the address is wider than 48 bits.
  std::uint64_t map(std::uint64_t virtual_page, ChannelId wanted);
  /// Frees the physical page of a mapped virtual page.
  void unmap(std::uint64_t virtual_page);

  // Migration and replication (PageMigrator). Precondition: placement_matters().

  /// Enabled if only the SMs that use a migrating page stop (MoveStop::kUsers).
  TlbDirectory tlb_directory;

  /// The channel whose replicas an SM's walks find; walks of other requesters find the page itself.
  /// Must be set before add_copy().
  std::function<ChannelId(SmId)> channel_of_sm;
  ChannelId channel_of(std::uint64_t physical) const { return map_.page_home(physical); }
  /// The virtual page number that is mapped to a physical page; none for a replica.
  std::optional<std::uint64_t> virtual_of(std::uint64_t physical) const;
  /// Maps a page to a free page of another channel and returns its address; none if that channel is
  /// full. The old frame stays allocated until release_left_frames().
  std::optional<std::uint64_t> move(std::uint64_t virtual_page, ChannelId to);
  void release_left_frames();
  /// Allocates a replica of the page for walks of a channel's SMs. Returns nothing if the channel
  /// is full or already holds a replica.
  std::optional<std::uint64_t> add_copy(std::uint64_t virtual_page, ChannelId channel);
  /// Frees all replicas. Returns their number.
  std::size_t drop_copies();

  /// Records that a remapped page arrives at `at`. Walks that find it end no earlier.
  void arrives(std::uint64_t virtual_page, Tick at) { arrivals_[virtual_page] = at; }
  void all_arrived() { arrivals_.clear(); }
  /// Arrival time of the page of an address; 0 if the page is not in transfer.
  Tick arrival(std::uint64_t virtual_address) const {
    if (arrivals_.empty()) return 0;
    const auto it = arrivals_.find(page_of(virtual_address));
    return it == arrivals_.end() ? 0 : it->second;
  }

  /// Whether each page resides in one channel, so that placement has an effect.
  bool placement_matters() const { return map_.page_has_one_home(); }
  /// Mapped pages per channel; all zero if pages are interleaved over channels.
  const std::vector<std::uint64_t>& pages_per_channel() const { return pages_per_channel_; }
  std::uint64_t mapped_pages() const { return mapped_; }
  /// Pages allocated in another channel because the wanted one was full.
  std::uint64_t spilled_pages() const { return spilled_; }
  std::uint64_t capacity_pages() const;

  void clear();

 private:
  static constexpr std::uint64_t kLeafPages = 4096;
  static constexpr unsigned kVirtualBits = 48;
  using Leaf = std::array<std::uint32_t, kLeafPages>;  // physical page number + 1; 0 = unmapped

  /// Free pages of one channel, or of the whole memory if pages are interleaved.
  struct Pool {
    std::uint64_t next = 0;               ///< index of the first page never allocated
    std::vector<std::uint64_t> returned;  ///< physical addresses
    bool empty(std::uint64_t capacity) const { return returned.empty() && next == capacity; }
  };

  /// The virtual pages that were added at the latest time.
  class PagesOfInstant {
   public:
    void add(std::uint64_t page, Tick now) {
      if (at_ != now) pages_.clear();
      at_ = now;
      pages_.push_back(page);
    }
    bool has(std::uint64_t page, Tick now) const {
      return at_ == now && std::find(pages_.begin(), pages_.end(), page) != pages_.end();
    }

   private:
    std::vector<std::uint64_t> pages_;
    Tick at_ = kNever;
  };

  struct Copy {
    ChannelId channel;
    std::uint64_t physical = 0;
  };

  std::uint64_t take(std::size_t pool);
  std::optional<std::uint64_t> allocate_in(ChannelId channel);
  std::optional<std::uint64_t> copy_for(std::uint64_t virtual_address, RequesterId toucher) const;

  const AddressMap& map_;
  unsigned page_bits_;
  std::uint64_t pool_pages_;
  std::vector<std::unique_ptr<Leaf>> leaves_;
  std::vector<Pool> pools_;
  std::vector<std::uint64_t> pages_per_channel_;
  std::uint64_t mapped_ = 0;
  std::uint64_t spilled_ = 0;
  std::unordered_map<std::uint64_t, std::vector<Copy>> copies_;  ///< by virtual page
  std::unordered_map<std::uint64_t, Tick> arrivals_;             ///< by virtual page
  PagesOfInstant mapped_now_;
  PagesOfInstant by_fault_;                                      ///< of these, by faults
  std::vector<std::uint64_t> left_;                              ///< old frames of migrated pages
  std::unordered_map<std::uint64_t, std::uint64_t> virtual_of_;  ///< by physical page number
};

}  // namespace tessera
