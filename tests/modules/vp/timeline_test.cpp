// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/timeline.h"

#include <catch2/catch.hpp>
#include <random>
#include <tuple>

namespace tessera::timeline_test {

namespace {

/// begin, end, time in states 0, 1 and 2.
using Row = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>;

std::vector<Row> rows(const StateTimeline& t) {
  std::vector<Row> all;
  for (const StateInterval& i : t.intervals()) {
    all.emplace_back(i.begin, i.end, i.in[0], i.in[1], i.in[2]);
  }
  return all;
}

}  // namespace

TEST_CASE("states follow each other without gaps") {
  StateTimeline t;
  t.set(1, 10);
  t.set(0, 25);
  t.set(2, 30);
  t.end(50);
  CHECK(rows(t) ==
        std::vector<Row>{
            {0, 10, 10, 0, 0}, {10, 25, 0, 15, 0}, {25, 30, 5, 0, 0}, {30, 50, 0, 0, 20}});
  CHECK(t.resolution() == 0);
  CHECK(t.time_in(0) == 15);
  CHECK(t.time_in(1) == 15);
  CHECK(t.time_in(2) == 20);
}

TEST_CASE("a state that is set again does not begin an interval") {
  StateTimeline t(1);
  t.set(1, 5);
  t.set(0, 10);
  t.set(0, 12);
  t.set(0, 19);
  t.end(20);
  CHECK(rows(t) == std::vector<Row>{{0, 10, 0, 10, 0}, {10, 20, 10, 0, 0}});
}

TEST_CASE("a change of the future is forgotten when another one comes first, or the end") {
  StateTimeline t;
  t.set(1, 100);
  t.set(2, 100);
  t.set(1, 60);
  t.set(0, 80);
  t.set(1, 90);
  t.end(85);
  CHECK(rows(t) == std::vector<Row>{{0, 60, 60, 0, 0}, {60, 80, 0, 20, 0}, {80, 85, 5, 0, 0}});
}

TEST_CASE("a state without length leaves no interval and no border") {
  StateTimeline t;
  t.set(1, 10);
  t.set(0, 20);
  t.set(1, 20);
  t.end(30);
  CHECK(rows(t) == std::vector<Row>{{0, 10, 10, 0, 0}, {10, 30, 0, 20, 0}});
  StateTimeline empty;
  empty.set(1, 0);
  empty.end(0);
  CHECK(rows(empty).empty());
}

TEST_CASE("a part of a state's time is another state's, without borders") {
  StateTimeline t;
  t.add_part(3, 10, 30);
  t.add_part(3, 29, 34);  // the first one ends here
  t.set(1, 50);
  t.set(0, 60);
  t.add_part(2, 60, 61);
  t.add_part(3, 70, 100);
  t.set(1, 120);
  t.end(90);  // within the last part
  REQUIRE(t.intervals().size() == 3);
  CHECK(t.intervals()[0].in == std::array<std::uint64_t, 4>{26, 0, 0, 24});
  CHECK(t.intervals()[1].in == std::array<std::uint64_t, 4>{0, 10, 0, 0});
  CHECK(t.intervals()[2].in == std::array<std::uint64_t, 4>{9, 0, 1, 20});
  CHECK(t.intervals()[2].end == 90);
  CHECK(t.time_in(3) == 44);
}

TEST_CASE("a state without length does not divide one that has parts") {
  StateTimeline t;
  t.add_part(3, 1, 4);
  t.set(1, 10);
  t.set(0, 10);
  t.set(1, 15);
  t.set(0, 20);
  t.set(1, 20);
  t.add_part(3, 21, 22);
  t.end(30);
  CHECK(rows(t) == std::vector<Row>{{0, 15, 12, 0, 0}, {15, 30, 0, 14, 0}});
  CHECK(t.time_in(3) == 4);
}

TEST_CASE("nothing changes after the end") {
  StateTimeline t;
  t.end(10);
  t.set(1, 11);
  t.add_part(1, 11, 12);
  t.end(20);
  CHECK(rows(t) == std::vector<Row>{{0, 10, 10, 0, 0}});
}

TEST_CASE("short neighbours are joined when there are too many, and long ones keep their borders") {
  StateTimeline t(0, 4);
  // Lengths 100, 1, 2, 1: as many as there can be.
  t.set(1, 100);
  t.set(0, 101);
  t.set(1, 103);
  t.set(0, 104);
  t.set(1, 204);
  t.end(300);
  // The fifth, of 100: resolutions 1 and 2 join nothing, 4 joins 1, 2 and 1; 8 to 64 nothing more;
  // 128 joins these 4 with the 100 before.
  CHECK(t.resolution() == 128);
  CHECK(rows(t) ==
        std::vector<Row>{{0, 104, 102, 2, 0}, {104, 204, 100, 0, 0}, {204, 300, 0, 96, 0}});
}

TEST_CASE("an interval within the resolution joins the last one") {
  StateTimeline t(0, 2);
  t.set(1, 1);
  t.set(0, 2);
  t.set(1, 3);  // the third: all within 4
  t.set(0, 4);
  t.set(1, 6);
  t.end(7);
  CHECK(t.resolution() == 4);
  CHECK(rows(t) == std::vector<Row>{{0, 4, 2, 2, 0}, {4, 7, 2, 1, 0}});
}

TEST_CASE("a long run of random states is bounded, and its times are exact") {
  constexpr std::size_t kMost = 64;
  std::mt19937_64 random(7);
  StateTimeline t(0, kMost);
  std::array<std::uint64_t, 3> in{};
  std::uint64_t now = 0;
  unsigned state = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t length = random() % 10 == 0 ? random() % 5000 : random() % 20;
    in[state] += length;
    now += length;
    state = static_cast<unsigned>(random() % 3);
    t.set(state, now);
    REQUIRE(t.intervals().size() <= kMost);
  }
  t.end(now);
  for (unsigned s = 0; s < 3; ++s) CHECK(t.time_in(s) == in[s]);
  CHECK(t.intervals().size() > kMost / 4);
  std::uint64_t at = 0;
  for (const StateInterval& i : t.intervals()) {
    CHECK(i.begin == at);
    CHECK(i.in[0] + i.in[1] + i.in[2] == i.end - i.begin);
    at = i.end;
  }
  CHECK(at == now);
  // Neighbours that fit the resolution are joined.
  for (std::size_t i = 1; i < t.intervals().size(); ++i) {
    CHECK(t.intervals()[i].end - t.intervals()[i - 1].begin > t.resolution());
  }
}

