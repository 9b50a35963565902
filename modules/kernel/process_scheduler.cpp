// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/process_scheduler.h"

#include <algorithm>
#include <utility>

#include "modules/kernel/domain.h"
#include "modules/kernel/unlikely.h"

namespace tessera {

ProcessScheduler::ProcessScheduler(std::string domain)
    : slots_(kSlots, kNever), domain_(std::move(domain)) {}

ProcessScheduler::Id ProcessScheduler::add(Process call, void* block) {
  const Entry entry{kNever, call, block};
  if (!free_.empty()) {
    const Id id = free_.back();
    free_.pop_back();
    entries_[id] = entry;
    return id;
  }
  if (entries_.size() == (stride_ - 1) * 64) {
    std::vector<std::uint64_t> wider(kSlots * (stride_ + 1));
    for (std::size_t s = 0; s < kSlots; ++s) {
      std::copy_n(&slots_[s * stride_], stride_, &wider[s * (stride_ + 1)]);
    }
    slots_ = std::move(wider);
    ++stride_;
  }
  entries_.push_back(entry);
  return static_cast<Id>(entries_.size() - 1);
}

void ProcessScheduler::remove(Id id) {
  cancel(id);
  entries_[id] = Entry{};
  free_.push_back(id);
}

void ProcessScheduler::cancel(Id id) {
  const Tick was = entries_[id].scheduled_at;
  if (was == kNever) return;
  entries_[id].scheduled_at = kNever;
  if (!near(was)) return;  // the heap's item is stale now
  std::uint64_t* const slot = slot_of(was);
  slot[1 + id / 64] &= ~bit(id);
  if (std::all_of(slot + 1, slot + stride_, [](std::uint64_t w) { return w == 0; })) emptied(was);
}

void ProcessScheduler::emptied(Tick t) {
  *slot_of(t) = kNever;
  const std::size_t index = (t >> kSlotBits) % kSlots;
  occupied_[index / 64] &= ~bit(index);
}

void ProcessScheduler::enter(Id id, Tick t) {
  // The usual case: called by a running process for an entry that is not scheduled.
  const bool plain =
      running_ && t >= detail::present && near(t) && entries_[id].scheduled_at == kNever;
  if (unlikely(!plain)) return enter_otherwise(id, t);
  entries_[id].scheduled_at = t;
  put(id, t);
}

void ProcessScheduler::enter_otherwise(Id id, Tick t) {
  sc_assert(t >= now());
  cancel(id);
  entries_[id].scheduled_at = t;
  if (near(t)) {
    put(id, t);
  } else {
    far_.push_back({t, id});
    std::push_heap(far_.begin(), far_.end(), Later{});
  }
  if (running_) return;
  next_ = std::min(next_, t);
  DomainRunner::instance().scheduled(t);
}

void ProcessScheduler::put(Id id, Tick t) {
  const std::size_t index = (t >> kSlotBits) % kSlots;
  occupied_[index / 64] |= bit(index);
  std::uint64_t* const slot = &slots_[index * stride_];
  *slot = std::min(*slot, t);
  slot[1 + id / 64] |= bit(id);
}

/// Marks the scheduler as running; its destructor also runs if a process throws.
struct ProcessScheduler::Running {
  Running(ProcessScheduler& q, Tick t) : queue(q) {
    queue.running_ = true;
    detail::present = t;
  }
  ~Running() {
    queue.running_ = false;
    detail::present = kNever;
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ProcessScheduler& queue;
};

void ProcessScheduler::run(Tick t) {
  first_slot_ = t >> kSlotBits;
  {
    const Running running(*this, t);
    if (unlikely(!far_.empty())) move_far_entries();
    run_due(t);
  }
  next_ = next_time(t);
}

/// Moves events that are now within the wheel's horizon from the heap into the wheel.
void ProcessScheduler::move_far_entries() {
  while (!far_.empty() && near(far_.front().time)) {
    const Far& next = far_.front();
    if (entries_[next.id].scheduled_at == next.time) put(next.id, next.time);
    std::pop_heap(far_.begin(), far_.end(), Later{});
    far_.pop_back();
  }
}

void ProcessScheduler::run_due(Tick t) {
  std::uint64_t* const slot = slot_of(t);
  while (*slot <= t) {
    unlikely(reverse_) ? call_due<true>(slot, t) : call_due<false>(slot, t);
    // Remaining entries: scheduled for t after their turn, or due later.
    Tick earliest = kNever;
    for (std::size_t w = 0; w + 1 < stride_; ++w) {
      for (std::uint64_t bits = slot[1 + w]; bits != 0; bits &= bits - 1) {
        const std::size_t id = w * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
        earliest = std::min(earliest, entries_[id].scheduled_at);
      }
    }
    *slot = earliest;
    if (earliest == kNever) emptied(t);
  }
}

/// Calls each process that is due at t once, in order.
template <bool kReverse>
void ProcessScheduler::call_due(std::uint64_t* slot, Tick t) {
  const std::size_t words = stride_ - 1;
  for (std::size_t n = 0; n < words; ++n) {
    const std::size_t w = kReverse ? words - 1 - n : n;
    std::uint64_t& word = slot[1 + w];
    // The word is read again after each call, because a process can schedule a later one.
    for (std::uint64_t to_come = word; to_come != 0;) {
      const auto i = static_cast<unsigned>(kReverse ? 63 - __builtin_clzll(to_come)
                                                    : __builtin_ctzll(to_come));
      Entry& s = entries_[w * 64 + i];
      if (s.scheduled_at == t) {
        word &= ~bit(i);
        s.scheduled_at = kNever;
        s.process(s.block);
      }
      to_come = word & (kReverse ? bit(i) - 1 : ~std::uint64_t{1} << i);
    }
  }
}

Tick ProcessScheduler::next_time(Tick t) const {
  const Tick next = far_.empty() ? kNever : far_.front().time;
  // Begins with the slot of t, which can hold a later time, and continues along the ring.
  const std::size_t first = (t >> kSlotBits) % kSlots;
  for (std::size_t n = 0; n <= kWords; ++n) {
    const std::size_t word = (first / 64 + n) % kWords;
    std::uint64_t bits = occupied_[word];
    const std::uint64_t before_first = bit(first) - 1;
    if (n == 0) bits &= ~before_first;
    if (n == kWords) bits &= before_first;
    if (bits == 0) continue;
    const std::size_t slot = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
    return std::min(next, slots_[slot * stride_]);
  }
  return next;
}

}  // namespace tessera
