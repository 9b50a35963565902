// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <tlm>
#include <vector>

#include "modules/kernel/time.h"

namespace tessera {

/// A fixed number of entries, each for one outstanding page, found by page number in constant time.
/// Used for the MSHRs of a TLB and for the fault buffer of the UVM driver. Does not allocate memory
/// after warm-up.
class PageSlots {
 public:
  using Index = std::uint32_t;
  static constexpr Index kNone = ~Index{0};

  /// A request that waits for the page.
  struct Waiter {
    tlm::tlm_generic_payload* payload = nullptr;
    std::uint32_t port = 0;
    Tick since = 0;
  };

  struct Slot {
    std::uint64_t page = 0;
    /// The request to the next level; null if there is none.
    tlm::tlm_generic_payload* fetch = nullptr;
    std::vector<Waiter> waiters;
    Index next = kNone;  ///< next slot of the bucket or of the free list
  };

  explicit PageSlots(std::size_t capacity) : slots_(capacity) {
    std::size_t n = 1;
    while (n < 2 * capacity) n *= 2;
    buckets_.resize(n);
    clear();
  }

  Index find(std::uint64_t page) const {
    Index i = buckets_[page & (buckets_.size() - 1)];
    while (i != kNone && slots_[i].page != page) i = slots_[i].next;
    return i;
  }

  /// Precondition: not full, and no slot holds the page.
  Index allocate(std::uint64_t page) {
    const Index i = free_;
    Slot& s = slots_[i];
    free_ = s.next;
    Index& head = buckets_[page & (buckets_.size() - 1)];
    s.page = page;
    s.next = head;
    head = i;
    ++used_;
    return i;
  }

  void release(Index i) {
    Slot& s = slots_[i];
    Index* link = &buckets_[s.page & (buckets_.size() - 1)];
    while (*link != i) link = &slots_[*link].next;
    *link = s.next;
    s.waiters.clear();
    s.fetch = nullptr;
    s.next = free_;
    free_ = i;
    --used_;
  }

  void clear() {
    for (Index& b : buckets_) b = kNone;
    free_ = kNone;
    for (std::size_t i = slots_.size(); i-- > 0;) {
      slots_[i].waiters.clear();
      slots_[i].fetch = nullptr;
      slots_[i].next = free_;
      free_ = static_cast<Index>(i);
    }
    used_ = 0;
  }

  Slot& operator[](Index i) { return slots_[i]; }
  bool full() const { return used_ == slots_.size(); }
  bool empty() const { return used_ == 0; }
  std::size_t used() const { return used_; }
  /// All slots. A slot is in use if it has waiters.
  const std::vector<Slot>& all() const { return slots_; }

 private:
  std::vector<Slot> slots_;
  std::vector<Index> buckets_;
  Index free_ = kNone;
  std::size_t used_ = 0;
};

}  // namespace tessera