TEST_CASE("work keeps its names, and joined work the time without gaps") {
  SpanTimeline t(3);
  t.add("a", 0, 10);
  t.add("b", 12, 15);
  t.add("a", 15, 16);
  REQUIRE(t.spans().size() == 3);
  CHECK(t.spans()[1].begin == 12);
  CHECK(t.spans()[1].end == 15);
  CHECK(t.spans()[1].counts == std::map<std::string, std::uint64_t>{{"b", 1}});
  t.add("a", 100, 200);
  // Resolution 4 joins 12 to 16, 16 joins it with 0 to 10, and 2 are left: a half of 3 is 1.
  // So the resolution doubles up to 256.
  CHECK(t.resolution() == 256);
  REQUIRE(t.spans().size() == 1);
  CHECK(t.spans()[0].begin == 0);
  CHECK(t.spans()[0].end == 200);
  CHECK(t.spans()[0].busy == 114);
  CHECK(t.spans()[0].counts == std::map<std::string, std::uint64_t>{{"a", 3}, {"b", 1}});
}

TEST_CASE("events of one time are one mark with counts") {
  SpanTimeline t;
  t.mark("timer", 5);
  t.mark("external", 5);
  t.mark("timer", 5);
  t.mark("timer", 6);
  REQUIRE(t.spans().size() == 2);
  CHECK(t.spans()[0].counts == std::map<std::string, std::uint64_t>{{"external", 1}, {"timer", 2}});
  CHECK(t.spans()[0].busy == 0);
  CHECK(t.spans()[1].begin == 6);
  CHECK(t.spans()[1].end == 6);
}

}  // namespace tessera::timeline_test
