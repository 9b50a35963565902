// SPDX-License-Identifier: Apache-2.0
#include "modules/core/wake_queue.h"

#include <algorithm>

#include "modules/core/prefetch.h"
#include "modules/core/wake_event.h"

namespace tessera {

WakeQueue& WakeQueue::instance() {
  // Never destroyed: SystemC's own context, which its event belongs to, goes in unknown order.
  static WakeQueue* const queue = new WakeQueue;
  return *queue;
}

WakeQueue::WakeQueue() : event_("wake_queue_event") {
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.dont_initialize();
  options.set_sensitivity(&event_);
  sc_core::sc_spawn([this] { process(); }, "wake_queue", &options);
}

void WakeQueue::enter(WakeEvent& sleeper, Tick t) {
  const Entry entry{t, &sleeper};
  if ((t >> kSlotBits) - first_slot_ < kSlots) {
    put(entry);
  } else {
    far_.push_back(entry);
    std::push_heap(far_.begin(), far_.end(), Later{});
  }
  if (running_ || t >= armed_) return;
  armed_ = t;
  event_.notify(to_sc_time(t - now()));
}

void WakeQueue::put(const Entry& entry) {
  const std::size_t index = (entry.time >> kSlotBits) % kSlots;
  Slot& slot = slots_[index];
  if (slot.last == nullptr) {
    slot.first = slot.last = new_piece();
    occupied_[index / 64] |= std::uint64_t{1} << (index % 64);
  } else if (slot.last->used == Piece::kEntries) {
    slot.last->next = new_piece();
    slot.last = slot.last->next;
  }
  slot.last->entries[slot.last->used++] = entry;
}

WakeQueue::Piece* WakeQueue::new_piece() {
  if (free_ == nullptr) {
    pieces_.push_back(std::make_unique<Piece>());
    return pieces_.back().get();
  }
  Piece* const piece = free_;
  free_ = piece->next;
  piece->next = nullptr;
  return piece;
}

/// Returns the piece behind it.
WakeQueue::Piece* WakeQueue::free_piece(Piece* piece) {
  Piece* const next = piece->next;
  piece->used = 0;
  piece->next = free_;
  free_ = piece;
  return next;
}

void WakeQueue::forget(const WakeEvent& sleeper) {
  for (const Slot& slot : slots_) {
    for (Piece* p = slot.first; p != nullptr; p = p->next) {
      for (std::uint32_t i = 0; i < p->used; ++i) {
        if (p->entries[i].sleeper == &sleeper) p->entries[i].sleeper = nullptr;
      }
    }
  }
  for (Entry& e : far_) {
    if (e.sleeper == &sleeper) e.sleeper = nullptr;
  }
}

/// Ends also when a process throws.
struct WakeQueue::Running {
  Running(WakeQueue& q, Tick t) : queue(q) {
    queue.running_ = true;
    detail::present = t;
  }
  ~Running() {
    queue.running_ = false;
    detail::present = kNever;
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  WakeQueue& queue;
};

void WakeQueue::process() {
  const Tick t = now();
  armed_ = kNever;
  first_slot_ = t >> kSlotBits;
  {
    const Running running(*this, t);
    take_far();
    run_due(t);
  }
  const Tick next = next_time(t);
  if (next == kNever) return;
  armed_ = next;
  event_.notify(to_sc_time(next - t));
}

/// What has come within the calendar's reach moves into it.
void WakeQueue::take_far() {
  while (!far_.empty() && (far_.front().time >> kSlotBits) - first_slot_ < kSlots) {
    put(far_.front());
    std::pop_heap(far_.begin(), far_.end(), Later{});
    far_.pop_back();
  }
}

void WakeQueue::run_due(Tick t) {
  const std::size_t index = (t >> kSlotBits) % kSlots;
  // Processes may enter themselves and each other for now, into the emptied slot.
  for (bool any = true; any;) {
    any = false;
    Piece* piece = slots_[index].first;
    slots_[index] = Slot{};
    occupied_[index / 64] &= ~(std::uint64_t{1} << (index % 64));
    while (piece != nullptr) {
      for (std::uint32_t i = 0; i < piece->used; ++i) {
        // Blocks run in turn: each has left the nearest cache since it ran last.
        if (i + kAhead < piece->used) prefetch(piece->entries[i + kAhead].sleeper);
        const Entry entry = piece->entries[i];
        if (entry.sleeper == nullptr) continue;
        if (entry.time != t) {
          put(entry);
        } else if (entry.sleeper->armed() == t) {
          any = true;
          entry.sleeper->wake();
        }
      }
      piece = free_piece(piece);
    }
  }
}

Tick WakeQueue::next_time(Tick t) const {
  Tick next = far_.empty() ? kNever : far_.front().time;
  // The slot of now first (it may hold a later instant), then round the ring.
  const std::size_t first = (t >> kSlotBits) % kSlots;
  for (std::size_t n = 0; n <= kWords; ++n) {
    const std::size_t word = (first / 64 + n) % kWords;
    std::uint64_t bits = occupied_[word];
    const std::uint64_t before_first = (std::uint64_t{1} << (first % 64)) - 1;
    if (n == 0) bits &= ~before_first;
    if (n == kWords) bits &= before_first;
    if (bits == 0) continue;
    const std::size_t slot = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
    for (const Piece* p = slots_[slot].first; p != nullptr; p = p->next) {
      for (std::uint32_t i = 0; i < p->used; ++i) next = std::min(next, p->entries[i].time);
    }
    break;
  }
  return next;
}

}  // namespace tessera
