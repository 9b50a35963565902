// SPDX-License-Identifier: Apache-2.0
// Statistics over time: where an event counts, sums, and no effect on a run.
#include "platforms/series_recorder.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <systemc>
#include <vector>

#include "common/block_class.h"
#include "common/error.h"
#include "common/json.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/sc_time.h"
#include "tests/platforms/workload_runs.h"

namespace tessera::series_recorder_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)
using nlohmann::json;

namespace {

/// Counts an event, 10 bytes, a latency and a level at each of its times.
struct Counting final : sc_core::sc_module {
  struct Event {
    Tick at;
    std::uint64_t level;
  };
  Counting(const sc_core::sc_module_name& name, std::vector<Event> all)
      : sc_module(name), events(std::move(all)), bandwidth(1000) {
    wake.bind<&Counting::process>(*this);
    wake.at(events.front().at);
  }
  void process() {
    ++count;
    bandwidth.add(10, now());
    latency.add(events[next].level);
    queue.set(events[next].level, now());
    if (++next < events.size()) wake.at(events[next].at);
  }
  void add_to(StatisticsRegistry& registry) {
    const std::string module = name();
    registry.counter(module, "egress0_events", count, "event", "at egress 0");
    registry.counter(module, "egress1_events", count, "event", "at egress 1");
    registry.bandwidth(module, "bandwidth", bandwidth, "bytes");
    registry.histogram(module, "latency", latency, "cycle", "of events");
    registry.occupancy(module, "queue", queue, "entry", "level");
    registry.counter(module, "never", none, "event", "does not happen");
  }
  std::vector<Event> events;
  std::size_t next = 0;
  Counter count = 0;
  Counter none = 0;
  BandwidthSeries bandwidth;
  Histogram latency;
  Occupancy queue;
  ProcessTimer wake;
};

void run_to(SeriesRecorder& series, Tick end) {
  while (now() < end) series.run(end);
}

json values(const json& series, const std::string& block, const std::string& statistic) {
  return series.at("classes").at(block).at("statistics").at(statistic).at("values");
}

json run_document(const std::string& platform, const std::string& workload, std::uint64_t ns,
                  bool reverse, const std::vector<std::string>& sets = {}) {
  RunOptions options;
  options.values = ValueMode::kCarried;
  options.series_interval_ns = ns;
  BuildOptions build;
  build.reverse_processes = reverse;
  if (reverse) build.domains = NodeLevel::kPartition;
  json run = json::parse(document(platform, workload, options, sets, build));
  // Runs of several domains have none.
  CHECK(run.erase("critical_path") == (reverse ? 0 : 1));
  return run;
}

/// Sums of a run's statistics over the blocks of each class, as the series have them.
std::map<std::string, double> totals_of(const json& run) {
  std::map<std::string, double> all;
  for (const auto& [module, statistics] : run.at("modules").items()) {
    for (const auto& [name, value] : statistics.items()) {
      const std::string path = block_class(module) + "/" + block_class(name);
      if (value.is_number()) all[path] += value.get<double>();
      if (!value.is_object()) continue;
      for (const char* field : {"count", "sum", "total", "average"}) {
        if (value.contains(field)) all[path + "." + field] += value.at(field).get<double>();
      }
    }
  }
  return all;
}

/// CHECKs that the series add up to the totals; returns the number of compared statistics.
std::size_t check_sums(const json& run) {
  const json& series = run.at("series");
  const std::map<std::string, double> totals = totals_of(run);
  const auto begin = series.at("begin_ns").get<double>();
  const auto end = series.at("end_ns").get<double>();
  const auto width = series.at("interval_ns").get<double>();
  const auto intervals = series.at("intervals").get<std::size_t>();
  std::size_t compared = 0;
  std::set<std::string> seen;
  for (const auto& [block, entry] : series.at("classes").items()) {
    for (const auto& [name, statistic] : entry.at("statistics").items()) {
      const auto all = statistic.at("values").get<std::vector<double>>();
      REQUIRE(all.size() == intervals);
      const std::string kind = statistic.at("kind");
      std::string path = block + "/" + block_class(name);
      if (kind == "bandwidth") path += ".total";
      if (kind == "occupancy") path += ".average";
      seen.insert(path);
      CAPTURE(path);
      double sum = 0;
      for (std::size_t i = 0; i < all.size(); ++i) {
        const double to = i + 1 == intervals ? end : begin + width * static_cast<double>(i + 1);
        const double length = to - (begin + width * static_cast<double>(i));
        sum += kind == "occupancy" ? all[i] * length / (end - begin) : all[i];
      }
      if (kind == "occupancy") {
        CHECK(sum == Approx(totals.at(path)).epsilon(1e-9));
      } else {
        CHECK(sum == totals.at(path));
      }
      ++compared;
    }
  }
  // What the series leave out has not counted.
  for (const auto& [block, kinds] : run.at("dictionary").at("modules").items()) {
    for (const auto& [name, entry] : kinds.items()) {
      const std::string path = block + "/" + block_class(name);
      if (entry.at("kind") != "counter" || seen.count(path) != 0) continue;
      CAPTURE(path);
      CHECK(totals.at(path) == 0);
    }
  }
  return compared;
}

void check_no_effect(const std::string& platform, const std::string& workload, std::uint64_t ns,
                     const std::vector<std::string>& sets = {}) {
  const json without = run_document(platform, workload, 0, false, sets);
  CHECK_FALSE(without.contains("series"));
  json with = run_document(platform, workload, ns, false, sets);
  CHECK(with.at("series").at("intervals") > 3);
  check_sums(with);
  const json reversed = run_document(platform, workload, ns, true, sets);
  CHECK(json::diff(with, reversed) == json::array());
  with.erase("series");
  CHECK(json::diff(without, with) == json::array());
}

}  // namespace

