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
#include "modules/core/time.h"
#include "policies/address_map.h"

namespace tessera {

/// Virtual page -> physical page, and which physical pages are free. Plain C++; a lookup is two
/// loads. With a map that keeps a page in one memory (a channel, or a GPU: AddressMap), pages are
/// given out per memory; otherwise in order of address. A ChannelId here is the memory's number.
class PageTable {
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

  /// Called for a page that is not mapped, when somebody walks the table: may map it at once (and
  /// then returns true). Set by a driver under which pages are there before they are touched.
  std::function<bool(std::uint64_t virtual_page, RequesterId toucher)> on_missing;

  /// What a walk for `toucher` finds.
  std::optional<std::uint64_t> walk(std::uint64_t virtual_address, RequesterId toucher) {
    if (!copies_.empty()) {
      if (const auto copy = copy_for(virtual_address, toucher)) return copy;
    }
    const auto found = translate(virtual_address);
    if (found || !on_missing || !on_missing(page_of(virtual_address), toucher)) return found;
    return translate(virtual_address);
  }

  /// A fault's end has mapped a page: a walk that ends at the very same instant does not find it,
  /// whichever of the two comes first.
  void mapped_by_fault(std::uint64_t virtual_page, Tick now) {
    if (fresh_at_ != now) fresh_.clear();
    fresh_at_ = now;
    fresh_.push_back(virtual_page);
  }
  bool hidden_from_walks(std::uint64_t virtual_address, Tick now) const {
    return fresh_at_ == now &&
           std::find(fresh_.begin(), fresh_.end(), page_of(virtual_address)) != fresh_.end();
  }

  /// Maps a virtual page that is not mapped to a free page of `wanted` (ignored unless a page has
  /// one channel); of the channel with the fewest pages when that one is full. Returns the physical
  /// address. Throws RunError when memory is full or the address is wider than 48 bits.
  std::uint64_t map(std::uint64_t virtual_page, ChannelId wanted);
  /// Frees the physical page of a mapped virtual page.
  void unmap(std::uint64_t virtual_page);

  // Pages that move after their placement (PageMigrator). Where placement_matters().

  /// Which channel's copies an SM's walks find; other requesters' find the page itself. Set by
  /// the block that adds copies.
  std::function<ChannelId(SmId)> channel_of_sm;
  ChannelId channel_of(std::uint64_t physical) const { return map_.page_home(physical); }
  /// The virtual page number that is mapped to a physical page; none for a copy.
  std::optional<std::uint64_t> virtual_of(std::uint64_t physical) const;
  /// Maps a page to a free page of another channel, whose address it returns; none when that
  /// channel is full. The old page's memory stays taken until release_left_frames().
  std::optional<std::uint64_t> move(std::uint64_t virtual_page, ChannelId to);
  void release_left_frames();
  /// A copy of the page for walks of a channel's SMs; none when the channel is full or has one.
  std::optional<std::uint64_t> add_copy(std::uint64_t virtual_page, ChannelId channel);
  /// Frees all copies; returns how many there were.
  std::size_t drop_copies();

  /// A page is remapped before its bytes are there: walks that find it end no earlier than `at`.
  void arrives(std::uint64_t virtual_page, Tick at) { arrivals_[virtual_page] = at; }
  void all_arrived() { arrivals_.clear(); }
  /// When the page of an address arrives; 0 when it has not been on its way since all_arrived().
  Tick arrival(std::uint64_t virtual_address) const {
    if (arrivals_.empty()) return 0;
    const auto it = arrivals_.find(page_of(virtual_address));
    return it == arrivals_.end() ? 0 : it->second;
  }

  /// Whether a page lies in one channel, so that placement has a meaning.
  bool placement_matters() const { return map_.page_has_one_home(); }
  /// Mapped pages per channel; all zero where a page has no channel of its own.
  const std::vector<std::uint64_t>& pages_per_channel() const { return pages_per_channel_; }
  std::uint64_t mapped_pages() const { return mapped_; }
  /// Pages that did not get the wanted channel because it was full.
  std::uint64_t spilled_pages() const { return spilled_; }
  std::uint64_t capacity_pages() const;

  void clear();

 private:
  static constexpr std::uint64_t kLeafPages = 4096;
  static constexpr unsigned kVirtualBits = 48;
  using Leaf = std::array<std::uint32_t, kLeafPages>;  // physical page number + 1; 0 = unmapped

  /// Free pages of one channel (or, without channels of their own, of the whole memory).
  struct Pool {
    std::uint64_t next = 0;               ///< index of the first page never given out
    std::vector<std::uint64_t> returned;  ///< physical addresses
    bool empty(std::uint64_t capacity) const { return returned.empty() && next == capacity; }
  };

  struct Copy {
    ChannelId channel;
    std::uint64_t physical = 0;
  };

  std::uint64_t take(std::size_t pool);
  std::optional<std::uint64_t> take_of(ChannelId channel);
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
  std::vector<std::uint64_t> fresh_;  ///< mapped by faults that ended at `fresh_at_`
  Tick fresh_at_ = kNever;
  std::vector<std::uint64_t> left_;                              ///< frames that pages moved out of
  std::unordered_map<std::uint64_t, std::uint64_t> virtual_of_;  ///< by physical page number
};

}  // namespace tessera
