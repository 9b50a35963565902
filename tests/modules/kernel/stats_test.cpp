// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/stats.h"

#include <array>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/json.h"
#include "modules/kernel/sc_time.h"

namespace tessera::stats_test {

TEST_CASE("a histogram's buckets are powers of two") {
  Histogram h;
  for (std::uint64_t v : {0ULL, 1ULL, 2ULL, 3ULL, 4ULL, 7ULL, 8ULL, ~0ULL}) h.add(v);
  CHECK(h.bucket(0) == 1);
  CHECK(h.bucket(1) == 1);
  CHECK(h.bucket(2) == 2);
  CHECK(h.bucket(3) == 2);
  CHECK(h.bucket(4) == 1);
  CHECK(h.bucket(64) == 1);
  CHECK(h.count() == 8);
  CHECK(h.max() == ~0ULL);
  Histogram g;
  CHECK(g.mean() == 0);
  g.add(4);
  g.add(8);
  CHECK(g.sum() == 12);
  CHECK(g.mean() == 6);
}

TEST_CASE("occupancy weighs levels by their time, from the window's start") {
  Occupancy o;
  o.set(4, 10);  // 0 for 10
  o.set(1, 20);  // 4 for 10
  CHECK(o.level() == 1);
  CHECK(o.average(40) == Approx((4 * 10 + 1 * 20) / 40.0));
  CHECK(o.max() == 4);
  o.reset(50);
  CHECK(o.max() == 1);
  CHECK(o.average(50) == 0);
  CHECK(o.average(60) == 1);
  o.set(3, 60);
  CHECK(o.average(70) == Approx((1 * 10 + 3 * 10) / 20.0));
  CHECK(o.max() == 3);
}

TEST_CASE("a bandwidth series merges its bins when the run outgrows them") {
  BandwidthSeries s(10);
  for (Tick t = 0; t < 1280; t += 10) s.add(t / 10 + 1, t);
  REQUIRE(s.bins().size() == BandwidthSeries::kBins);
  CHECK(s.interval() == 10);
  s.add(1000, 1280);
  CHECK(s.interval() == 20);
  REQUIRE(s.bins().size() == 65);
  CHECK(s.bins()[0] == 1 + 2);
  CHECK(s.bins()[63] == 127 + 128);
  CHECK(s.bins()[64] == 1000);
  CHECK(s.total() == 128 * 129 / 2 + 1000);
}

TEST_CASE("a bandwidth series agrees with a list of all that was added") {
  std::mt19937_64 random(21);
  BandwidthSeries s(7);
  std::vector<std::pair<Tick, std::uint64_t>> all;
  Tick t = 0;
  for (int i = 0; i < 5000; ++i) {
    t += random() % (i % 100 == 0 ? 100'000 : 50);
    all.emplace_back(t - random() % std::min<Tick>(t + 1, 30), random() % 200);
    s.add(all.back().second, all.back().first);
    REQUIRE(s.bins().size() <= BandwidthSeries::kBins);
  }
  std::vector<std::uint64_t> expected(s.bins().size());
  for (const auto& [at, bytes] : all) expected.at(at / s.interval()) += bytes;
  CHECK(s.bins() == expected);
  CHECK(s.total() == std::accumulate(expected.begin(), expected.end(), std::uint64_t{0}));
}

TEST_CASE("a bandwidth series reaches any time") {
  BandwidthSeries s;
  s.add(1, 0);
  s.add(2, 10 * kTicksPerSecond);
  CHECK(s.bins().size() <= BandwidthSeries::kBins);
  CHECK(s.bins().front() == 1);
  CHECK(s.bins().back() == 2);
}

TEST_CASE("the registry reads its values when a report is made") {
  StatisticsRegistry registry;
  Counter hits = 0;
  Histogram latency;
  Occupancy queue;
  BandwidthSeries bytes(1'000'000);
  registry.counter("gpu0.llc1", "hits", hits, "request", "lookups that hit");
  registry.value(
      "gpu0.llc1", "rate", [&hits] { return static_cast<double>(hits) / 8; }, "1",
      "hits per lookup");
  registry.histogram("gpu0.llc1", "latency", latency, "cycle", "from arrival to response");
  registry.occupancy("gpu0.llc0", "queue", queue, "entry", "requests waiting");
  registry.bandwidth("gpu0.llc0", "bytes", bytes, "bytes to the channel");
  hits = 2;
  latency.add(5);
  queue.set(3, 0);
  sc_core::sc_start(to_sc_time(1000));
  bytes.add(32, 2'500'000);
  CHECK(registry.to_json() == nlohmann::ordered_json::parse(R"({
          "gpu0.llc0": {"queue": {"average": 3.0, "max": 3},
                        "bytes": {"interval_ns": 1.0, "bytes": [0, 0, 32], "total": 32}},
          "gpu0.llc1": {"hits": 2, "rate": 0.25,
                        "latency": {"count": 1, "sum": 5, "mean": 5.0, "max": 5,
                                    "log2_buckets": [0, 0, 0, 1]}}})"));
  REQUIRE(registry.all().size() == 5);
  CHECK(registry.all()[0].module == "gpu0.llc1");
  CHECK(registry.all()[0].name == "hits");
  CHECK(registry.all()[0].unit == "request");
  CHECK(registry.all()[0].description == "lookups that hit");
  CHECK(registry.all()[0].kind == "counter");
  CHECK(registry.all()[1].kind == "value");
  CHECK(registry.all()[2].kind == "histogram");
  CHECK(registry.all()[3].kind == "occupancy");
  CHECK(registry.all()[4].kind == "bandwidth");
  CHECK(registry.all()[4].unit == "byte");
}

TEST_CASE("a statistic is registered once") {
  StatisticsRegistry registry;
  Counter a = 0;
  registry.counter("x", "hits", a, "1", "d");
  registry.counter("y", "hits", a, "1", "d");
  CHECK_THROWS_AS(registry.counter("x", "hits", a, "1", "d"), std::logic_error);
  CHECK_THROWS_AS(registry.value(
                      "y", "hits", [] { return 0.0; }, "1", "d"),
                  std::logic_error);
  CHECK(registry.all().size() == 2);
}

TEST_CASE("a sum is over counters of modules by the last part of their name") {
  StatisticsRegistry registry;
  const Counter one = 1;
  const Counter ten = 10;
  const Counter hundred = 100;
  registry.counter("gpu0.llc0", "hits", one, "1", "d");
  registry.counter("gpu1.part0.llc17", "hits", ten, "1", "d");
  registry.counter("llc.l1", "hits", hundred, "1", "d");
  registry.counter("llc3", "misses", hundred, "1", "d");
  registry.value(
      "gpu0.llc1", "hits", [] { return 1000.0; }, "1", "d");
  CHECK(registry.sum("llc", "hits") == 11);
  CHECK(registry.sum("l1", "hits") == 100);
  CHECK(registry.sum("", "hits") == 111);
  CHECK(registry.sum("dram", "hits") == 0);
}

TEST_CASE("series that are added are as if one had counted all") {
  for (const Tick most : {Tick{50}, Tick{900}, Tick{5'000}, Tick{1'000'000}}) {
    std::mt19937_64 random(most);
    BandwidthSeries one(7);
    std::array<BandwidthSeries, 3> parts{BandwidthSeries(7), BandwidthSeries(7),
                                         BandwidthSeries(7)};
    for (unsigned i = 0; i < 1000; ++i) {
      // The parts end at different times; the last one has no bytes.
      const std::size_t part = random() % 2;
      const Tick t = random() % (most >> part * 4 | 1);
      const std::uint64_t bytes = random() % 100;
      one.add(bytes, t);
      parts[part].add(bytes, t);
    }
    for (const std::array<std::size_t, 3>& order :
         {std::array<std::size_t, 3>{0, 1, 2}, std::array<std::size_t, 3>{2, 1, 0}}) {
      BandwidthSeries sum(7);
      for (const std::size_t i : order) sum.add(parts[i]);
      CHECK(sum.bins() == one.bins());
      CHECK(sum.interval() == one.interval());
      CHECK(sum.total() == one.total());
    }
  }
  BandwidthSeries sum;
  sum.add(BandwidthSeries::of_total(5));
  CHECK(sum.total() == 5);
}

TEST_CASE("histograms that are added are as if one had counted all") {
  Histogram one;
  std::array<Histogram, 2> parts;
  std::mt19937_64 random(1);
  for (unsigned i = 0; i < 1000; ++i) {
    const std::uint64_t value = random() >> random() % 64;
    one.add(value);
    parts[i % 2].add(value);
  }
  Histogram sum;
  for (const Histogram& h : parts) sum.add(h);
  CHECK(sum.count() == one.count());
  CHECK(sum.sum() == one.sum());
  CHECK(sum.max() == one.max());
  for (std::size_t i = 0; i < Histogram::kBuckets; ++i) CHECK(sum.bucket(i) == one.bucket(i));
}

TEST_CASE("running totals are counters, bytes, a histogram's count and sum, and levels by time") {
  StatisticsRegistry registry;
  Counter hits = 3;
  BandwidthSeries bytes(10);
  Histogram latency;
  Occupancy queue;
  registry.counter("block", "hits", hits, "access", "");
  registry.value(
      "block", "rate", [] { return 0.5; }, "", "");
  registry.bandwidth("block", "bytes", bytes, "");
  registry.histogram("block", "latency", latency, "cycle", "");
  registry.occupancy("block", "queue", queue, "entry", "");
  const auto totals = registry.running_totals();
  std::vector<std::string> names;
  for (const auto& total : totals) {
    names.push_back(total.info->name + (total.field.empty() ? "" : "." + total.field));
  }
  CHECK(names ==
        std::vector<std::string>{"hits", "bytes", "latency.count", "latency.sum", "queue"});
  ++hits;
  bytes.add(7, 5);
  bytes.add(8, 25);
  latency.add(20);
  latency.add(30);
  queue.set(3, 10);
  queue.set(1, 30);
  const std::uint64_t expected[] = {4, 15, 2, 50, 3 * 20 + 1 * 7};
  for (std::size_t i = 0; i < totals.size(); ++i) CHECK(totals[i].at(37) == expected[i]);
  // Reading has changed nothing.
  CHECK(queue.average(40) == (3 * 20 + 1 * 10) / 40.0);
}

}  // namespace tessera::stats_test
