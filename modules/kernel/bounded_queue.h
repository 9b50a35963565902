// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tessera {

/// A first-in-first-out queue with a fixed number of entries.
template <class T>
class BoundedQueue {
 public:
  /// `capacity`: 1 or more.
  explicit BoundedQueue(std::size_t capacity) : ring_(capacity) {}

  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == ring_.size(); }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return ring_.size(); }

  /// Precondition: not full.
  void push(T item) { push() = std::move(item); }
  /// Pushes an item that the caller fills in place. It still holds the values of an earlier item.
  T& push() {
    std::size_t i = std::size_t{head_} + size_++;
    if (i >= ring_.size()) i -= ring_.size();
    return ring_[i];
  }
  T& front() { return ring_[head_]; }
  const T& front() const { return ring_[head_]; }
  T pop() {
    T item = std::move(ring_[head_]);
    drop();
    return item;
  }
  /// Pops an item without a move.
  void drop() {
    // An empty queue restarts at entry 0, which is in the host's cache: most queues hold one or two
    // items.
    if (--size_ == 0 || ++head_ == ring_.size()) head_ = 0;
  }
  void clear() {
    while (!empty()) pop();
  }

 private:
  std::vector<T> ring_;
  std::uint32_t head_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace tessera
