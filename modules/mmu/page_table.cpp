// SPDX-License-Identifier: Apache-2.0
#include "modules/mmu/page_table.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "common/error.h"

namespace tessera {

PageTable::PageTable(const AddressMap& map)
    : map_(map), page_bits_(static_cast<unsigned>(__builtin_ctzll(map.geometry().page_bytes))) {
  const MemoryGeometry& g = map.geometry();
  const std::uint32_t homes = map.page_homes();
  pool_pages_ = (g.total_bytes() / homes) >> page_bits_;
  if (g.total_bytes() >> page_bits_ >= ~std::uint32_t{0}) {
    throw InputError("device memory has more than 2^32 pages: enlarge page_bytes");
  }
  pools_.resize(homes);
  pages_per_channel_.resize(placement_matters() ? homes : g.channels);
}

std::uint64_t PageTable::take(std::size_t pool) {
  Pool& p = pools_[pool];
  if (!p.returned.empty()) {
    const std::uint64_t physical = p.returned.back();
    p.returned.pop_back();
    return physical;
  }
  const std::uint64_t index = p.next++;
  return placement_matters() ? map_.page_address(ChannelId(static_cast<std::uint32_t>(pool)), index)
                             : index << page_bits_;
}

std::uint64_t PageTable::capacity_pages() const { return pool_pages_ * pools_.size(); }

std::optional<PageEntry> PageTable::mapped_before_now(std::uint64_t virtual_page) const {
  const std::uint64_t address = virtual_page << page_bits_;
  const std::optional<std::uint64_t> physical = translate(address);
  if (!physical || mapped_now_.has(virtual_page, now())) return std::nullopt;
  return entry_of(address, *physical);
}

std::uint64_t PageTable::map(std::uint64_t virtual_page, ChannelId wanted) {
  if (virtual_page >> (kVirtualBits - page_bits_) != 0) {
    throw RunError("a virtual address is wider than 48 bits");
  }
  std::size_t pool = placement_matters() ? wanted.value : 0;
  if (pool >= pools_.size()) {
    throw std::logic_error("a page placement policy chose channel " + std::to_string(wanted.value) +
                           " of " + std::to_string(pools_.size()));
  }
  if (pools_[pool].empty(pool_pages_)) {
    if (placement_matters()) {
      pool = static_cast<std::size_t>(
          std::min_element(pages_per_channel_.begin(), pages_per_channel_.end()) -
          pages_per_channel_.begin());
    }
    if (pools_[pool].empty(pool_pages_)) {
      throw RunError("device memory is full: all " + std::to_string(capacity_pages()) +
                     " pages of " + std::to_string(page_bytes()) +
                     " bytes are in use. Enlarge the memory of a channel, or run the workload at "
                     "a smaller scale");
    }
    ++spilled_;
  }
  const std::uint64_t leaf = virtual_page / kLeafPages;
  if (leaf >= leaves_.size()) leaves_.resize(leaf + 1);
  if (leaves_[leaf] == nullptr) leaves_[leaf] = std::make_unique<Leaf>();
  std::uint32_t& entry = (*leaves_[leaf])[virtual_page % kLeafPages];
  if (entry != 0) throw std::logic_error("a virtual page is mapped twice");
  const std::uint64_t physical = take(pool);
  if (placement_matters()) ++pages_per_channel_[pool];
  mapped_now_.add(virtual_page, now());
  entry = static_cast<std::uint32_t>(physical >> page_bits_) + 1;
  virtual_of_[physical >> page_bits_] = virtual_page;
  ++mapped_;
  return physical;
}

void PageTable::unmap(std::uint64_t virtual_page) {
  const auto physical = translate(virtual_page << page_bits_);
  if (!physical) throw std::logic_error("a virtual page that is not mapped is unmapped");
  (*leaves_[virtual_page / kLeafPages])[virtual_page % kLeafPages] = 0;
  --mapped_;
  virtual_of_.erase(*physical >> page_bits_);
  std::uint32_t pool = 0;
  if (placement_matters()) {
    pool = channel_of(*physical).value;
    --pages_per_channel_[pool];
  }
  pools_[pool].returned.push_back(*physical);
}

std::optional<std::uint64_t> PageTable::virtual_of(std::uint64_t physical) const {
  const auto it = virtual_of_.find(physical >> page_bits_);
  if (it == virtual_of_.end()) return std::nullopt;
  return it->second;
}

/// Allocates a page of a channel. Returns nothing if the channel is full.
std::optional<std::uint64_t> PageTable::allocate_in(ChannelId channel) {
  if (pools_[channel.value].empty(pool_pages_)) return std::nullopt;
  ++pages_per_channel_[channel.value];
  return take(channel.value);
}

std::optional<std::uint64_t> PageTable::move(std::uint64_t virtual_page, ChannelId to) {
  const auto physical = allocate_in(to);
  if (!physical) return std::nullopt;
  const std::uint64_t old = *translate(virtual_page << page_bits_);
  (*leaves_[virtual_page / kLeafPages])[virtual_page % kLeafPages] =
      static_cast<std::uint32_t>(*physical >> page_bits_) + 1;
  virtual_of_.erase(old >> page_bits_);
  virtual_of_[*physical >> page_bits_] = virtual_page;
  left_.push_back(old);
  return physical;
}

void PageTable::release_left_frames() {
  for (const std::uint64_t old : left_) {
    const std::uint32_t channel = channel_of(old).value;
    --pages_per_channel_[channel];
    pools_[channel].returned.push_back(old);
  }
  left_.clear();
}

std::optional<std::uint64_t> PageTable::add_copy(std::uint64_t virtual_page, ChannelId channel) {
  std::vector<Copy>& copies = copies_[virtual_page];
  for (const Copy& c : copies) {
    if (c.channel == channel) return std::nullopt;
  }
  const auto physical = allocate_in(channel);
  if (physical) copies.push_back({channel, *physical});
  return physical;
}

std::size_t PageTable::drop_copies() {
  std::size_t dropped = 0;
  for (const auto& [page, copies] : copies_) {
    for (const Copy& c : copies) {
      left_.push_back(c.physical);
      ++dropped;
    }
  }
  copies_.clear();
  // The order of the hash table must not determine the order of later allocations.
  std::sort(left_.begin(), left_.end());
  release_left_frames();
  return dropped;
}

std::optional<std::uint64_t> PageTable::copy_for(std::uint64_t virtual_address,
                                                 RequesterId toucher) const {
  const auto it = copies_.find(virtual_address >> page_bits_);
  if (it == copies_.end() || !toucher.is_sm()) return std::nullopt;
  const ChannelId mine = channel_of_sm(toucher.sm());
  for (const Copy& c : it->second) {
    if (c.channel == mine) return c.physical | (virtual_address & (page_bytes() - 1));
  }
  return std::nullopt;
}

void PageTable::clear() {
  tlb_directory.clear();
  copies_.clear();
  arrivals_.clear();
  mapped_now_ = {};
  by_fault_ = {};
  left_.clear();
  virtual_of_.clear();
  leaves_.clear();
  for (Pool& p : pools_) p = Pool{};
  std::fill(pages_per_channel_.begin(), pages_per_channel_.end(), 0);
  mapped_ = 0;
  spilled_ = 0;
}

}  // namespace tessera
