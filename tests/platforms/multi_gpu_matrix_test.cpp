// SPDX-License-Identifier: Apache-2.0
// DualOpt's workloads (its Table 2) on the small form of every multi-GPU preset, carried, with a
// protocol checker on every socket; with random settings in turns; on 2 to 16 GPUs; and the two
// value modes beside each other.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "common/json.h"
#include "modules/rdma/decision_engine.h"
#include "platforms/run_result.h"
#include "policies/transfer_policy.h"
#include "stimuli/paper_workloads.h"
#include "tests/platforms/workload_runs.h"

namespace tessera::multi_gpu_matrix_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

const std::vector<std::string> kWorkloads = {
    "aes",  "atax",      "bfs",      "bicg",     "bitonicsort",
    "fir",  "kmeans",    "mm",       "pagerank", "simpleconvolution",
    "spmv", "stencil2d", "transpose"};

/// So short that the verdict falls within a small run.
const std::vector<std::string> kEarly = {"decision.warmup_accesses=10",
                                         "decision.window_accesses=50"};

/// Sizes of everything between GPUs: from the least that works on.
std::vector<std::string> random_settings(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::string> sets;
  const auto one_of = [&](const std::string& name, const std::vector<unsigned>& values) {
    sets.push_back(name + "=" + std::to_string(values[random() % values.size()]));
  };
  one_of("rdma.timeout_cycles", {0, 1, 7, 30, 100});
  one_of("rdma.staging_entries", {1, 2, 5, 64});
  one_of("rdma.transfer_bytes", {4, 8, 16});
  one_of("rdma.port_depth", {1, 2, 128});
  one_of("rdma.outgoing_depth", {1, 2, 64});
  one_of("rdma.latency_cycles", {1, 2, 9});
  one_of("fabric.port_packets", {1, 2, 64});
  one_of("fabric.switch_packets", {1, 2, 64});
  one_of("fabric.latency_ns", {1, 10, 140});
  one_of("remote_cache.sets", {1, 2, 5, 96});
  one_of("remote_cache.ways", {1, 2, 16});
  one_of("remote_cache.mshr_entries", {1, 2, 64});
  one_of("l1.mshr_entries", {1, 4, 32});
  one_of("l1.mshr_targets", {1, 2, 8});
  one_of("l1.scalar_sets", {0, 1, 64});
  one_of("system.rdma_ports", {1, 2});
  const char* const placements[] = {"interleave", "kernel-wide", "round-robin", "first-touch"};
  sets.push_back(std::string("system.page_placement=") + placements[random() % 4]);
  sets.emplace_back(random() % 2 == 0 ? "l1.reserve_frames=true" : "l1.reserve_frames=false");
  return sets;
}

/// Migrations that are frequent beside the run's accesses, with the SMs of the pages' users
/// stopped.
void verify_migrations(const std::string& workload, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::string> sets = {"migration.stop=users"};
  const auto one_of = [&](const std::string& name, const std::vector<std::string>& values) {
    sets.push_back(name + "=" + values[random() % values.size()]);
  };
  one_of("migration.policy", {"access-counter", "griffin", "first-touch-migration"});
  // Griffin decides by intervals.
  one_of("migration.trigger", sets.back() == "migration.policy=griffin"
                                  ? std::vector<std::string>{"interval"}
                                  : std::vector<std::string>{"interval", "on-demand"});
  one_of("migration.interval_cycles", {"50", "300", "1000"});
  one_of("migration.batch_cycles", {"1", "20", "300"});
  one_of("migration.max_moves", {"1", "3", "64"});
  one_of("migration.one_source", {"false", "true"});
  one_of("migration.drain", {"all", "owner"});
  one_of("migration.overlap_transfers", {"false", "true"});
  one_of("migration.shootdown_ns", {"0", "40", "300"});
  one_of("migration.transfer_gb_per_s", {"16", "64", "1000"});
  one_of("page_migration.access-counter.threshold", {"1", "4"});
  one_of("walker.concurrent_walks", {"1", "16"});
  one_of("l2_tlb.entries", {"64", "8192"});
  one_of("llc.sets", {"2", "128"});
  one_of("l1.mshr_entries", {"1", "32"});
  one_of("system.page_placement", {"interleave", "kernel-wide", "first-touch"});
  std::string told = "seed " + std::to_string(seed) + ":";
  for (const std::string& s : sets) told += " " + s;
  INFO(told);
  const RunResult r = verify_carried("page-migration-small", workload, sets);
  // Griffin moves no page that it finds shared throughout.
  if (r.stats["config"]["migration"]["policy"] == "griffin") return;
  CHECK(r.stats["modules"]["system.page_migrator"]["migrations"] > 0);
}

