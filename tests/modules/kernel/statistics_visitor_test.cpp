// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/statistics_visitor.h"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "common/json.h"

namespace tessera::statistics_visitor_test {

namespace {

struct SomeStats {
  Counter events = 0;
  Counter rare = 0;
  Histogram waits;
  Occupancy level;
  BandwidthSeries bytes;
  Tick busy = 0;
};

void describe(StatisticsVisitor& v, SomeStats& s) {
  v.counter("events", s.events, "event", "what happened");
  v.counter("rare", s.rare, "event", "in some configurations");
  v.histogram("waits", s.waits, "cycle", "waits");
  v.occupancy("level", s.level, "entry", "entries");
  v.bandwidth("bytes", s.bytes, "bytes moved");
  v.cycles("busy_cycles", s.busy, "busy");
  v.waits(WaitKind::kQueueFull, {"rare", "waits"});
}

struct SomeValues {
  std::uint64_t first = 0;
  double second = 0;
};

void describe(StatisticsVisitor& v, SomeValues& s) {
  v.value("first", s.first, "", "the first");
  v.value("second", s.second, "", "the second");
}

SomeStats some_stats() {
  SomeStats s;
  s.events = 7;
  s.rare = 3;
  for (const std::uint64_t wait : {0, 1, 5, 6}) s.waits.add(wait);
  s.bytes.add(640, 0);
  return s;
}

}  // namespace

TEST_CASE("a struct of statistics is read back as its block registered it", "[statistics]") {
  const ClockDomain clock(1'400'000'000);
  SomeStats s = some_stats();
  s.busy = clock.time_of(123'457);
  StatisticsRegistry registry;
  StatisticsRegistrar(registry, "system.block", &clock).add(s);
  const auto read = read_statistics<SomeStats>(registry.to_json(), "system.block", &clock);
  CHECK(read.events == 7);
  CHECK(read.rare == 3);
  CHECK(read.waits.count() == 4);
  CHECK(read.waits.sum() == 12);
  CHECK(read.waits.max() == 6);
  for (std::size_t i = 0; i < Histogram::kBuckets; ++i) {
    CHECK(read.waits.bucket(i) == s.waits.bucket(i));
  }
  CHECK(read.bytes.total() == 640);
  CHECK(clock.cycle_at(read.busy) == 123'457);
}

TEST_CASE("a registered struct is shown as it is when it is read", "[statistics]") {
  const ClockDomain clock(1'000'000'000);
  SomeStats s;
  StatisticsRegistry registry;
  StatisticsRegistrar(registry, "block", &clock).add(s);
  s.events = 11;
  s.busy = clock.time_of(5);
  CHECK(registry.to_json().at("block").at("events") == 11);
  CHECK(registry.to_json().at("block").at("busy_cycles") == 5.0);
}

TEST_CASE("a statistic that a block lacks, or has with another kind, reads as 0", "[statistics]") {
  const ClockDomain clock(1'000'000'000);
  const nlohmann::ordered_json modules = {{"own", {{"events", 4}, {"waits", 9}, {"other", 1}}}};
  const auto own = read_statistics<SomeStats>(modules, "own", &clock);
  CHECK(own.events == 4);
  CHECK(own.waits.count() == 0);
  CHECK(own.busy == 0);
  CHECK(read_statistics<SomeStats>(modules, "nobody").events == 0);
}

TEST_CASE("a counter that a configuration does not use is left out", "[statistics]") {
  const ClockDomain clock(1'000'000'000);
  const SomeStats s = some_stats();
  StatisticsRegistry registry;
  StatisticsRegistrar registrar(registry, "block", &clock);
  registrar.leave_out(s.rare);
  registrar.add(s);  // and no kind of waits for it
  CHECK(registry.to_json().at("block").contains("events"));
  CHECK_FALSE(registry.to_json().at("block").contains("rare"));
}

TEST_CASE("a statistic of waits has their kind in the dictionary", "[statistics]") {
  const ClockDomain clock(1'000'000'000);
  const SomeStats s;
  StatisticsRegistry registry;
  StatisticsRegistrar(registry, "system.block3", &clock).add(s);
  const nlohmann::ordered_json block = registry.dictionary().at("system.block*");
  CHECK(block.at("waits").at("wait") == "queue full");
  CHECK(block.at("rare").at("wait") == "queue full");
  CHECK_FALSE(block.at("events").contains("wait"));
  CHECK_THROWS_AS(registry.waits("system.block3", "other", WaitKind::kOrdering), std::logic_error);
  CHECK_THROWS_AS(registry.waits("system.none", "waits", WaitKind::kOrdering), std::logic_error);
}

TEST_CASE("cycles need their block's clock", "[statistics]") {
  const SomeStats s;
  StatisticsRegistry registry;
  CHECK_THROWS_AS(StatisticsRegistrar(registry, "block").add(s), std::logic_error);
  const nlohmann::ordered_json modules = {{"block", {{"busy_cycles", 5}}}};
  CHECK_THROWS_AS(read_statistics<SomeStats>(modules, "block"), std::logic_error);
}

TEST_CASE("a snapshot's values are computed when they are read", "[statistics]") {
  SomeValues now{1, 0.5};
  StatisticsRegistry registry;
  register_snapshot<SomeValues>(registry, "block", [&now] { return now; });
  now = {2, 0.25};
  const nlohmann::ordered_json modules = registry.to_json();
  CHECK(modules.at("block").dump() == R"({"first":2.0,"second":0.25})");
  const auto read = read_statistics<SomeValues>(modules, "block");
  CHECK(read.first == 2);
  CHECK(read.second == 0.25);
}

}  // namespace tessera::statistics_visitor_test