TEST_CASE("an event at an interval's first tick counts there, one at its last tick as well") {
  set_time_resolution();
  Counting block("block", {{0, 2}, {999, 2}, {1000, 0}, {1500, 3}, {2250, 0}});
  StatisticsRegistry registry;
  block.add_to(registry);
  SeriesRecorder series(registry, 1000, {});
  series.begin();
  run_to(series, 2500);
  series.end();
  const json d = json::parse(series.to_json().dump());
  CHECK(d.at("intervals") == 3);
  CHECK(d.at("interval_ns") == 0.001);
  CHECK(d.at("end_ns") == 0.0025);
  CHECK(values(d, "block", "bandwidth") == json({20, 20, 10}));
  CHECK(values(d, "block", "latency.count") == json({2, 2, 1}));
  CHECK(values(d, "block", "latency.sum") == json({4, 3, 0}));
  // Level 2 up to 1000, 3 from 1500 to 2250; the last interval has 500 ticks.
  CHECK(values(d, "block", "queue") == json({2.0, 1.5, 1.5}));
  // Two egresses.
  CHECK(values(d, "block", "egress*_events") == json({4, 4, 2}));
  CHECK_FALSE(d.at("classes").at("block").at("statistics").contains("never"));
  CHECK(d.at("classes").at("block").at("blocks") == 1);
}

TEST_CASE("intervals begin with the recording, and events before it do not count") {
  set_time_resolution();
  Counting block("block", {{100, 1}, {700, 1}, {1299, 1}, {1300, 1}});
  StatisticsRegistry registry;
  block.add_to(registry);
  SeriesRecorder series(registry, 1000, {});
  run_to(series, 300);
  registry.begin_window();
  series.begin();
  run_to(series, 1400);
  series.end();
  run_to(series, 5000);
  series.end();
  const json d = json::parse(series.to_json().dump());
  CHECK(d.at("begin_ns") == 0.0003);
  CHECK(d.at("end_ns") == 0.0014);
  CHECK(values(d, "block", "bandwidth") == json({20, 10}));
  CHECK(values(d, "block", "queue") == json({1.0, 1.0}));
}

TEST_CASE("a run that ends at an interval's last tick has no interval after it") {
  set_time_resolution();
  Counting block("block", {{500, 4}, {1999, 2}});
  StatisticsRegistry registry;
  block.add_to(registry);
  SeriesRecorder series(registry, 1000, {});
  series.begin();
  run_to(series, 1999);
  while (sc_core::sc_pending_activity_at_current_time()) series.run(1999);
  series.run(1999);
  series.end();
  const json d = json::parse(series.to_json().dump());
  CHECK(d.at("intervals") == 2);
  CHECK(d.at("end_ns") == 0.002);
  CHECK(values(d, "block", "bandwidth") == json({10, 10}));
  CHECK(values(d, "block", "queue") == json({2.0, 3.998}));
}

TEST_CASE("beyond the most intervals, pairs are merged and the interval doubles") {
  set_time_resolution();
  std::vector<Counting::Event> all;
  constexpr Tick kEnd = SeriesRecorder::kMostIntervals * 1000 + 3000;
  for (Tick t = 0; t < kEnd; t += 1000) all.push_back({t, 1});
  Counting block("block", all);
  StatisticsRegistry registry;
  block.add_to(registry);
  SeriesRecorder series(registry, 1000, {});
  series.begin();
  run_to(series, kEnd - 1);
  series.end();
  const json d = json::parse(series.to_json().dump());
  CHECK(d.at("interval_ns") == 0.002);
  // 128 pairs, one interval of two events, and half an interval.
  std::vector<int> expected(SeriesRecorder::kMostIntervals / 2 + 1, 20);
  expected.push_back(10);
  CHECK(values(d, "block", "bandwidth") == json(expected));
  CHECK(d.at("intervals") == SeriesRecorder::kMostIntervals / 2 + 2);
}

