// SPDX-License-Identifier: Apache-2.0
// Every workload on the small partitioned platforms, carried, with a protocol checker on every
// socket, under every page placement; and a sample of them on the full-size ones.
#include <catch2/catch.hpp>

#include "policies/miss_routing.h"
#include "policies/page_migration.h"
#include "policies/page_placement.h"
#include "policies/remote_caching.h"
#include "stimuli/workload.h"
#include "tests/platforms/workload_runs.h"
#include "tests/support/suite_cases.h"

namespace tessera::partitioned_matrix_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

TEST_CASE("every page placement, remote caching and miss routing is in this matrix") {
  CHECK(policy_names<MissRouting>() ==
        std::vector<std::string>{"ccn", "dp", "home", "ip", "la-llc", "pp", "rp"});
  CHECK(policy_names<PagePlacement>() == std::vector<std::string>{"first-touch", "interleave",
                                                                  "kernel-wide", "lab",
                                                                  "least-first", "round-robin"});
  CHECK(policy_names<RemoteCaching>() ==
        std::vector<std::string>{"full-replication", "home", "mdr", "ronce", "rtwice"});
  CHECK(policy_names<PageMigrationPolicy>() ==
        std::vector<std::string>{"access-counter", "first-touch-migration", "griffin", "none",
                                 "replication"});
}

#define TESSERA_FEW(PLATFORM) TESSERA_FOR_FEW(TESSERA_VERIFIES_CARRIED, PLATFORM)
#define TESSERA_MATRIX(PLATFORM) TESSERA_FOR_MATRIX(TESSERA_VERIFIES_CARRIED, PLATFORM)

// Each platform, each placement (interleave and kernel-wide: multi_gpu_matrix_test), each way to
// cache, each way to move pages.
TESSERA_MATRIX("uba-sm-small")
TESSERA_MATRIX("dualopt-nuba-small")
TESSERA_MATRIX("dca-mcm-small")
TESSERA_MATRIX("own-tree")
TESSERA_MATRIX("numa-4x4-small")
TESSERA_MATRIX("ladm-4x4-small")
TESSERA_MATRIX("ladm-xbar-90-small")
TESSERA_MATRIX("ladm-ring-1.4-small")
TESSERA_MATRIX("mcm-uba-small")
TESSERA_MATRIX("mcm-nuba-small")
TESSERA_MATRIX("nuba-norep-small")
TESSERA_MATRIX("nuba-norep-small system.page_placement=first-touch")
TESSERA_MATRIX("nuba-norep-small system.page_placement=least-first")
TESSERA_MATRIX("nuba-norep-small system.page_placement=round-robin")
// Epochs so short that the decision falls within a small kernel.
TESSERA_MATRIX("nuba-small mdr.epoch_cycles=2000")
TESSERA_MATRIX("nuba-small system.remote_caching=full-replication")
TESSERA_MATRIX("nuba-small migration.policy=access-counter often")
TESSERA_MATRIX("nuba-small migration.policy=replication often")
// The multi-GPU policies, with the overlapped transfer; partitions stand for GPUs.
TESSERA_FEW(
    "nuba-small migration.policy=first-touch-migration migration.trigger=on-demand "
    "migration.batch_cycles=200 migration.drain=owner")
TESSERA_FEW(
    "nuba-small migration.policy=griffin migration.drain=owner migration.one_source=true "
    "migration.interval_cycles=1000")

// The systems that LADM compares with, and its caching alone.
TESSERA_FEW("numa-4x4-small dispatch.planner=coda launch_planner.coda.hierarchical=true")
TESSERA_FEW("numa-4x4-small system.page_placement=kernel-wide dispatch.scheduler=kernel-wide")
TESSERA_FEW("numa-4x4-small system.page_placement=first-touch cta_scheduler.batched.batch=8")
TESSERA_FEW("ladm-4x4-small system.remote_caching=ronce")
TESSERA_FEW("ladm-4x4-small system.remote_caching=home launch_planner.lasp.remote_bypassing=false")
TESSERA_FEW("monolithic-256-small")
TESSERA_FEW("ladm-xbar-90-small dispatch.planner=coda")
TESSERA_FEW("ladm-ring-1.4-small dispatch.planner=coda")
TESSERA_FEW("ladm-xbar-90-small system.page_placement=kernel-wide dispatch.scheduler=kernel-wide")

// LASP beside the other papers' replication and links.
TESSERA_FEW("ladm-4x4-small launch_planner.lasp.remote_bypassing=false system.remote_caching=mdr")
TESSERA_FEW("ladm-4x4-small system.transfer=coalesced")
TESSERA_FEW(
    "ladm-4x4-small launch_planner.lasp.remote_bypassing=false system.remote_caching=home "
    "system.transfer=decision-engine llc.sets=8")
TESSERA_FEW(
    "numa-4x4-small system.page_placement=lab dispatch.scheduler=distributed "
    "system.remote_caching=mdr")

// Moves that take longer than the watchdog waits are no deadlock.
TESSERA_VERIFIES_CARRIED(
    "vecadd",
    "nuba-small migration.policy=access-counter migration.interval_cycles=2000 "
    "page_migration.access-counter.threshold=1 migration.shootdown_ns=1000000")

// A few workloads: the other placements on the other platforms.
#define TESSERA_PLACEMENTS(PLATFORM)                         \
  TESSERA_FEW(PLATFORM " system.page_placement=first-touch") \
  TESSERA_FEW(PLATFORM " system.page_placement=least-first") \
  TESSERA_FEW(PLATFORM " system.page_placement=lab")
