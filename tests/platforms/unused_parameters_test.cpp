// SPDX-License-Identifier: Apache-2.0
#include "platforms/unused_parameters.h"

#include <catch2/catch.hpp>
#include <map>

#include "platforms/simulation.h"
#include "tests/support/temporary_file.h"

namespace tessera::unused_parameters_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

/// "PATH: WHY" of each.
std::vector<std::string> idle(const std::string& platform, const std::vector<std::string>& paths,
                              const std::vector<std::string>& sets = {}) {
  std::vector<std::string> all;
  for (const UnusedParameter& s : unused_parameters(resolve_config(platform, sets).gpu, paths)) {
    all.push_back(s.path + ": " + s.why);
  }
  return all;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("settings of blocks that a platform does not have are named, with the reason") {
  CHECK(idle("uba-mem", {"llc.sets", "rdma.timeout_cycles", "mdr.epoch_cycles", "noc.radix"}) ==
        Lines{"rdma.timeout_cycles: system.topology is uba-mem",
              "mdr.epoch_cycles: system.remote_caching is home"});
  CHECK(idle("nuba", {"p2p.link_bytes", "mdr.epoch_cycles", "side_link.link_bytes",
                      "page_placement.lab.threshold", "mcm.ports"}) ==
        Lines{"side_link.link_bytes: system.topology is nuba", "mcm.ports: system.modules is 1"});
  CHECK(idle("mcm-nuba", {"mcm.ports", "ring.ports"}) ==
        Lines{"ring.ports: the modules' network is a switch"});
  CHECK(idle("dca-mcm", {"mcm.ports", "ring.ports", "rdma.timeout_cycles", "p2p.link_bytes"}) ==
        Lines{"mcm.ports: the modules' network is a ring",
              "p2p.link_bytes: system.topology is uba-mem"});
  CHECK(idle("dualopt-nuba", {"fabric.latency_ns", "p2p.link_bytes", "mdr.epoch_cycles",
                              "remote_cache.sets", "decision.hit_threshold", "ring.ports"}) ==
        Lines{"ring.ports: system.modules is 1"});
  CHECK(idle("dca", {"rdma.timeout_cycles", "fabric.latency_ns", "remote_cache.sets",
                     "decision.window_accesses", "system.rdma_ports"}) ==
        Lines{"remote_cache.sets: system.transfer is line",
              "decision.window_accesses: system.transfer is line"});
  CHECK(idle("dualopt", {"remote_cache.sets", "decision.window_accesses"}).empty());
  CHECK(idle("nuba", {"iommu.latency_ns", "dispatch.gpu_latency_ns", "dispatch.scheduler"}) ==
        Lines{"iommu.latency_ns: system.topology is nuba",
              "dispatch.gpu_latency_ns: system.topology is nuba"});
  CHECK(idle("dca", {"iommu.latency_ns", "dispatch.gpu_latency_ns"}).empty());
}

TEST_CASE("a GPU's network reads the parameters of its own kind") {
  const Lines noc = {"noc.kind", "noc.radix", "noc.arbitration_iterations", "mesh.vcs"};
  CHECK(idle("uba-mem", noc) == Lines{"noc.arbitration_iterations: noc.input_queues is fifo",
                                      "mesh.vcs: noc.kind is crossbar"});
  CHECK(idle("uba-mem", noc, {"noc.kind=mesh"}) ==
        Lines{"noc.radix: noc.kind is mesh", "noc.arbitration_iterations: noc.kind is mesh"});
  // The crossbars of requests from other GPUs and modules remain.
  for (const char* platform : {"dca", "mcm-nuba"}) {
    CHECK(idle(platform, noc, {"noc.kind=mesh"}) ==
          Lines{"noc.arbitration_iterations: noc.input_queues is fifo"});
  }
}

TEST_CASE("settings of policies that are not chosen are named, the choice itself never") {
  CHECK(idle("nuba", {"migration.policy", "migration.max_moves", "page_migration.griffin.alpha"}) ==
        Lines{"migration.max_moves: migration.policy is none",
              "page_migration.griffin.alpha: migration.policy is none"});
  CHECK(idle("griffin", {"migration.max_moves", "page_migration.griffin.alpha"}).empty());
  CHECK(idle("griffin", {"page_migration.replication.threshold"}) ==
        Lines{"page_migration.replication.threshold: migration.policy is griffin"});
  CHECK(idle("uba-mem", {"uvm.mode", "uvm.fault_latency_ns", "uvm.queue_depth"}) ==
        Lines{"uvm.fault_latency_ns: uvm.mode is prefaulted"});
  CHECK(idle("uba-mem", {"uvm.fault_latency_ns", "uvm.concurrent_faults"}, {"uvm.mode=fault"})
            .empty());
  CHECK(idle("uba-mem", {"page_placement.lab.threshold", "address_map.fixed-channel.seed",
                         "address_map.pae.seed", "system.address_map"}) ==
        Lines{"page_placement.lab.threshold: system.page_placement is round-robin",
              "address_map.pae.seed: system.address_map is fixed-channel"});
  // An old name that reaches parameters of two policies is idle when neither is chosen.
  CHECK(idle("uba-mem", {"system.lab_threshold", "system.address_map_seed"}) ==
        Lines{"system.lab_threshold: system.page_placement is round-robin"});
  CHECK(idle("dca", {"system.address_map_seed"}).size() == 1);
}

TEST_CASE("iterations of a matching are a setting of virtual output queues") {
  const std::vector<std::string> both = {"noc.arbitration_iterations",
                                         "mcm.arbitration_iterations"};
  CHECK(idle("mcm-uba", both) == Lines{"noc.arbitration_iterations: noc.input_queues is fifo",
                                       "mcm.arbitration_iterations: mcm.input_queues is fifo"});
  CHECK(
      idle("mcm-uba", both, {"noc.input_queues=virtual-output", "mcm.input_queues=virtual-output"})
          .empty());
  CHECK(idle("uba-mem", both, {"noc.input_queues=virtual-output"}) ==
        Lines{"mcm.arbitration_iterations: system.modules is 1"});
  CHECK(idle("uba-mem", {"noc.internal_speedup", "noc.output_buffer_flits"}).empty());
}

TEST_CASE("the directory of lines of the other side is a setting of two sides only") {
  CHECK(idle("nuba-small", {"llc.directory_sets"}) ==
        Lines{"llc.directory_sets: system.topology is nuba"});
  CHECK(idle("uba-sm-small", {"llc.directory_sets"}).empty());
}

TEST_CASE("the record of a last sharer is a setting of slices that forward hits only") {
  CHECK(idle("mesh-28-8", {"llc.last_sharer"}) ==
        Lines{"llc.last_sharer: system.miss_routing is home"});
  CHECK(idle("mesh-28-8", {"llc.last_sharer"}, {"system.miss_routing=la-llc"}).empty());
}

TEST_CASE("the ways of the scalar cache are a setting of L1s that have one") {
  CHECK(idle("nuba", {"l1.scalar_ways"}) == Lines{"l1.scalar_ways: l1.scalar_sets is 0"});
  CHECK(idle("nuba", {"l1.scalar_ways"}, {"l1.scalar_sets=64"}).empty());
}

TEST_CASE("the size of L1 TLBs changes nothing if translation is ideal") {
  CHECK(idle("ladm-4x4", {"sm.tlb_entries", "sm.tlb_latency"}) ==
        Lines{"sm.tlb_entries: sm.ideal_translation is true"});
  CHECK(idle("nuba", {"sm.tlb_entries"}).empty());
}

TEST_CASE("settings of a coherent hierarchy that its platform does not have") {
  CHECK(idle("umh-2", {"umh.partition_link.latency_ns", "umh.flushed"}) ==
        Lines{"umh.partition_link.latency_ns: umh.partitioned is false"});
  CHECK(idle("umh-2", {"umh.partition_link.latency_ns"}, {"umh.partitioned=true"}).empty());
  CHECK(idle("zero-copy-2", {"umh.flushed"}) == Lines{"umh.flushed: umh.gpu_memory is false"});
  CHECK(idle("mesh-28-8", {"probe.tracked"}, {"system.miss_routing=la-llc"}) ==
        Lines{"probe.tracked: system.miss_routing is la-llc"});
  CHECK(idle("memcpy-2", {"umh.flushed"}) == Lines{"umh.flushed: system.topology is gpu-ranges"});
  CHECK(idle("uba-mem", {"umh.partition_link.latency_ns"}) ==
        Lines{"umh.partition_link.latency_ns: system.topology is uba-mem"});
}

TEST_CASE("a page's place has no meaning where the address map spreads pages over channels") {
  const std::vector<std::string> pae = {"system.address_map=pae", "system.page_placement=lab"};
  CHECK(idle("uba-mem", {"system.page_placement", "page_placement.lab.threshold"}, pae) ==
        Lines{"system.page_placement: system.address_map is pae",
              "page_placement.lab.threshold: system.address_map is pae"});
  CHECK(idle("uba-mem", {"system.page_placement"}).empty());
}

TEST_CASE("of a file, settings are given that say otherwise than the preset") {
  const TemporaryFile file(
      "{\"base\": \"nuba-small\",\n \"llc\": {\"directory_sets\": 7, \"ways\": 16}}");
  const ResolvedConfig c = resolve_config(file.path(), {"llc.sets=32"});
  REQUIRE(c.given.size() == 1);
  CHECK(c.given.front().path == "llc.directory_sets");
  CHECK(c.given.front().origin == file.path() + ":2");
  CHECK(resolve_config("nuba-small", {}).given.empty());
}

TEST_CASE("of all parameters, a memory-side GPU reads none of other systems' blocks") {
  const ResolvedConfig c = resolve_config("uba-mem", {});
  std::vector<std::string> paths;
  for (const ListedParameter& p : c.parameters()) paths.push_back(p.info.name);
  std::map<std::string, std::size_t> groups;
  for (const UnusedParameter& s : unused_parameters(c.gpu, paths)) {
    ++groups[s.path.substr(0, s.path.find('.'))];
  }
  std::map<std::string, std::size_t> all;
  for (const std::string& p : paths) ++all[p.substr(0, p.find('.'))];
  for (const char* group :
       {"p2p", "side_link", "mcm", "mesh", "ring", "fabric", "iommu", "rdma", "remote_cache",
        "decision", "mdr", "probe", "miss_routing", "umh", "host"}) {
    CAPTURE(group);
    CHECK(groups[group] == all[group]);
    CHECK(all[group] > 0);
  }
  CHECK(groups["migration"] == all["migration"] - 1);  // the policy itself
  CHECK(groups["system"] == 2);                        // ports and links of the RDMA engine
  CHECK(groups["uvm"] == 3);
  CHECK(groups["address_map"] == all["address_map"] - 1);  // the seed of fixed-channel
  CHECK(groups["page_placement"] == all["page_placement"]);
  CHECK(groups["page_migration"] == all["page_migration"]);
  CHECK(groups["remote_caching"] == all["remote_caching"] - 1);  // one of home's
  CHECK(groups["transfer"] == all["transfer"]);
  CHECK(groups["cta_scheduler"] == all["cta_scheduler"]);          // of distributed: none
  CHECK(groups["launch_planner"] == all["launch_planner"]);        // of immediate: none
  CHECK(groups["cache_replacement"] == all["cache_replacement"]);  // lru has none
  CHECK(groups["llc"] == 3);       // the directory of two sides, the last sharer
  CHECK(groups["dispatch"] == 1);  // the latency to several GPUs
  CHECK(groups["l1"] == 1);        // the ways of the scalar cache
  CHECK(groups["noc"] == 1);       // iterations of virtual output queues
  CHECK(groups["kernel_scheduler"] == all["kernel_scheduler"]);  // leftover has none
  CHECK(groups.size() == 31);
}

}  // namespace tessera::unused_parameters_test
