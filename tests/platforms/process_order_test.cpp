// SPDX-License-Identifier: Apache-2.0
// No result depends on the order in which an instant's processes run. The
// pairs of platform and workload are those that have shown differences while blocks had faults of
// this kind, and one for each topology (docs/decisions/when-things-take-effect.md).
#include <catch2/catch.hpp>
#include <systemc>

#include "common/json.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/sc_time.h"
#include "tests/platforms/workload_runs.h"

namespace tessera::process_order_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

using Sets = std::vector<std::string>;

void check_both_orders(const std::string& platform, const std::string& workload,
                       const Sets& sets = {}) {
  const auto run = [&](bool reverse) {
    BuildOptions build;
    build.reverse_processes = reverse;
    return nlohmann::json::parse(document(platform, workload, ValueMode::kCarried, sets, build));
  };
  const nlohmann::json forward = run(false);
  CHECK(forward["verified"] == true);
  CHECK(nlohmann::json::diff(forward, run(true)) == nlohmann::json::array());
}

Sets migration(const std::string& policy, const Sets& more = {}) {
  Sets sets = {"migration.policy=" + policy, "migration.interval_cycles=2000",
               "page_migration.access-counter.threshold=8",
               "page_migration.replication.threshold=8", "system.page_placement=round-robin"};
  sets.insert(sets.end(), more.begin(), more.end());
  return sets;
}

/// Notes that it has run.
struct Probe final : sc_core::sc_module {
  Probe(const sc_core::sc_module_name& name, std::vector<const Probe*>& order)
      : sc_module(name), ran(order) {
    wake.bind<&Probe::process>(*this);
  }
  void process() { ran.push_back(this); }
  std::vector<const Probe*>& ran;
  ProcessTimer wake;
};

}  // namespace

TEST_CASE("the opposite order is another order") {
  BuildOptions build;
  build.reverse_processes = true;
  Simulation simulation(resolve_config("uba-mem-small", {}), build);
  std::vector<const Probe*> order;
  Probe first("first", order);
  Probe second("second", order);
  first.wake.at(1000);
  second.wake.at(1000);
  sc_core::sc_start(to_sc_time(2000));
  CHECK(order == std::vector<const Probe*>{&second, &first});
}

TEST_CASE("the order of processes changes nothing on uba-mem: page faults") {
  check_both_orders("uba-mem-small", "vecadd",
                    {"uvm.mode=fault", "system.page_placement=first-touch"});
}

TEST_CASE("the order of processes changes nothing on uba-mem: randomised addresses") {
  check_both_orders(
      "uba-mem-small", "2dconv",
      {"system.address_map=pae", "sm.warp_scheduler=lrr", "dispatch.scheduler=round-robin"});
}

TEST_CASE("the order of processes changes nothing on uba-sm") {
  check_both_orders("uba-sm-small", "vecadd");
}

TEST_CASE("the order of processes changes nothing on nuba: short epochs") {
  check_both_orders("nuba-small", "spmv", {"mdr.epoch_cycles=1000"});
}

TEST_CASE("the order of processes changes nothing on nuba: tiny queues, page faults") {
  check_both_orders(
      "nuba-small", "histogram",
      {"uvm.mode=fault", "mdr.sampled_sets=2", "llc.sets=2", "llc.mshr_entries=4",
       "llc.queue_depth=1", "llc.response_queue_depth=1", "llc.memory_queue_depth=1",
       "l1.mshr_entries=2", "l1.miss_queue_depth=1", "sm.tlb_entries=2", "sm.tlb_mshr_entries=1"});
}

TEST_CASE("the order of processes changes nothing on nuba: pages that move") {
  check_both_orders("nuba-small", "transpose", migration("access-counter"));
}

TEST_CASE("the order of processes changes nothing on nuba: pages that move while SMs run") {
  check_both_orders(
      "nuba-small", "transpose",
      migration("access-counter", {"migration.trigger=on-demand", "migration.drain=owner",
                                   "migration.one_source=true"}));
}

TEST_CASE("the order of processes changes nothing on nuba: copied pages") {
  check_both_orders("nuba-small", "kmeans", migration("replication"));
}

TEST_CASE("the order of processes changes nothing on a mesh of SMs and slices") {
  check_both_orders("uba-mem-small", "vecadd", {"noc.kind=mesh"});
}

TEST_CASE("the order of processes changes nothing on a mesh of slices, with small buffers") {
  check_both_orders("nuba-small", "spmv",
                    {"noc.kind=mesh", "mesh.vcs=2", "mesh.vc_flits=1", "mdr.epoch_cycles=1000"});
}

