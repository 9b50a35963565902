// SPDX-License-Identifier: Apache-2.0
#include "tests/platforms/level_sums.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/json.h"
#include "platforms/topology/shape.h"

namespace tessera::test {

using nlohmann::ordered_json;

namespace {

/// Statistics of a module whose sum is a count.
using Parts = std::vector<const char*>;

struct Definition {
  const char* kind;
  const char* level;
  Parts hits;
  Parts merged;
  Parts misses;
  Parts bytes;
};

/// As docs/guide/kernel-statistics.md says.
const std::vector<Definition>& definitions() {
  static const Parts kLlcHits{"hits", "write_allocations"};
  static const Parts kLlcMisses{"misses", "partial_fetches"};
  static const Parts kBytes{"bytes_read", "bytes_written"};
  static const std::vector<Definition> all{
      {"l1", "l1", {"load_hits"}, {"load_merges"}, {"load_misses"}, {"bytes_to_core"}},
      {"llc", "llc", kLlcHits, {"merges"}, kLlcMisses, kBytes},
      {"remote_cache", "remote_cache", kLlcHits, {"merges"}, kLlcMisses, kBytes},
      {"dram", "dram", {}, {}, {}, kBytes},
      {"stack", "stack", {}, {}, {}, kBytes}};
  return all;
}

std::uint64_t of_launches(const ordered_json& stats, const char* level, const char* count) {
  std::uint64_t sum = stats.at("outside_kernels").at("levels").at(level).at(count);
  for (const ordered_json& k : stats.at("kernels")) {
    sum += k.at("levels").at(level).at(count).get<std::uint64_t>();
  }
  return sum;
}

std::uint64_t of_modules(const ordered_json& stats, const PlatformPlan& plan, const char* kind,
                         const Parts& parts) {
  std::uint64_t sum = 0;
  for (const PlannedBlock* b : plan.of_kind(kind)) {
    const ordered_json& module = stats.at("modules").at(plan.path_of(*b));
    for (const char* part : parts) sum += module.at(part).get<std::uint64_t>();
  }
  return sum;
}

/// L1s of a coherent hierarchy do not tell merged loads from misses. Caches below count requests.
void check_coherent(const ordered_json& stats, const PlatformPlan& plan) {
  CHECK(of_launches(stats, "l1", "hits") == of_modules(stats, plan, "coherent_l1", {"load_hits"}));
  CHECK(of_launches(stats, "l1", "merged") + of_launches(stats, "l1", "misses") ==
        of_modules(stats, plan, "coherent_l1", {"load_misses"}));
  CHECK(of_launches(stats, "l1", "bytes") ==
        of_modules(stats, plan, "coherent_l1", {"bytes_to_core"}));
  const std::pair<const char*, const char*> below[] = {{"coherent_cache", "l2"}, {"smd", "smd"}};
  for (const auto& [kind, level] : below) {
    if (!plan.has(kind)) continue;
    INFO(level);
    CHECK(of_launches(stats, level, "hits") + of_launches(stats, level, "merged") +
              of_launches(stats, level, "misses") ==
          of_modules(stats, plan, kind, {"received_read-request", "received_write-request"}));
    CHECK(of_launches(stats, level, "misses") ==
          of_modules(stats, plan, kind, {"sent_read-request", "sent_write-request"}));
    CHECK(of_launches(stats, level, "bytes") == 64 * of_modules(stats, plan, kind, {"sent_grant"}));
  }
}

}  // namespace

void check_level_sums(const ordered_json& stats, const ResolvedConfig& config) {
  const PlatformPlan plan = plan_of(config.gpu);
  const bool coherent = plan.has("hmd");
  if (coherent) check_coherent(stats, plan);
  for (const Definition& d : definitions()) {
    if (!plan.has(d.kind)) continue;
    INFO(d.level);
    CHECK(of_launches(stats, d.level, "bytes") == of_modules(stats, plan, d.kind, d.bytes));
    if (d.hits.empty()) continue;
    CHECK(of_launches(stats, d.level, "hits") == of_modules(stats, plan, d.kind, d.hits));
    CHECK(of_launches(stats, d.level, "merged") == of_modules(stats, plan, d.kind, d.merged));
    CHECK(of_launches(stats, d.level, "misses") == of_modules(stats, plan, d.kind, d.misses));
  }
}

bool nothing_outside(const ordered_json& stats) {
  for (const auto& level : stats.at("outside_kernels").at("levels")) {
    for (const auto& count : level) {
      if (count != 0) return false;
    }
  }
  return true;
}

}  // namespace tessera::test
