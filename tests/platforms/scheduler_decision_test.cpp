// SPDX-License-Identifier: Apache-2.0
// LASP's scheduler for the kernels of LADM's Table IV, beside the paper's. The page of the index
// analysis explains each difference.
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "platforms/run_result.h"
#include "platforms/simulation.h"
#include "policies/launch_planner.h"
#include "tests/platforms/workload_runs.h"

namespace tessera::scheduler_decision_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

/// The schedulers of each kernel's launches, in this process.
std::map<std::string, std::set<std::string>>& decisions() {
  static std::map<std::string, std::set<std::string>> all;
  return all;
}

/// LASP, whose decisions are recorded.
class Recorded final : public LaunchPlanner {
 public:
  explicit Recorded(const PolicyContext& context)
      : lasp_(make_policy<LaunchPlanner>("lasp", context)) {}
  bool uses_locality() const override { return lasp_->uses_locality(); }
  LaunchPlan plan(const LaunchView& launch) override {
    LaunchPlan plan = lasp_->plan(launch);
    decisions()[launch.kernel].insert(plan.scheduler ? plan.scheduler->name : "none");
    return plan;
  }

 private:
  const std::unique_ptr<LaunchPlanner> lasp_;
};

std::unique_ptr<LaunchPlanner> make(const PolicyContext& context) {
  return std::make_unique<Recorded>(context);
}
const PolicyRegistration<LaunchPlanner> kRegistered("recorded-lasp", "for this test", make);

void check(const std::string& workload, const std::string& kernel,
           const std::set<std::string>& schedulers, const RunOptions& options = {}) {
  const RunResult r =
      run_workload("ladm-4x4-small", workload, options, {"dispatch.planner=recorded-lasp"}, {});
  INFO(r.failure.value_or(""));
  CHECK_FALSE(r.failure.has_value());
  CHECK(decisions()[kernel] == schedulers);
}

/// The first instructions at scale medium.
RunOptions medium() {
  RunOptions options;
  options.scale = Scale::kMedium;
  options.window = WindowOptions{0, 10'000, false};
  return options;
}

}  // namespace

#define TESSERA_AS_IN_TABLE_IV(WORKLOAD, KERNEL, SCHEDULER)                    \
  TEST_CASE("Table IV, " WORKLOAD ": " KERNEL " has the paper's " SCHEDULER) { \
    check(WORKLOAD, KERNEL, {SCHEDULER});                                      \
  }
#define TESSERA_UNLIKE_TABLE_IV(WORKLOAD, KERNEL, SCHEDULER, PAPERS)                     \
  TEST_CASE("Table IV, " WORKLOAD ": " KERNEL " has " SCHEDULER ", the paper " PAPERS) { \
    check(WORKLOAD, KERNEL, {SCHEDULER});                                                \
  }

// Align-aware
TESSERA_AS_IN_TABLE_IV("vecadd", "vecadd", "batched")
TESSERA_AS_IN_TABLE_IV("srad", "srad_update", "batched")
TESSERA_AS_IN_TABLE_IV("hotspot", "hotspot", "batched")
TESSERA_AS_IN_TABLE_IV("scalarprod", "scalarprod", "batched")
TESSERA_AS_IN_TABLE_IV("blackscholes", "blackscholes", "batched")
TESSERA_AS_IN_TABLE_IV("histo-final", "histo_final", "batched")
TESSERA_AS_IN_TABLE_IV("reduction", "reduction", "batched")
TESSERA_AS_IN_TABLE_IV("hotspot3d", "hotspot3d", "batched")
TESSERA_UNLIKE_TABLE_IV("srad", "srad_coefficients", "kernel-wide", "batched")

// Row- and column-binding
TESSERA_AS_IN_TABLE_IV("histo-main", "histo_main", "column-binding")
TESSERA_AS_IN_TABLE_IV("alexnet-fc", "gemmlayer", "column-binding")
TESSERA_AS_IN_TABLE_IV("gemmlayer", "gemmlayer", "column-binding")
TESSERA_AS_IN_TABLE_IV("resnet50-fc", "gemmlayer", "column-binding")
TESSERA_AS_IN_TABLE_IV("lstm-1", "gemmlayer", "column-binding")
TESSERA_AS_IN_TABLE_IV("lstm-2", "gemmlayer", "column-binding")
TESSERA_UNLIKE_TABLE_IV("convsep", "convsep_rows", "batched", "row-binding")
TEST_CASE("Table IV, fwt: the first pass is batched, later ones kernel-wide, the paper's column") {
  check("fwt", "fwt_pass", {"batched", "kernel-wide"});
}
TESSERA_UNLIKE_TABLE_IV("transpose", "transpose", "batched", "row-binding")

TEST_CASE("Table IV, mm: the largest array decides, at small scale the product") {
  check("mm", "mm", {"batched"});
}
TEST_CASE("Table IV, mm: at medium scale the first factor, with the paper's row-binding") {
  check("mm", "mm", {"row-binding"}, medium());
}

// Kernel-wide
TESSERA_AS_IN_TABLE_IV("pagerank", "pagerank_pull", "kernel-wide")
TESSERA_AS_IN_TABLE_IV("bfs", "bfs_level", "kernel-wide")
TESSERA_AS_IN_TABLE_IV("sssp", "sssp_relax", "kernel-wide")
TESSERA_AS_IN_TABLE_IV("randomloc", "randomloc", "kernel-wide")
TESSERA_AS_IN_TABLE_IV("kmeans", "kmeans_transpose", "kernel-wide")
TESSERA_AS_IN_TABLE_IV("spmv-jds", "spmv_jds", "kernel-wide")
TESSERA_AS_IN_TABLE_IV("btree", "btree_find", "kernel-wide")
TEST_CASE("Table IV, streamcluster: at small scale the coordinates decide") {
  check("streamcluster", "streamcluster_cost", {"batched"});
}
TEST_CASE("Table IV, streamcluster: at medium scale the sums, with the paper's kernel-wide") {
  check("streamcluster", "streamcluster_cost", {"kernel-wide"}, medium());
}
TESSERA_UNLIKE_TABLE_IV("kmeans", "kmeans_assign", "batched", "kernel-wide")
TESSERA_UNLIKE_TABLE_IV("lbm", "lbm_step", "batched", "kernel-wide")

}  // namespace tessera::scheduler_decision_test