TEST_CASE("the order of processes changes nothing on mcm-nuba") {
  check_both_orders("mcm-nuba-small", "mm");
}

TEST_CASE("the order of processes changes nothing on dca: page faults of several GPUs") {
  check_both_orders("dca-small", "mm",
                    {"uvm.mode=fault", "uvm.fault_latency_ns=100", "l2_tlb.mshr_entries=4"});
}

TEST_CASE("the order of processes changes nothing on griffin: short periods") {
  check_both_orders("griffin-small", "mm", {"migration.interval_cycles=300"});
}

TEST_CASE("the order of processes changes nothing on griffin: transfers overlap") {
  check_both_orders("griffin-small", "mm",
                    {"migration.interval_cycles=300", "migration.overlap_transfers=true"});
}

TEST_CASE("the order of processes changes nothing on page-migration: batches that overlap") {
  check_both_orders("page-migration-small", "spmv",
                    {"migration.max_moves=64", "migration.overlap_transfers=true",
                     "l1.mshr_entries=2", "llc.sets=4"});
}

TEST_CASE("the order of processes changes nothing on griffin: all SMs stop") {
  check_both_orders("griffin-small", "spmv", {"migration.stop=all"});
}

TEST_CASE("the order of processes changes nothing on page-migration: messages take time") {
  check_both_orders("page-migration-small", "spmv",
                    {"migration.gpu_latency_ns=140", "migration.max_moves=64", "llc.sets=4"});
}

TEST_CASE("the order of processes changes nothing on griffin: messages take time") {
  check_both_orders("griffin-small", "mm",
                    {"migration.gpu_latency_ns=70", "migration.interval_cycles=300"});
}

TEST_CASE("the order of processes changes nothing on griffin: messages take time, all SMs stop") {
  check_both_orders("griffin-small", "spmv", {"migration.gpu_latency_ns=33", "migration.stop=all"});
}

TEST_CASE("the order of processes changes nothing on dualopt") {
  check_both_orders("dualopt-small", "spmv",
                    {"decision.warmup_accesses=10", "decision.window_accesses=50"});
}

TEST_CASE("the order of processes changes nothing on dualopt: messages take time") {
  check_both_orders(
      "dualopt-small", "spmv",
      {"decision.warmup_accesses=10", "decision.window_accesses=50", "decision.gpu_latency_ns=33"});
}

TEST_CASE("the order of processes changes nothing on dualopt: one entry everywhere") {
  check_both_orders("dualopt-small", "transpose",
                    {"rdma.port_depth=1", "rdma.outgoing_depth=1", "fabric.port_packets=1",
                     "fabric.switch_packets=1", "system.rdma_ports=1"});
}

TEST_CASE("the order of processes changes nothing where cores probe each other: ip") {
  check_both_orders("mesh-28-8-small", "spmv",
                    {"system.miss_routing=ip", "miss_routing.ip.coverage=8",
                     "miss_routing.ip.rate=0.6", "probe.timeout_cycles=150"});
}

TEST_CASE("the order of processes changes nothing where cores probe each other: dp") {
  check_both_orders("mesh-28-8-small", "bfs",
                    {"system.miss_routing=dp", "probe.incoming_depth=1", "probe.tracked=2"});
}

TEST_CASE("the order of processes changes nothing with partitions in a coherent hierarchy") {
  check_both_orders("umh-2-small", "kmeans",
                    {"umh.partitioned=true", "system.address_map=fixed-channel",
                     "system.page_placement=lab", "umh.partition_link.entries=1"});
}

TEST_CASE("the order of processes changes nothing with dynamic synchronisation") {
  check_both_orders("umh-2-small", "kmeans",
                    {"umh.synchronisation=dynamic", "umh.stack_bytes=65536"});
}

TEST_CASE("the order of processes changes nothing where slices forward read hits") {
  check_both_orders("mesh-28-8-small", "bfs",
                    {"system.miss_routing=la-llc", "llc.remote_queue_depth=1",
                     "probe.incoming_depth=1", "probe.reply_depth=1", "mesh.vc_flits=2"});
}

TEST_CASE("the order of processes changes nothing where cores probe each other: rp") {
  check_both_orders("mesh-28-8-small", "kmeans",
                    {"system.miss_routing=rp", "probe.reply_depth=1", "mesh.vcs=2", "l1.sets=2",
                     "l1.mshr_entries=4"});
}

}  // namespace tessera::process_order_test