/// `seed`: of random settings; 0: none.
void verify_on(const std::string& preset, const std::string& workload, unsigned seed,
               const std::vector<std::string>& more = {}) {
  std::vector<std::string> sets = kEarly;
  sets.insert(sets.end(), more.begin(), more.end());
  std::string told = "seed " + std::to_string(seed) + ":";
  if (seed != 0) {
    for (const std::string& s : random_settings(seed)) {
      sets.push_back(s);
      told += " " + s;
    }
  }
  INFO(told);
  const RunResult r = verify_carried(preset, workload, sets);
  if (preset != "dualopt-small") return;
  const auto& remote = r.stats["derived"]["remote"];
  CHECK(remote["verdict"] > 0);
  CHECK(remote["decided_at_cycle"] < r.stats["cycles"]);
}

unsigned index_of(const std::string& workload) {
  return static_cast<unsigned>(std::find(kWorkloads.begin(), kWorkloads.end(), workload) -
                               kWorkloads.begin());
}

/// Half of the workloads as the preset is, the other half with random settings, so that each
/// workload is run both ways: presets of even and odd `number` take turns.
void verify_in_turns(const std::string& preset, const std::string& workload, unsigned number) {
  const unsigned w = index_of(workload);
  verify_on(preset, workload, (w + number) % 2 == 0 ? 0 : 1 + 100 * number + w);
}

}  // namespace

#if defined(__SANITIZE_ADDRESS__)
#define TESSERA_FOR_DUALOPT(DO, WHAT) \
  DO("mm", WHAT)                      \
  DO("spmv", WHAT)                    \
  DO("kmeans", WHAT)
#else
/// DO(NAME, WHAT) for DualOpt's workloads.
#define TESSERA_FOR_DUALOPT(DO, WHAT) \
  DO("aes", WHAT)                     \
  DO("atax", WHAT)                    \
  DO("bfs", WHAT)                     \
  DO("bicg", WHAT)                    \
  DO("bitonicsort", WHAT)             \
  DO("fir", WHAT)                     \
  DO("kmeans", WHAT)                  \
  DO("mm", WHAT)                      \
  DO("pagerank", WHAT)                \
  DO("simpleconvolution", WHAT)       \
  DO("spmv", WHAT)                    \
  DO("stencil2d", WHAT)               \
  DO("transpose", WHAT)
#endif

TEST_CASE("every workload of DualOpt and every way to transfer is in this matrix") {
  std::set<std::string> names;
  for (const PaperWorkload& w : paper_workloads("dualopt")) names.insert(w.workload);
  CHECK(std::vector<std::string>(names.begin(), names.end()) == kWorkloads);
  CHECK(policy_names<TransferPolicy>() ==
        std::vector<std::string>{"bypass", "coalesced", "decision-engine", "fine-grained", "line",
                                 "remote-cache"});
}

#define TESSERA_AS_IT_IS(NAME, PRESET) \
  TEST_CASE("carried on " PRESET ": " NAME) { verify_on(PRESET, NAME, 0); }
TESSERA_FOR_DUALOPT(TESSERA_AS_IT_IS, "page-migration-small")
TESSERA_FOR_DUALOPT(TESSERA_AS_IT_IS, "griffin-small")

#define TESSERA_MIGRATION_VARIANTS(NAME, PRESET)                         \
  TEST_CASE("carried on " PRESET " if all SMs stop for a page: " NAME) { \
    verify_on(PRESET, NAME, 0, {"migration.stop=all"});                  \
  }                                                                      \
  TEST_CASE("carried on " PRESET " in batches that overlap: " NAME) {    \
    verify_on(PRESET, NAME, 0,                                           \
              {"migration.max_moves=512", "migration.one_source=false",  \
               "migration.overlap_transfers=true"});                     \
  }
#define TESSERA_FOR_MIGRATION(PRESET)        \
  TESSERA_MIGRATION_VARIANTS("atax", PRESET) \
  TESSERA_MIGRATION_VARIANTS("mm", PRESET)   \
  TESSERA_MIGRATION_VARIANTS("kmeans", PRESET)
TESSERA_FOR_MIGRATION("page-migration-small")
TESSERA_FOR_MIGRATION("griffin-small")

#define TESSERA_MIGRATIONS(NAME)                                      \
  TEST_CASE("carried with random frequent migrations: " NAME ", 1") { \
    verify_migrations(NAME, 1 + index_of(NAME));                      \
  }                                                                   \
  TEST_CASE("carried with random frequent migrations: " NAME ", 2") { \
    verify_migrations(NAME, 101 + index_of(NAME));                    \
  }                                                                   \
  TEST_CASE("carried with random frequent migrations: " NAME ", 3") { \
    verify_migrations(NAME, 201 + index_of(NAME));                    \
  }
TESSERA_MIGRATIONS("bfs")
TESSERA_MIGRATIONS("bitonicsort")
TESSERA_MIGRATIONS("kmeans")
TESSERA_MIGRATIONS("mm")
TESSERA_MIGRATIONS("pagerank")
TESSERA_MIGRATIONS("spmv")
TESSERA_MIGRATIONS("stencil2d")
TESSERA_MIGRATIONS("transpose")

#define TESSERA_IN_TURNS(PRESET, NUMBER, NAME) \
  TEST_CASE("carried in turns on " PRESET ": " NAME) { verify_in_turns(PRESET, NAME, NUMBER); }
