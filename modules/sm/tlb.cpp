// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/tlb.h"

#include <algorithm>

namespace tessera {

Tlb::Tlb(std::uint32_t entries) : entries_(entries) {
  std::uint32_t n = 1;
  while (n < 2 * entries) n *= 2;
  buckets_.assign(n, kNone);
  bucket_mask_ = n - 1;
}

void Tlb::unlink(std::uint32_t i) {
  Entry& e = entries_[i];
  (e.newer == kNone ? newest_ : entries_[e.newer].older) = e.older;
  (e.older == kNone ? oldest_ : entries_[e.older].newer) = e.newer;
}

void Tlb::make_newest(std::uint32_t i) {
  Entry& e = entries_[i];
  e.newer = kNone;
  e.older = newest_;
  (newest_ == kNone ? oldest_ : entries_[newest_].newer) = i;
  newest_ = i;
}

const std::uint64_t* Tlb::find(std::uint64_t virtual_page) {
  for (std::uint32_t i = buckets_[bucket(virtual_page)]; i != kNone; i = entries_[i].next) {
    if (entries_[i].page != virtual_page) continue;
    if (i != newest_) {
      unlink(i);
      make_newest(i);
    }
    return &entries_[i].physical;
  }
  return nullptr;
}

void Tlb::insert(std::uint64_t virtual_page, std::uint64_t physical_address) {
  if (find(virtual_page) != nullptr) {
    entries_[newest_].physical = physical_address;
    return;
  }
  std::uint32_t i = used_;
  if (used_ < entries_.size()) {
    ++used_;
  } else {
    i = oldest_;
    unlink(i);
    std::uint32_t* link = &buckets_[bucket(entries_[i].page)];
    while (*link != i) link = &entries_[*link].next;
    *link = entries_[i].next;
  }
  Entry& e = entries_[i];
  e.page = virtual_page;
  e.physical = physical_address;
  std::uint32_t& head = buckets_[bucket(virtual_page)];
  e.next = head;
  head = i;
  make_newest(i);
}

void Tlb::invalidate_all() {
  std::fill(buckets_.begin(), buckets_.end(), kNone);
  used_ = 0;
  newest_ = oldest_ = kNone;
}

}  // namespace tessera
