// SPDX-License-Identifier: Apache-2.0
#include "modules/core/wake_queue.h"

#include <algorithm>

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

WakeQueue::Id WakeQueue::add(Process call, void* block) {
  const Sleeper sleeper{kNever, call, block};
  if (!free_.empty()) {
    const Id id = free_.back();
    free_.pop_back();
    sleepers_[id] = sleeper;
    return id;
  }
  if (sleepers_.size() == words_ * 64) {
    std::vector<std::uint64_t> wider(kSlots * (words_ + 1));
    for (std::size_t s = 0; s < kSlots; ++s) {
      std::copy_n(due_.begin() + static_cast<std::ptrdiff_t>(s * words_), words_,
                  wider.begin() + static_cast<std::ptrdiff_t>(s * (words_ + 1)));
    }
    due_ = std::move(wider);
    ++words_;
  }
  sleepers_.push_back(sleeper);
  return static_cast<Id>(sleepers_.size() - 1);
}

void WakeQueue::remove(Id id) {
  disarm(id);
  sleepers_[id] = Sleeper{};
  free_.push_back(id);
}

void WakeQueue::disarm(Id id) {
  const Tick was = sleepers_[id].armed;
  if (was == kNever) return;
  sleepers_[id].armed = kNever;
  if (!near(was)) return;  // void in the heap
  const std::size_t slot = slot_of(was);
  due_[slot * words_ + id / 64] &= ~(std::uint64_t{1} << (id % 64));
  leave(slot);
}

/// A slot without entries is not occupied.
void WakeQueue::leave(std::size_t slot) {
  const std::uint64_t* const words = &due_[slot * words_];
  if (std::all_of(words, words + words_, [](std::uint64_t w) { return w == 0; })) {
    occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  }
}

void WakeQueue::enter(Id id, Tick t) {
  sc_assert(t >= now());
  disarm(id);
  sleepers_[id].armed = t;
  if (near(t)) {
    put(id, t);
  } else {
    far_.push_back({t, id});
    std::push_heap(far_.begin(), far_.end(), Later{});
  }
  if (running_ || t >= wakes_at_) return;
  wakes_at_ = t;
  event_.notify(to_sc_time(t - now()));
}

void WakeQueue::put(Id id, Tick t) {
  const std::size_t slot = slot_of(t);
  std::uint64_t& word = occupied_[slot / 64];
  const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
  earliest_[slot] = (word & bit) == 0 ? t : std::min(earliest_[slot], t);
  word |= bit;
  due_[slot * words_ + id / 64] |= std::uint64_t{1} << (id % 64);
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
  wakes_at_ = kNever;
  first_slot_ = t >> kSlotBits;
  {
    const Running running(*this, t);
    take_far();
    run_due(t);
  }
  const Tick next = next_time(t);
  if (next == kNever) return;
  wakes_at_ = next;
  event_.notify(to_sc_time(next - t));
}

/// What has come within the calendar's reach moves into it.
void WakeQueue::take_far() {
  while (!far_.empty() && near(far_.front().time)) {
    const Far& next = far_.front();
    if (sleepers_[next.id].armed == next.time) put(next.id, next.time);
    std::pop_heap(far_.begin(), far_.end(), Later{});
    far_.pop_back();
  }
}

void WakeQueue::run_due(Tick t) {
  const std::size_t slot = slot_of(t);
  std::uint64_t* const words = &due_[slot * words_];
  while (pass(words, t)) {
  }
  leave(slot);
  // What is left is due later than t.
  earliest_[slot] = kNever;
  for (std::size_t w = 0; w < words_; ++w) {
    for (std::uint64_t bits = words[w]; bits != 0; bits &= bits - 1) {
      const std::size_t id = w * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
      earliest_[slot] = std::min(earliest_[slot], sleepers_[id].armed);
    }
  }
}

/// Calls what is due at t, in order. False when there was nothing.
bool WakeQueue::pass(std::uint64_t* words, Tick t) {
  bool any = false;
  for (std::size_t w = 0; w < words_; ++w) {
    // Read again each time: a process may arm one whose turn is still to come.
    std::uint64_t to_come = ~std::uint64_t{0};
    while ((words[w] & to_come) != 0) {
      const auto bit = static_cast<unsigned>(__builtin_ctzll(words[w] & to_come));
      to_come = ~std::uint64_t{1} << bit;
      Sleeper& s = sleepers_[w * 64 + bit];
      if (s.armed != t) continue;  // later within the slot
      words[w] &= ~(std::uint64_t{1} << bit);
      s.armed = kNever;
      any = true;
      s.process(s.block);
    }
  }
  return any;
}

Tick WakeQueue::next_time(Tick t) const {
  const Tick next = far_.empty() ? kNever : far_.front().time;
  // The slot of now first (it may hold a later instant), then round the ring.
  const std::size_t first = slot_of(t);
  for (std::size_t n = 0; n <= kWords; ++n) {
    const std::size_t word = (first / 64 + n) % kWords;
    std::uint64_t bits = occupied_[word];
    const std::uint64_t before_first = (std::uint64_t{1} << (first % 64)) - 1;
    if (n == 0) bits &= ~before_first;
    if (n == kWords) bits &= before_first;
    if (bits == 0) continue;
    return std::min(next, earliest_[word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits))]);
  }
  return next;
}

}  // namespace tessera
