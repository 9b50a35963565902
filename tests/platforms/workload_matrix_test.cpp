// SPDX-License-Identifier: Apache-2.0
// Every workload on uba-mem-small, carried, with a protocol checker on every socket; where its
// result does not depend on the order of its CTAs, the statistics are also those with functional
// values.
#include <algorithm>
#include <catch2/catch.hpp>

#include "platforms/run_result.h"
#include "stimuli/workload.h"
#include "tests/platforms/workload_runs.h"
#include "tests/support/suite_cases.h"

namespace tessera::workload_matrix_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

void verify(const std::string& workload, const std::vector<std::string>& sets) {
  verify_carried("uba-mem-small", workload, sets);
}

bool is_race_free(const std::string& workload) {
  const std::vector<WorkloadInfo> all = workload_catalogue();
  const auto info = std::find_if(all.begin(), all.end(),
                                 [&](const WorkloadInfo& w) { return w.name == workload; });
  return info->race_free;
}

void verify_in_both_modes(const std::string& platform, const std::string& workload) {
  const bool race_free = is_race_free(workload);
  // In a child process, so before this one elaborates.
  const std::string functional =
      race_free ? document(platform, workload, ValueMode::kFunctional) : "";
  const RunResult carried = verify_carried(platform, workload);
  if (race_free) CHECK(comparable(carried) == functional);
}

}  // namespace

#define TESSERA_VERIFIES_IN_BOTH_MODES(NAME, PLATFORM) \
  TEST_CASE("carried on " PLATFORM ": " NAME) { verify_in_both_modes(PLATFORM, NAME); }
TESSERA_FOR_MATRIX(TESSERA_VERIFIES_IN_BOTH_MODES, "uba-mem-small")

TEST_CASE("values survive page faults, which copy what the host wrote") {
  verify("saxpy", {"uvm.mode=fault"});
}

TEST_CASE("values survive first-touch placement") {
  verify("spmv", {"system.page_placement=first-touch"});
}

TEST_CASE("values survive the PAE address map") { verify("transpose", {"system.address_map=pae"}); }

TEST_CASE("values survive loose round-robin and round-robin CTAs") {
  verify("mm", {"sm.warp_scheduler=lrr", "dispatch.scheduler=round-robin"});
}

TEST_CASE("values survive tiny caches, queues and TLBs") {
  verify("histogram",
         {"llc.sets=1", "llc.ways=2", "llc.mshr_entries=2", "llc.mshr_targets=1",
          "llc.queue_depth=1", "llc.response_queue_depth=1", "llc.memory_queue_depth=1",
          "l1.sets=1", "l1.ways=1", "l1.mshr_entries=1", "l1.mshr_targets=1", "l1.input_depth=1",
          "l1.miss_queue_depth=1", "sm.tlb_entries=1", "sm.tlb_mshr_entries=1",
          "sm.lsu_queue_depth=1", "sm.lsu_outstanding=2"});
}

TEST_CASE("values survive a slice of another shape than its siblings") {
  verify("vecadd", {"system.gpu0.llc3.sets=7", "system.gpu0.l1_2.mshr_entries=3"});
}

TEST_CASE("one seed gives one document, byte for byte") {
  CHECK(document("uba-mem-small", "bfs", ValueMode::kCarried) ==
        document("uba-mem-small", "bfs", ValueMode::kCarried));
}

}  // namespace tessera::workload_matrix_test
