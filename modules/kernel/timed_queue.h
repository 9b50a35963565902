// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "modules/kernel/prefetch.h"
#include "modules/kernel/time.h"
#include "modules/kernel/unlikely.h"

namespace tessera {

/// A queue of items with a due time, dequeued in the order (time, port, order of arrival), so that
/// results do not depend on the order in which two senders call push().
///
/// A ring, kept sorted by insertion from the back. Pushes that are nearly in order, as after a
/// constant latency, cost O(1). pop() prefetches the next item. The object is half a host cache
/// line without the ring, because a block polls all its queues at each activation and most are
/// empty.
template <class T>
class TimedQueue {
 public:
  TimedQueue() : ring_(std::make_unique<Entry[]>(kFirstSize)) {}

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  // Not inline, because each copy has hundreds of bytes.
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

  /// Due time of the front; kNever if the queue is empty.
  Tick next_due() const { return next_due_; }
  bool due(Tick t) const { return next_due_ <= t; }

  T& front() { return ring_[head_].item; }
  std::uint32_t front_port() const { return ring_[head_].port; }

  T pop() {
    T item = std::move(ring_[head_].item);
    if (--size_ == 0) {
      // An empty queue restarts at entry 0, which is in the host's cache: most queues hold one or
      // two items.
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

  Tick next_due_ = kNever;  ///< copied here, so that most calls do not access the ring
  std::unique_ptr<Entry[]> ring_;
  std::uint32_t head_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t mask_ = kFirstSize - 1;  ///< ring size, a power of two, minus 1
};

}  // namespace tessera
