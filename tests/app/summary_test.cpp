// SPDX-License-Identifier: Apache-2.0
#include "app/report/summary.h"

#include <catch2/catch.hpp>
#include <string>

#include "common/json.h"

namespace tessera::summary_test {

using nlohmann::ordered_json;
using tessera::app::run_summary;

namespace {

/// A run of 1000 ns with an L1, which has no peak, and a DRAM channel.
ordered_json stats() {
  const auto series = [](std::uint64_t bytes) -> ordered_json {
    return {{"interval_ns", 1000.0}, {"bytes", {bytes}}, {"total", bytes}};
  };
  return {{"workload", "w"},
          {"platform", "p"},
          {"cycles", 2000},
          {"time_ns", 1000.0},
          {"instructions", 10},
          {"derived", {{"peak_gb_per_s", {{"dram", 40.0}}}}},
          {"energy",
           {{"sm", {{"dynamic_j", 1.0}, {"static_j", 2.0}, {"total_j", 3.0}}},
            {"noc", {{"dynamic_j", 0}, {"static_j", 0}, {"total_j", 0}, {"not_modelled", "why"}}},
            {"total_j", 3.0}}},
          {"config", {{"l1", {{"clock_hz", 1e9}}}, {"llc", {{"clock_hz", 1e9}}}}},
          {"modules",
           {{"system.gpu0.dispatcher", {{"flush_cycles", 0}}},
            {"system.gpu0.l1_0",
             {{"bandwidth", series(90000)}, {"miss_latency", {{"count", 10}, {"sum", 500}}}}},
            {"system.gpu0.llc0", {{"response_wait_cycles", 200}}},
            {"system.gpu0.dram0", {{"bandwidth", series(10000)}}}}}};
}

/// The line that begins with `name`, without the spaces at its ends.
std::string line_of(const std::string& text, const std::string& name) {
  const std::size_t at = text.find("\n  " + name + " ");
  if (at == std::string::npos) return "";
  const std::string line = text.substr(at + 3, text.find('\n', at + 1) - at - 3);
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

}  // namespace

TEST_CASE("a level without a peak has no bar among those that have one") {
  ordered_json s = stats();
  std::string text = run_summary(s, "yes", false);
  CAPTURE(text);
  CHECK(line_of(text, "L1 fills").find('#') == std::string::npos);
  CHECK(line_of(text, "L1 fills").find("  90.0 GB/s  no peak") != std::string::npos);
  CHECK(line_of(text, "DRAM").find('#') != std::string::npos);
  CHECK(line_of(text, "DRAM").find("25.0 % of 40.0 GB/s") != std::string::npos);
  // Without any peak, bars compare the levels.
  s["derived"].clear();
  text = run_summary(s, "yes", false);
  CHECK(line_of(text, "L1 fills").find('#') != std::string::npos);
  CHECK(text.find("no peak") == std::string::npos);
}

TEST_CASE("a component without an energy model is named as such") {
  CHECK(line_of(run_summary(stats(), "yes", false), "energy") ==
        "energy         3.00 J: SM 3.00 J (100 %), NoC not modelled");
}

TEST_CASE("the summary shows the flush's cycles if there are any") {
  ordered_json s = stats();
  CHECK(line_of(run_summary(s, "yes", false), "flush").empty());
  s["modules"]["system.gpu0.dispatcher"]["flush_cycles"] = 240;
  CHECK(line_of(run_summary(s, "yes", false), "flush") ==
        "flush          240 cycles  (12.0 % of the time)");
}

TEST_CASE("the summary shows the longest wait with its kind") {
  const std::string text = run_summary(stats(), "yes", false);
  CHECK(line_of(text, "longest wait") ==
        "longest wait   LLC, response queues: 20.0 of 50.0 cycles of a memory request");
  CHECK(text.find("for the response network [queue full]") != std::string::npos);
}

}  // namespace tessera::summary_test
