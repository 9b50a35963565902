// SPDX-License-Identifier: Apache-2.0
#include "modules/rdma/codec.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

namespace tessera::codec_test {

namespace {

using Coalescer = tessera::ResponseCoalescer<int>;
using Ints = std::vector<int>;

constexpr std::uint64_t kNoCycle = Coalescer::kNoCycle;

Coalescer::Packet take(Coalescer& c, std::uint64_t cycle) {
  Coalescer::Packet packet;
  c.take(cycle, packet);
  return packet;
}

}  // namespace

TEST_CASE("CoDec: ten responses of one piece fill a packet at once (figure 9)") {
  Coalescer c({});
  for (int i = 0; i < 9; ++i) {
    c.push(0, i, 1, 100);
    CHECK(c.next_due(100) == 130);
  }
  c.push(0, 9, 1, 100);
  REQUIRE(c.next_due(100) == 100);
  const Coalescer::Packet p = take(c, 100);
  CHECK(p.destination == 0);
  CHECK(p.responses == Ints{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(p.granules == 10);
  CHECK_FALSE(p.timed_out);
  CHECK(c.empty());
  CHECK(c.next_due(100) == kNoCycle);
}

TEST_CASE("CoDec: the oldest response waits 30 cycles, and younger ones go with it") {
  Coalescer c({});
  c.push(1, 7, 2, 100);
  c.push(1, 8, 3, 125);
  CHECK(c.next_due(125) == 130);
  CHECK(c.next_due(129) == 130);
  CHECK(c.next_due(130) == 130);
  const Coalescer::Packet p = take(c, 130);
  CHECK(p.responses == Ints{7, 8});
  CHECK(p.granules == 5);
  CHECK(p.timed_out);
  // One that comes then waits 30 cycles of its own.
  c.push(1, 9, 1, 130);
  CHECK(c.next_due(130) == 160);
}

TEST_CASE("CoDec: what is left behind keeps the time of its own arrival") {
  Coalescer c({});
  c.push(0, 1, 6, 100);
  c.push(0, 2, 6, 110);
  CHECK(c.next_due(110) == 110);
  CHECK(take(c, 110).responses == Ints{1});
  CHECK(c.next_due(110) == 140);
}

TEST_CASE("CoDec: a response is never split, and none overtakes another") {
  Coalescer c({});
  // 4 + 5 = 9; the next has 2, the one after it 1: it would fit, and waits its turn.
  for (const auto& [item, granules] : std::map<int, unsigned>{{0, 4}, {1, 5}, {2, 2}, {3, 1}}) {
    c.push(2, item, granules, 50);
  }
  REQUIRE(c.next_due(50) == 50);
  const Coalescer::Packet first = take(c, 50);
  CHECK(first.responses == Ints{0, 1});
  CHECK(first.granules == 9);
  CHECK_FALSE(first.timed_out);
  REQUIRE(c.next_due(50) == 80);
  const Coalescer::Packet second = take(c, 80);
  CHECK(second.responses == Ints{2, 3});
  CHECK(second.granules == 3);
  CHECK(second.timed_out);
}

TEST_CASE("CoDec: three destinations take turns, whoever waits longest") {
  Coalescer c({});
  for (int round = 0; round < 2; ++round) {
    for (const int destination : {2, 0, 1}) {
      c.push(static_cast<std::size_t>(destination), 10 * destination + round, 10, 5);
    }
  }
  std::vector<int> order;
  for (std::uint64_t cycle = 5; cycle < 11; ++cycle) {
    REQUIRE(c.next_due(cycle) == cycle);
    order.push_back(take(c, cycle).responses.at(0));
  }
  CHECK(order == Ints{0, 10, 20, 1, 11, 21});
  CHECK(c.empty());
}

TEST_CASE("CoDec: a buffer that is not due loses its turn") {
  Coalescer c({});
  c.push(0, 1, 1, 5);
  c.push(1, 2, 10, 5);
  CHECK(take(c, 5).responses == Ints{2});
  c.push(0, 3, 9, 6);
  c.push(2, 4, 10, 6);
  CHECK(take(c, 6).responses == Ints{4});
  CHECK(take(c, 7).responses == Ints{1, 3});
}

TEST_CASE("CoDec: a full buffer sends what it has") {
  Coalescer c({3, 4, 30, 10});
  for (int i = 0; i < 3; ++i) c.push(0, i, 1, 9);
  CHECK_FALSE(c.full(0));
  CHECK(c.next_due(9) == 39);
  c.push(0, 3, 1, 9);
  CHECK(c.full(0));
  CHECK(c.size(0) == 4);
  CHECK_FALSE(c.full(1));
  REQUIRE(c.next_due(9) == 9);
  const Coalescer::Packet p = take(c, 9);
  CHECK(p.responses == Ints{0, 1, 2, 3});
  CHECK_FALSE(p.timed_out);
}

TEST_CASE("CoDec: granules of 8 and 16 bytes fill packets of six and three") {
  for (const std::uint32_t most : {6U, 3U}) {
    Coalescer c({3, 64, 30, most});
    for (std::uint32_t i = 0; i + 1 < most; ++i) c.push(0, 0, 1, 0);
    CHECK(c.next_due(0) == 30);
    c.push(0, 0, 1, 0);
    CHECK(c.next_due(0) == 0);
    CHECK(take(c, 0).responses.size() == most);
  }
}

TEST_CASE("CoDec: no time to wait means a packet for what there is in the cycle") {
  Coalescer c({3, 64, 0, 10});
  c.push(0, 1, 1, 7);
  c.push(0, 2, 1, 7);
  CHECK(c.next_due(7) == 7);
  CHECK(take(c, 7).responses == Ints{1, 2});
}

TEST_CASE("CoDec: clear drops everything and begins its turns anew") {
  Coalescer c({});
  c.push(0, 1, 10, 1);
  take(c, 1);
  c.push(1, 2, 1, 1);
  c.clear();
  CHECK(c.empty());
  CHECK(c.size(1) == 0);
  CHECK(c.next_due(2) == kNoCycle);
  c.push(1, 3, 10, 2);
  c.push(0, 4, 10, 2);
  CHECK(take(c, 2).responses == Ints{4});
}

TEST_CASE("CoDec: random responses all leave, in order, in packets that fit, in time") {
  std::mt19937_64 random(3);
  Coalescer c({3, 8, 30, 10});
  struct Given {
    std::size_t destination;
    std::uint32_t granules;
    std::uint64_t cycle;
  };
  std::vector<Given> given;
  std::vector<int> next(3, -1);
  std::size_t taken = 0;
  for (std::uint64_t cycle = 0; cycle < 20'000; ++cycle) {
    const std::size_t d = random() % 3;
    if (cycle < 19'000 && random() % 4 == 0 && !c.full(d)) {
      given.push_back({d, static_cast<std::uint32_t>(random() % 10 + 1), cycle});
      c.push(d, static_cast<int>(given.size()) - 1, given.back().granules, cycle);
    }
    if (c.next_due(cycle) != cycle) continue;
    const Coalescer::Packet p = take(c, cycle);
    REQUIRE_FALSE(p.responses.empty());
    std::uint32_t granules = 0;
    for (const int i : p.responses) {
      const Given& g = given[static_cast<std::size_t>(i)];
      REQUIRE(g.destination == p.destination);
      REQUIRE(i > next[p.destination]);
      // Two other buffers may be due before it.
      REQUIRE(cycle <= g.cycle + 30 + 2);
      next[p.destination] = i;
      granules += g.granules;
    }
    REQUIRE(granules == p.granules);
    REQUIRE(granules <= 10);
    const Given& oldest = given[static_cast<std::size_t>(p.responses[0])];
    if (p.timed_out) REQUIRE(cycle >= oldest.cycle + 30);
    taken += p.responses.size();
  }
  CHECK(taken == given.size());
  CHECK(taken > 3'000);
  CHECK(c.empty());
}

}  // namespace tessera::codec_test