#define TESSERA_DCA(NAME, NUMBER) TESSERA_IN_TURNS("dca-small", NUMBER, NAME)
#define TESSERA_BYPASS(NAME, NUMBER) TESSERA_IN_TURNS("dualopt-bypass-small", NUMBER, NAME)
#define TESSERA_FINE(NAME, NUMBER) TESSERA_IN_TURNS("dualopt-fine-small", NUMBER, NAME)
#define TESSERA_COALESCED(NAME, NUMBER) TESSERA_IN_TURNS("dualopt-coalesced-small", NUMBER, NAME)
#define TESSERA_CACHE(NAME, NUMBER) TESSERA_IN_TURNS("dualopt-cache-small", NUMBER, NAME)
#define TESSERA_DUALOPT(NAME, NUMBER) TESSERA_IN_TURNS("dualopt-small", NUMBER, NAME)
TESSERA_FOR_DUALOPT(TESSERA_DCA, 1)
TESSERA_FOR_DUALOPT(TESSERA_BYPASS, 2)
TESSERA_FOR_DUALOPT(TESSERA_FINE, 3)
TESSERA_FOR_DUALOPT(TESSERA_COALESCED, 4)
TESSERA_FOR_DUALOPT(TESSERA_CACHE, 5)
TESSERA_FOR_DUALOPT(TESSERA_DUALOPT, 6)

namespace {

std::vector<std::string> counts_of(unsigned gpus, unsigned sms, unsigned channels) {
  return {"system.gpus=" + std::to_string(gpus), "system.sms=" + std::to_string(sms),
          "system.channels=" + std::to_string(channels)};
}

std::vector<std::string> with_early_verdict(std::vector<std::string> sets) {
  sets.insert(sets.end(), kEarly.begin(), kEarly.end());
  return sets;
}

}  // namespace

#define TESSERA_COUNTS(GPUS, SMS, CHANNELS)                                                      \
  TEST_CASE("spmv and its decision on " #GPUS " GPUs") {                                         \
    verify_carried("dualopt-small", "spmv", with_early_verdict(counts_of(GPUS, SMS, CHANNELS))); \
  }                                                                                              \
  TEST_CASE("stencil2d through remote caches on " #GPUS " GPUs") {                               \
    verify_carried("dualopt-cache-small", "stencil2d", counts_of(GPUS, SMS, CHANNELS));          \
  }
TESSERA_COUNTS(2, 8, 4)
TESSERA_COUNTS(3, 12, 18)
TESSERA_COUNTS(4, 16, 8)
TESSERA_COUNTS(8, 32, 16)
TESSERA_COUNTS(16, 64, 32)

// Full-size ones.
TESSERA_VERIFIES_CARRIED("vecadd", "multi-gpu-2")
TESSERA_VERIFIES_CARRIED("mm", "multi-gpu-16 system.transfer=coalesced")
TESSERA_VERIFIES_CARRIED("spmv", "dualopt")
TESSERA_VERIFIES_CARRIED("fir", "dualopt-small l1.scalar_sets=1 l1.scalar_ways=1")
TESSERA_VERIFIES_CARRIED("kmeans", "nuba-small l1.scalar_sets=64")

namespace {

const std::vector<std::string> kSmall = {
    "dca-small",          "page-migration-small",    "griffin-small",       "dualopt-bypass-small",
    "dualopt-fine-small", "dualopt-coalesced-small", "dualopt-cache-small", "dualopt-small"};

}  // namespace

TEST_CASE("one seed gives one document among several GPUs") {
  for (const char* workload : {"bfs", "spmv"}) {
    INFO(workload);
    CHECK(document("dualopt-small", workload, ValueMode::kCarried, kEarly) ==
          document("dualopt-small", workload, ValueMode::kCarried, kEarly));
  }
}

TEST_CASE("carried and functional give the same statistics among several GPUs") {
  for (const std::string& preset : kSmall) {
    for (const char* workload : {"transpose", "spmv", "simpleconvolution"}) {
      INFO(workload << " on " << preset);
      CHECK(document(preset, workload, ValueMode::kCarried, kEarly) ==
            document(preset, workload, ValueMode::kFunctional, kEarly));
    }
  }
}

TEST_CASE("statistics report the verdict, when it fell, and the golden model's") {
  const auto d = nlohmann::ordered_json::parse(
      document("dualopt-small", "spmv", ValueMode::kFunctional,
               {"decision.warmup_accesses=100", "decision.window_accesses=1000"}));
  const auto& remote = d["derived"]["remote"];
  CHECK(remote["verdict"] == static_cast<int>(DecisionEngine::Verdict::kCoalescing));
  CHECK(remote["golden_verdict"] == remote["verdict"]);
  // A window in which each GPU has 1100 remote accesses, one a cycle and SM at most.
  CHECK(remote["decided_at_cycle"] > 1100 / 4);
  CHECK(remote["decided_at_cycle"] < d["cycles"]);
  CHECK(remote["responses_per_packet"] > 1);
}

}  // namespace tessera::multi_gpu_matrix_test
