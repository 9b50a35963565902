// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "modules/core/prefetch.h"
#include "modules/core/time.h"
#include "modules/core/unlikely.h"

namespace tessera {

/// Items with a due time, taken in the order (time, port, order of arrival). Never by call order
/// alone: two senders may call in any order and the result is the same.
///
/// A ring kept sorted by insertion from the back: pushes that come nearly in order, as they do
/// behind a constant latency, cost O(1). What comes next after pop() is fetched into the host's
/// caches. Half a host cache line beside the ring: a block asks all its queues at each activation,
/// and finds most of them empty.
template <class T>
class TimedQueue {
 public:
  TimedQueue() : ring_(std::make_unique<Entry[]>(kFirstSize)) {}

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  // Not inline: hundreds of bytes at every place that pushes.
  [[gnu::noinline]] void push(Tick due, std::uint32_t port, T item) {
    if (unlikely(size_ > mask_)) return push_into_more(due, port, std::move(item));
    std::uint32_t i = size_++;
    for (; i > 0; --i) {
      Entry& before = at(i - 1);
      if (before.due < due || (before.due == due && before.port <= port)) break;
      at(i) = std::move(before);
    }
    Entry& place = at(i);
    place.due = due;
    place.port = port;
    place.item = std::move(item);
    if (i == 0) next_due_ = due;
  }

  /// Due time of the front, kNever when empty.
  Tick next_due() const { return next_due_; }
  bool due(Tick t) const { return next_due_ <= t; }

  T& front() { return ring_[head_].item; }
  std::uint32_t front_port() const { return ring_[head_].port; }

  T pop() {
    T item = std::move(ring_[head_].item);
    if (--size_ == 0) {
      // Begins anew where it has been lately: most queues hold an item or two.
      head_ = 0;
      next_due_ = kNever;
      return item;
    }
    head_ = (head_ + 1) & mask_;
    next_due_ = ring_[head_].due;
    prefetch_item(ring_[head_].item);
    return item;
  }

  void clear() {
    while (!empty()) pop();
  }

 private:
  struct Entry {
    Tick due = 0;
    std::uint32_t port = 0;
    T item{};
  };

  static constexpr std::uint32_t kFirstSize = 2;

  Entry& at(std::uint32_t i) { return ring_[(head_ + i) & mask_]; }

  [[gnu::noinline]] void push_into_more(Tick due, std::uint32_t port, T item) {
    auto bigger = std::make_unique<Entry[]>(std::size_t{size_} * 2);
    for (std::uint32_t i = 0; i < size_; ++i) bigger[i] = std::move(at(i));
    ring_ = std::move(bigger);
    mask_ = size_ * 2 - 1;
    head_ = 0;
    push(due, port, std::move(item));
  }

  Tick next_due_ = kNever;  ///< most questions never touch the ring
  std::unique_ptr<Entry[]> ring_;
  std::uint32_t head_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t mask_ = kFirstSize - 1;  ///< the ring's size, a power of two, less 1
};

}  // namespace tessera