TEST_CASE("series change nothing, and add up to the totals in either order: uba-mem") {
  check_no_effect("uba-mem-small", "mm", 100);
}

TEST_CASE("series change nothing, and add up to the totals in either order: nuba, page faults") {
  check_no_effect("nuba-small", "spmv", 137,
                  {"uvm.mode=fault", "mdr.epoch_cycles=1000", "noc.kind=mesh"});
}

TEST_CASE("series change nothing, and add up to the totals in either order: several GPUs") {
  check_no_effect("dca-small", "mm", 1000, {"uvm.mode=fault", "uvm.fault_latency_ns=100"});
}

TEST_CASE("series change nothing, and add up to the totals in either order: coherent hierarchy") {
  check_no_effect("umh-2-small", "kmeans", 500);
}

TEST_CASE("series change nothing, and add up to the totals in either order: moving pages") {
  check_no_effect("griffin-small", "mm", 250, {"migration.interval_cycles=300"});
}

TEST_CASE("the bytes of an interval are those of the blocks' own series") {
  const json run = run_document("uba-mem-small", "transpose", 1000, false);
  const json& series = run.at("series");
  REQUIRE(series.at("interval_ns") == 1000.0);
  const auto intervals = series.at("intervals").get<std::size_t>();
  std::map<std::string, std::vector<std::uint64_t>> reference;
  for (const auto& [module, statistics] : run.at("modules").items()) {
    for (const auto& [name, value] : statistics.items()) {
      if (!value.is_object() || !value.contains("bytes")) continue;
      REQUIRE(value.at("interval_ns") == 1000.0);
      auto& bins = reference[block_class(module) + "/" + name];
      bins.resize(intervals);
      for (std::size_t i = 0; i < value.at("bytes").size(); ++i) {
        bins.at(i) += value.at("bytes")[i].get<std::uint64_t>();
      }
    }
  }
  // L1s and slices, channels, and both directions of the network.
  REQUIRE(reference.size() == 5);
  for (const auto& [path, bins] : reference) {
    CAPTURE(path);
    const std::size_t slash = path.find('/');
    const json own = values(series, path.substr(0, slash), path.substr(slash + 1));
    const bool at_call =
        path.find("noc") != std::string::npos || path.find("dram") != std::string::npos;
    if (!at_call) {
      CHECK(own == json(bins));
      continue;
    }
    // A channel and a network know the time at which the last byte passes before that time, and
    // count it then.
    std::uint64_t counted = 0;
    std::uint64_t passed = 0;
    for (std::size_t i = 0; i < intervals; ++i) {
      counted += own.at(i).get<std::uint64_t>();
      passed += bins[i];
      CHECK(counted >= passed);
    }
    CHECK(counted == passed);
  }
}

/// The series of a window: its sums are the window's statistics, and its intervals cover it.
json windowed_series(const std::string& platform, const std::string& workload,
                     WindowOptions window) {
  RunOptions options;
  options.values = ValueMode::kCarried;
  options.series_interval_ns = 100;
  options.window = window;
  const json run = json::parse(document(platform, workload, options));
  CHECK(check_sums(run) > 50);
  const json& series = run.at("series");
  const double ns = series.at("end_ns").get<double>() - series.at("begin_ns").get<double>();
  CHECK(series.at("intervals") == std::ceil(ns / 100));
  return series;
}

TEST_CASE("the series of a window cover the window") {
  CHECK(windowed_series("uba-mem-small", "mm", {200'000, 400'000, true}).at("begin_ns") > 0.0);
  // The window begins within the second kernel.
  CHECK(windowed_series("nuba-small", "kmeans", {1'000'000, 500'000, true}).at("intervals") > 1);
  CHECK(windowed_series("nuba-small", "kmeans", {0, 500'000, true}).at("begin_ns") == 0.0);
}

TEST_CASE("series and threads exclude each other") {
  RunOptions options;
  options.values = ValueMode::kCarried;
  options.series_interval_ns = 100;
  BuildOptions build;
  build.windows = DomainWindows{0, 1};
  CHECK_THROWS_AS(run_workload("dca-small", "vecadd", options, {}, build), InputError);
}

}  // namespace tessera::series_recorder_test
