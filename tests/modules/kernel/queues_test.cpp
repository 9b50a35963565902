// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "modules/kernel/bounded_queue.h"
#include "modules/kernel/timed_queue.h"

namespace tessera::queues_test {

TEST_CASE("a timed queue orders by time, then port, then arrival") {
  TimedQueue<int> q;
  q.push(20, 0, 1);
  q.push(10, 3, 2);
  q.push(10, 1, 3);
  q.push(10, 1, 4);
  q.push(10, 0, 5);
  CHECK(q.next_due() == 10);
  CHECK(q.front() == 5);
  CHECK(q.front_port() == 0);
  std::vector<int> order;
  while (!q.empty()) order.push_back(q.pop());
  CHECK(order == std::vector<int>{5, 3, 4, 2, 1});
  CHECK(q.next_due() == kNever);
  CHECK_FALSE(q.due(kNever - 1));
}

TEST_CASE("what is due at a time is due from then on") {
  TimedQueue<int> q;
  q.push(10, 0, 1);
  CHECK_FALSE(q.due(9));
  CHECK(q.due(10));
  CHECK(q.due(11));
}

TEST_CASE("a timed queue agrees with a sorted map on random traffic") {
  std::mt19937_64 random(11);
  for (unsigned run = 0; run < 3; ++run) {
    TimedQueue<std::unique_ptr<int>> q;
    std::multimap<std::pair<Tick, std::uint32_t>, int> reference;
    Tick base = 0;
    for (int i = 0; i < 50'000; ++i) {
      // Phases of filling and of draining, so that the ring wraps and grows.
      if (random() % 100 < ((i / 500) % 2 == 0 ? 60U : 40U)) {
        const Tick due = base + random() % 40;
        const auto port = static_cast<std::uint32_t>(random() % 4);
        q.push(due, port, std::make_unique<int>(i));
        reference.emplace(std::make_pair(due, port), i);
      } else if (!reference.empty()) {
        const auto first = reference.begin();
        REQUIRE(q.next_due() == first->first.first);
        REQUIRE(q.front_port() == first->first.second);
        REQUIRE(*q.front() == first->second);
        REQUIRE(*q.pop() == first->second);
        base = std::max(base, first->first.first);
        reference.erase(first);
      }
      REQUIRE(q.size() == reference.size());
      REQUIRE(q.empty() == reference.empty());
    }
    q.clear();
    CHECK(q.empty());
    CHECK(q.next_due() == kNever);
  }
}

TEST_CASE("a bounded queue is first in, first out, and knows when it is full") {
  std::mt19937_64 random(12);
  for (std::size_t capacity : {1U, 2U, 7U}) {
    BoundedQueue<int> q(capacity);
    std::deque<int> reference;
    CHECK(q.capacity() == capacity);
    for (int i = 0; i < 5'000; ++i) {
      if (random() % 2 == 0 && !q.full()) {
        q.push(i);
        reference.push_back(i);
      } else if (!q.empty()) {
        REQUIRE(q.front() == reference.front());
        REQUIRE(std::as_const(q).front() == reference.front());
        REQUIRE(q.pop() == reference.front());
        reference.pop_front();
      }
      REQUIRE(q.size() == reference.size());
      REQUIRE(q.full() == (reference.size() == capacity));
      REQUIRE(q.empty() == reference.empty());
    }
    q.clear();
    CHECK(q.empty());
  }
}

TEST_CASE("cleared queues let go of what they held") {
  const auto item = std::make_shared<int>(1);
  BoundedQueue<std::shared_ptr<int>> bounded(4);
  TimedQueue<std::shared_ptr<int>> timed;
  for (unsigned i = 0; i < 4; ++i) {
    bounded.push(item);
    timed.push(10 - i, 0, item);
  }
  CHECK(item.use_count() == 9);
  bounded.clear();
  timed.clear();
  CHECK(item.use_count() == 1);
}

}  // namespace tessera::queues_test