TESSERA_PLACEMENTS("uba-mem-small")
TESSERA_PLACEMENTS("uba-sm-small")
TESSERA_PLACEMENTS("mcm-uba-small")
TESSERA_FEW("mcm-nuba-small system.page_placement=first-touch")
TESSERA_FEW("mcm-nuba-small system.page_placement=least-first")
TESSERA_FEW("mcm-nuba-small system.page_placement=round-robin")

TESSERA_VERIFIES_CARRIED("spmv", "nuba-small llc.install_remote_misses=false")
TESSERA_VERIFIES_CARRIED("spmv",
                         "nuba-small noc.arbitration=oldest-first llc.arbitration=oldest-first")
TESSERA_VERIFIES_CARRIED("spmv", "uba-sm-small llc.directory_ways=1")

TESSERA_VERIFIES_CARRIED("vecadd", "uba-sm")
TESSERA_VERIFIES_CARRIED("bfs", "uba-sm")
TESSERA_VERIFIES_CARRIED("vecadd", "nuba-norep")
TESSERA_VERIFIES_CARRIED("histogram", "nuba-norep")
TESSERA_VERIFIES_CARRIED("mm", "nuba")
TESSERA_VERIFIES_CARRIED("spmv", "nuba")
TESSERA_VERIFIES_CARRIED("vecadd", "mcm-uba")
TESSERA_VERIFIES_CARRIED("histogram", "mcm-uba")
TESSERA_VERIFIES_CARRIED("mm", "mcm-nuba")
TESSERA_VERIFIES_CARRIED("bfs", "mcm-nuba")

namespace {

const std::vector<std::string> kSmall = {"uba-sm-small",  "nuba-norep-small", "nuba-small",
                                         "mcm-uba-small", "mcm-nuba-small",   "ladm-4x4-small"};

void check_tiny(const std::string& platform) {
  verify_carried(
      platform, "histogram",
      {"llc.sets=1", "llc.ways=2", "llc.mshr_entries=2", "llc.mshr_targets=1", "llc.queue_depth=1",
       "llc.response_queue_depth=1", "llc.memory_queue_depth=1", "llc.remote_queue_depth=1",
       "llc.directory_sets=1", "llc.directory_ways=1", "l1.sets=1", "l1.ways=1",
       "l1.mshr_entries=1", "l1.mshr_targets=1", "l1.input_depth=1", "l1.miss_queue_depth=1",
       "sm.tlb_entries=1", "mdr.sampled_sets=1"});
}

}  // namespace

TEST_CASE("values survive tiny caches and queues on uba-sm") { check_tiny("uba-sm-small"); }
TEST_CASE("values survive tiny caches and queues on nuba") { check_tiny("nuba-small"); }
TEST_CASE("values survive tiny caches and queues on mcm-nuba") { check_tiny("mcm-nuba-small"); }

TEST_CASE("values survive tiny caches and queues on ladm-4x4") { check_tiny("ladm-4x4-small"); }

TEST_CASE("carried and functional give the same statistics on partitioned platforms") {
  for (const std::string& platform : kSmall) {
    for (const char* workload : {"vecadd", "2dconv", "spmv"}) {
      INFO(workload << " on " << platform);
      CHECK(document(platform, workload, ValueMode::kCarried) ==
            document(platform, workload, ValueMode::kFunctional));
    }
  }
}

TEST_CASE("one seed gives one document on partitioned platforms") {
  for (const std::string& platform : kSmall) {
    INFO(platform);
    CHECK(document(platform, "bfs", ValueMode::kCarried) ==
          document(platform, "bfs", ValueMode::kCarried));
  }
}

// GPUs whose SMs and slices, or whose slices, are nodes of a mesh.
TESSERA_FEW("uba-mem-small noc.kind=mesh")
TESSERA_FEW("uba-mem-small noc.kind=mesh mesh.vcs=2 mesh.vc_flits=2 mesh.link_bytes=8")
TESSERA_FEW("nuba-small noc.kind=mesh mdr.epoch_cycles=2000")
TESSERA_FEW("nuba-small noc.kind=mesh mesh.concentration=2 mesh.vcs=2")
TESSERA_FEW("uba-sm-small noc.kind=mesh")
TESSERA_FEW("mcm-uba-small noc.kind=mesh")
TESSERA_FEW("dualopt-small noc.kind=mesh")

// Cores that serve each other's misses, with short queues and timeouts.
TESSERA_FEW("mesh-28-8-small")
TESSERA_FEW("mesh-28-8-small system.miss_routing=dp")
TESSERA_FEW("mesh-28-8-small system.miss_routing=pp")
TESSERA_FEW("mesh-28-8-small system.miss_routing=ip miss_routing.ip.coverage=8")
TESSERA_MATRIX("mesh-28-8-small system.miss_routing=rp")
TESSERA_FEW(
    "mesh-28-8-small system.miss_routing=rp probe.timeout_cycles=60 probe.tracked=4 "
    "probe.incoming_depth=1 probe.reply_depth=1 miss_routing.rp.probes=3")
TESSERA_FEW("mesh-28-8-small system.miss_routing=ccn")
TESSERA_MATRIX("mesh-28-8-small system.miss_routing=la-llc")
TESSERA_FEW(
    "mesh-28-8-small system.miss_routing=la-llc llc.last_sharer=read llc.remote_queue_depth=1 "
    "probe.incoming_depth=1 probe.reply_depth=1 mesh.vc_flits=1")
TESSERA_FEW("uba-mem-small system.miss_routing=la-llc")
TESSERA_FEW("uba-mem-small system.miss_routing=rp")

}  // namespace tessera::partitioned_matrix_test
