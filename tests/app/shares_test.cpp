// SPDX-License-Identifier: Apache-2.0
#include "app/report/shares.h"

#include <catch2/catch.hpp>
#include <map>

#include "common/json.h"

namespace tessera::shares_test {

using namespace tessera::app;
using nlohmann::ordered_json;

namespace {

/// Parts by name; all have the same whole.
std::map<std::string, double> parts_of(const std::vector<NamedShare>& shares, double whole) {
  std::map<std::string, double> parts;
  for (const NamedShare& s : shares) {
    CHECK(s.share.whole == Approx(whole));
    parts[s.name] = s.share.part;
  }
  return parts;
}

}  // namespace

TEST_CASE(
    "hit rates are of all blocks of a kind, with merges and row conflicts among the lookups") {
  const ordered_json stats = {
      {"modules",
       {{"system.gpu0.llc10", {{"hits", 3}, {"misses", 1}, {"merges", 2}}},
        {"system.gpu0.llc2", {{"hits", 4}, {"misses", 0}, {"merges", 0}}},
        {"system.gpu0.l1_0", {{"load_hits", 5}, {"load_misses", 1}, {"load_merges", 4}}},
        {"system.gpu0.l2_tlb", {{"hits", 0}, {"misses", 0}}},
        {"system.gpu0.dram0", {{"row_hits", 6}, {"row_misses", 1}, {"row_conflicts", 1}}},
        {"system.gpu0.other", {{"hits", 6}, {"replica_hits", 2}}}}}};
  const auto rates = hit_rates_of(stats);
  REQUIRE(rates.size() == 3);
  CHECK(rates[0].name == "dram* row");
  CHECK(rates[0].share.value() == 0.75);
  CHECK(rates[1].name == "l1_* load");
  CHECK(rates[1].share.value() == 0.5);
  CHECK(rates[2].name == "llc*");
  CHECK(rates[2].share.part == 7);
  CHECK(rates[2].share.whole == 10);
}

TEST_CASE("the hops of a load are parts of its latency and add up to it") {
  const ordered_json stats = {{"derived",
                               {{"latency_breakdown",
                                 {{"request_network", 10.0},
                                  {"llc", 30.0},
                                  {"dram", 0},
                                  {"copy", 9.5},
                                  {"rounding", 0.5}}}}},
                              {"modules",
                               {{"system.gpu0.l1_0",
                                 {{"miss_latency", {{"count", 4}, {"sum", 200}}},
                                  {"llc_merge_cycles", 24},
                                  {"remote_cache_cycles", 16}}}}}};
  CHECK(parts_of(latency_hops_of(stats), 50) ==
        std::map<std::string, double>{{"request network", 10},
                                      {"LLC", 30 - 6 - 4},
                                      {"LLC, another request’s fetch", 6},
                                      {"remote cache", 4},
                                      {"copy in another slice", 10}});
}

TEST_CASE("a component without an energy model has no share") {
  const ordered_json stats = {
      {"energy",
       {{"sm", {{"dynamic_j", 1.0}, {"static_j", 2.0}, {"total_j", 3.0}}},
        {"llc", {{"dynamic_j", 0}, {"static_j", 0}, {"total_j", 0}, {"not_modelled", "why"}}},
        {"total_j", 3.0}}}};
  CHECK(parts_of(energy_components_of(stats), 3) == std::map<std::string, double>{{"SM", 3}});
  CHECK(energy_not_modelled(stats) == std::vector<std::string>{"LLC"});
}

TEST_CASE("the flush of the caches is a part of the run's cycles") {
  ordered_json stats = {{"cycles", 400},
                        {"modules", {{"system.gpu0.dispatcher", {{"flush_cycles", 0}}}}}};
  CHECK_FALSE(flush_of(stats));
  stats["modules"]["system.gpu0.dispatcher"]["flush_cycles"] = 100;
  REQUIRE(flush_of(stats));
  CHECK(flush_of(stats)->part == 100);
  CHECK(flush_of(stats)->value() == 0.25);
}

TEST_CASE("energy is divided by component, and into events and leakage") {
  const ordered_json stats = {{"energy",
                               {{"sm", {{"dynamic_j", 1.0}, {"static_j", 2.0}, {"total_j", 3.0}}},
                                {"noc", {{"dynamic_j", 0.5}, {"static_j", 0.5}, {"total_j", 1.0}}},
                                {"total_j", 4.0}}}};
  CHECK(parts_of(energy_components_of(stats), 4) ==
        std::map<std::string, double>{{"SM", 3}, {"NoC", 1}});
  CHECK(parts_of(energy_kinds_of(stats), 4) ==
        std::map<std::string, double>{{"events", 1.5}, {"leakage and clocks", 2.5}});
  CHECK(energy_components_of({{"energy", ordered_json::object()}}).empty());
}

TEST_CASE("the accesses of several GPUs are divided by whose memory they are of") {
  const ordered_json stats = {{"derived",
                               {{"remote",
                                 {{"access_fraction", 0.5},
                                  {"served_by_l1_fraction", 0.125},
                                  {"pre_link_latency_share", 0.25},
                                  {"link_latency_share", 0.5},
                                  {"post_link_latency_share", 0.25}}}}}};
  CHECK(parts_of(remote_accesses_of(stats), 1) ==
        std::map<std::string, double>{{"own memory", 0.5},
                                      {"other GPUs’, from the L1", 0.125},
                                      {"other GPUs’, beyond the L1", 0.375}});
  CHECK(parts_of(remote_latency_of(stats), 1) ==
        std::map<std::string, double>{
            {"before the link", 0.25}, {"on the link", 0.5}, {"after it", 0.25}});
  CHECK(remote_accesses_of({{"derived", ordered_json::object()}}).empty());
}

TEST_CASE("every share of a run is among all of them") {
  const ordered_json stats = {
      {"time_ns", 10.0},
      {"derived",
       {{"l1_hit_rate", 0.5},
        {"ipc", 3.0},
        {"page_sharing", {{"1", 1.0}}},
        {"peak_gb_per_s", {{"llc", 4.0}}}}},
      {"energy",
       {{"sm", {{"dynamic_j", 1.0}, {"static_j", 2.0}, {"total_j", 3.0}}}, {"total_j", 3.0}}},
      {"modules",
       {{"system.gpu0.llc0",
         {{"reads", 4},
          {"writes", 0},
          {"atomics", 0},
          {"hits", 1},
          {"misses", 1},
          {"stalls_mshr", 1},
          {"bandwidth", {{"interval_ns", 5.0}, {"bytes", {5, 25}}, {"total", 30}}}}},
        {"system.gpu0.sm0", {{"issued_slots", 3}, {"memory_slots", 1}}}}}};
  std::map<std::string, double> values;
  for (const NamedShare& s : shares_of(stats)) values[s.name] = s.share.value();
  CHECK(values.at("derived.l1_hit_rate") == 0.5);
  CHECK(values.at("derived.page_sharing.1") == 1);
  CHECK(values.count("derived.ipc") == 0);
  CHECK(values.at("energy: SM") == 1);
  CHECK(values.at("energy: events") == Approx(1.0 / 3));
  CHECK(values.at("hit rate of llc*") == 0.5);
  CHECK(values.at("issue slots: memory") == 0.25);
  CHECK(values.at("traffic: LLC") == 0.75);
  // 25 bytes end in the second interval, of which 20 can have passed in it.
  CHECK(values.at("traffic: busiest interval of LLC") == 1);
  CHECK(values.at("wait: LLC, lookups, a miss register (MSHR) or a place in one") == 0.25);
}

}  // namespace tessera::shares_test
