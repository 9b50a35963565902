// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/tlb.h"

#include <algorithm>

namespace tessera {

Tlb::Tlb(std::uint32_t entries) : entries_(entries) {
  std::size_t n = 2;
  while (n < std::size_t{2} * entries) n *= 2;
  slots_.resize(n);
  mask_ = n - 1;
}

std::size_t Tlb::search(std::uint64_t page) const {
  std::size_t s = home(page);
  while (slots_[s].used != 0 && slots_[s].page != page) s = next(s);
  return s;
}

const PageEntry* Tlb::find(std::uint64_t virtual_page) {
  Slot& slot = slots_[search(virtual_page)];
  if (slot.used == 0) return nullptr;
  slot.used = ++uses_;
  return &slot.entry;
}

void Tlb::insert(std::uint64_t virtual_page, PageEntry entry) {
  std::size_t s = search(virtual_page);
  if (slots_[s].used == 0) {
    if (used_ == entries_) {
      remove_least_recent();
      s = search(virtual_page);
    } else {
      ++used_;
    }
  }
  slots_[s] = {virtual_page, entry, ++uses_};
}

/// The slot of the least recently used page. Pages not used since the list was built are older than
/// all pages used since; entries of the list that are out of date are skipped.
std::size_t Tlb::least_recent() {
  while (true) {
    if (by_age_.empty()) {
      for (const Slot& slot : slots_) {
        if (slot.used != 0) by_age_.push_back({slot.used, slot.page});
      }
      std::sort(by_age_.begin(), by_age_.end(),
                [](const Use& a, const Use& b) { return a.number > b.number; });
    }
    const Use oldest = by_age_.back();
    by_age_.pop_back();
    const std::size_t s = search(oldest.page);
    if (slots_[s].used == oldest.number) return s;
  }
}

void Tlb::remove_least_recent() {
  std::size_t hole = least_recent();
  // Close the gap, so that later probes still find slots that were displaced past it.
  for (std::size_t s = next(hole); slots_[s].used != 0; s = next(s)) {
    if (((s - home(slots_[s].page)) & mask_) >= ((s - hole) & mask_)) {
      slots_[hole] = slots_[s];
      hole = s;
    }
  }
  slots_[hole] = {};
}

void Tlb::invalidate_all() {
  std::fill(slots_.begin(), slots_.end(), Slot{});
  by_age_.clear();
  used_ = 0;
}

}  // namespace tessera
