// SPDX-License-Identifier: Apache-2.0
#include "app/report/class_difference.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "app/report/difference.h"
#include "common/block_class.h"
#include "common/json.h"

namespace tessera::class_difference_test {

using namespace tessera::app;
using Catch::Matchers::Contains;
using nlohmann::ordered_json;

namespace {

/// Two SMs and two slices. The dictionary has one entry for all of a kind.
ordered_json run(const ordered_json& idle, const ordered_json& misses, const ordered_json& rates) {
  ordered_json r = {{"cycles", 10}, {"config", ordered_json::object()}};
  for (int i = 0; i < 2; ++i) {
    const std::string n = std::to_string(i);
    r["modules"]["system.gpu0.sm" + n] = {{"idle_slots", idle[i]}};
    r["modules"]["system.gpu0.llc" + n] = {{"misses", misses[i]}, {"rate", rates[i]}};
  }
  r["dictionary"]["modules"]["system.gpu*.sm*"]["idle_slots"] = {{"unit", "slot"},
                                                                 {"kind", "counter"}};
  r["dictionary"]["modules"]["system.gpu*.llc*"] = {
      {"misses", {{"unit", "access"}, {"kind", "counter"}}},
      {"rate", {{"unit", ""}, {"kind", "value"}}}};
  return r;
}

ordered_json histogram(int count, int mean, int max) {
  return {{"count", count},
          {"sum", count * mean},
          {"mean", mean},
          {"max", max},
          {"log2_buckets", ordered_json::array()}};
}

}  // namespace

TEST_CASE("statistics of classes are sums over blocks, the most important change first") {
  const ordered_json changes = class_changes(run({200000, 241000}, {10, 20}, {0.25, 0.5}),
                                             run({100000, 121000}, {30, 60}, {0.5, 0.5}));
  REQUIRE(changes.size() == 3);
  const double largest = std::log2(1 + 441000.0);
  CHECK(changes[0]["name"] == "gpu*.sm*.idle_slots");
  CHECK(changes[0]["unit"] == "slot");
  CHECK(changes[0]["blocks"] == ordered_json({{"a", 2}, {"b", 2}}));
  CHECK(changes[0]["a"] == 441000);
  CHECK(changes[0]["b"] == 221000);
  CHECK(changes[0]["change"].get<double>() == Approx(-220000.0 / 441000));
  CHECK(changes[0]["importance"].get<double>() == Approx(220000.0 / 441000));
  // Three times as many, but of few.
  CHECK(changes[1]["name"] == "gpu*.llc*.misses");
  CHECK(changes[1]["a"] == 30);
  CHECK(changes[1]["b"] == 90);
  CHECK(changes[1]["change"] == 2.0);
  CHECK(changes[1]["importance"].get<double>() == Approx(60.0 / 90 * std::log2(91.0) / largest));
  // A computed value is averaged.
  CHECK(changes[2]["name"] == "gpu*.llc*.rate");
  CHECK(changes[2]["a"] == 0.375);
  CHECK(changes[2]["b"] == 0.5);
  CHECK(changes[2]["importance"].get<double>() == Approx(0.25 * std::log2(1.5) / largest));
}

TEST_CASE("means of classes are those of all values, and maxima the largest") {
  ordered_json a = {{"modules",
                     {{"system.l1_0", {{"latency", histogram(1, 10, 10)}}},
                      {"system.l1_1", {{"latency", histogram(3, 30, 50)}}}}}};
  ordered_json b = {{"modules",
                     {{"system.l1_0", {{"latency", histogram(2, 20, 50)}}},
                      {"system.l1_1", {{"latency", histogram(2, 30, 20)}}}}}};
  // (10 + 3 * 30) / 4 and (2 * 20 + 2 * 30) / 4 are 25, the maximum is 50.
  CHECK(class_changes(a, b) == ordered_json::array());
  b["modules"]["system.l1_1"]["latency"] = histogram(2, 50, 60);
  const ordered_json changes = class_changes(a, b);
  REQUIRE(changes.size() == 2);
  CHECK(changes[0]["name"] == "l1_*.latency.mean");
  CHECK(changes[0]["b"] == 35);
  CHECK(changes[1]["name"] == "l1_*.latency.max");
  CHECK(changes[1]["b"] == 60);
  a = {{"modules",
        {{"d0", {{"q", {{"average", 1}, {"max", 4}}}}},
         {"d1", {{"q", {{"average", 2}, {"max", 3}}}}}}}};
  b = {{"modules",
        {{"d0", {{"q", {{"average", 3}, {"max", 4}}}}},
         {"d1", {{"q", {{"average", 2}, {"max", 4}}}}}}}};
  const ordered_json queues = class_changes(a, b);
  REQUIRE(queues.size() == 1);
  CHECK(queues[0]["a"] == 1.5);
  CHECK(queues[0]["b"] == 2.5);
}

TEST_CASE("sums that repeat a statistic are left out, and what one run only has comes last") {
  const auto noc = [](int bytes) {
    return ordered_json{{"modules",
                         {{"system.noc",
                           {{"bytes", bytes},
                            {"bytes_over_time", {{"interval_ns", 1}, {"total", bytes}}},
                            {"egress0_bytes", bytes / 4},
                            {"egress1_bytes", bytes - bytes / 4},
                            {"egress0_busy", bytes},
                            {"egress1_busy", 1}}}}}};
  };
  const ordered_json a = noc(100);
  ordered_json b = noc(200);
  b["modules"]["system.p2p3"] = {{"epochs", 7}};
  const ordered_json changes = class_changes(a, b);
  REQUIRE(changes.size() == 3);
  CHECK(changes[0]["name"] == "noc.bytes");
  CHECK(changes[1]["name"] == "noc.egress*_busy");
  CHECK(changes[1]["a"] == 101);
  CHECK(changes[2]["name"] == "p2p*.epochs");
  CHECK(changes[2]["a"].is_null());
  CHECK(changes[2]["b"] == 7);
  CHECK(changes[2]["importance"] == 0.0);
  CHECK(changes[2]["blocks"] == ordered_json({{"a", 0}, {"b", 1}}));
}

TEST_CASE("the text has classes, and single blocks if they are asked for") {
  const NamedRuns a = {{"r", run({200000, 241000}, {10, 20}, {0, 0})}};
  const NamedRuns b = {{"r", run({100000, 121000}, {20, 10}, {0, 0})}};
  const ordered_json d = difference_document(a, b, std::nullopt);
  CHECK(d["runs"][0]["classes"].size() == 1);
  CHECK(d["runs"][0]["statistics"].size() == 4);
  const std::string classes = difference_text(d, 20, false);
  CHECK_THAT(classes, Contains("gpu*.sm*.idle_slots") && !Contains("gpu0.sm0.idle_slots") &&
                          Contains("4 statistics of single blocks differ (--blocks)"));
  const std::string blocks = difference_text(d, 20, true);
  CHECK_THAT(blocks, Contains("gpu*.sm*.idle_slots") && Contains("system.gpu0.sm0.idle_slots") &&
                         Contains("system.gpu0.llc1.misses") && !Contains("--blocks"));
  CHECK(blocks.find("gpu*.sm*") < blocks.find("system.gpu0.sm0"));
  CHECK_THAT(difference_text(d, 3, true),
             Contains("and 1 more statistics of blocks (--limit, --json)"));
}

TEST_CASE("a digit within a name is no index") {
  CHECK(block_class("system.gpu0.llc12") == "system.gpu*.llc*");
  CHECK(block_class("system.gpu0.l1_3") == "system.gpu*.l1_*");
  CHECK(block_class("system.gpu0.l2_tlb") == "system.gpu*.l2_tlb");
  CHECK(block_class("system.gpu10.p2p3") == "system.gpu*.p*p*");
  CHECK(block_class_title("system.gpu10.p2p3") == "system.gpu*.p2p*");
  CHECK(block_class_title("response_egress12_bytes") == "response_egress*_bytes");
  CHECK(block_class_title("l1_3") == "l1_*");
}

}  // namespace tessera::class_difference_test
