// SPDX-License-Identifier: Apache-2.0
#include "modules/core/wake_queue.h"

#include <algorithm>

#include "modules/core/wake_event.h"

namespace tessera {

WakeQueue& WakeQueue::instance() {
  // Never destroyed: SystemC's own context, which its event belongs to, goes in unknown order.
  static WakeQueue* const queue = new WakeQueue;
  return *queue;
}

WakeQueue::WakeQueue() : slots_(kSlots), event_("wake_queue_event") {
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.dont_initialize();
  options.set_sensitivity(&event_);
  sc_core::sc_spawn([this] { process(); }, "wake_queue", &options);
}

void WakeQueue::enter(WakeEvent& sleeper, Tick t) {
  const Tick current = now();
  const Entry entry{t, &sleeper};
  if ((t >> kSlotBits) - (current >> kSlotBits) < kSlots) {
    put(entry);
  } else {
    far_.push_back(entry);
    std::push_heap(far_.begin(), far_.end(), Later{});
  }
  if (running_ || t >= armed_) return;
  armed_ = t;
  event_.notify(to_sc_time(t - current));
}

void WakeQueue::put(const Entry& entry) {
  const std::size_t slot = (entry.time >> kSlotBits) % kSlots;
  slots_[slot].push_back(entry);
  occupied_[slot / 64] |= std::uint64_t{1} << (slot % 64);
}

void WakeQueue::forget(const WakeEvent& sleeper) {
  const auto of_sleeper = [&sleeper](const Entry& e) { return e.sleeper == &sleeper; };
  for (std::vector<Entry>& slot : slots_) {
    slot.erase(std::remove_if(slot.begin(), slot.end(), of_sleeper), slot.end());
  }
  far_.erase(std::remove_if(far_.begin(), far_.end(), of_sleeper), far_.end());
  std::make_heap(far_.begin(), far_.end(), Later{});
}

void WakeQueue::process() {
  const Tick t = now();
  armed_ = kNever;
  running_ = true;
  take_far(t);
  run_due(t);
  running_ = false;
  const Tick next = next_time(t);
  if (next == kNever) return;
  armed_ = next;
  event_.notify(to_sc_time(next - t));
}

/// What has come within the calendar's reach moves into it.
void WakeQueue::take_far(Tick t) {
  while (!far_.empty() && (far_.front().time >> kSlotBits) - (t >> kSlotBits) < kSlots) {
    put(far_.front());
    std::pop_heap(far_.begin(), far_.end(), Later{});
    far_.pop_back();
  }
}

void WakeQueue::run_due(Tick t) {
  const std::size_t index = (t >> kSlotBits) % kSlots;
  std::vector<Entry>& slot = slots_[index];
  std::size_t kept = 0;
  // Processes may enter themselves and each other for now: the slot grows as we go.
  for (std::size_t i = 0; i < slot.size(); ++i) {
    const Entry entry = slot[i];
    if (entry.time != t) {
      slot[kept++] = entry;
    } else if (entry.sleeper->armed() == t) {
      entry.sleeper->wake();
    }
  }
  slot.resize(kept);
  if (kept == 0) occupied_[index / 64] &= ~(std::uint64_t{1} << (index % 64));
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
    for (const Entry& e : slots_[slot]) next = std::min(next, e.time);
    break;
  }
  return next;
}

}  // namespace tessera
