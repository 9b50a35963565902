// SPDX-License-Identifier: Apache-2.0
// Configurations of several GPUs: DualOpt's Table 1, and what is refused.
#include <catch2/catch.hpp>

#include "common/error.h"
#include "common/json.h"
#include "modules/noc/planned_network.h"
#include "platforms/simulation.h"
#include "platforms/topology/shape.h"
#include "platforms/topology/system_facts.h"

namespace tessera::multi_gpu_configuration_test {

namespace {

/// What a preset with these settings is refused with; empty when it is not.
std::string refusal(const std::string& preset, const std::vector<std::string>& sets) {
  try {
    resolve_config(preset, sets);
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

double value(const ResolvedConfig& config, const std::string& path) {
  for (const ListedParameter& p : config.parameters()) {
    if (p.info.name == path) return p.value->get<double>();
  }
  FAIL("no parameter " << path);
  return 0;
}

}  // namespace

TEST_CASE("multi-gpu-4 is DualOpt's Table 1") {
  const ResolvedConfig r = resolve_config("multi-gpu-4", {});
  const GpuConfig& c = r.gpu;
  CHECK(c.system.gpus == 4);
  CHECK(c.system.sms == 4 * 64);
  CHECK(c.sm.clock_hz == 1'000'000'000);
  CHECK(c.system.line_bytes == 64);
  CHECK(std::uint64_t{c.l1.sets} * c.l1.ways * c.l1.line_bytes == 16 * 1024);
  const std::uint64_t l2 = std::uint64_t{c.llc.sets} * c.llc.ways * c.llc.line_bytes;
  CHECK(l2 * c.system.slices() / c.system.gpus == std::uint64_t{2} << 20);
  CHECK(geometry_of(c).total_bytes() / c.system.gpus == std::uint64_t{4} << 30);
  CHECK(c.fabric.bandwidth() == 64e9);
  CHECK(c.fabric.flit_bytes == 16);
  CHECK(c.rdma.timeout_cycles == 30);
  CHECK(c.rdma.transfer_bytes == 4);
  CHECK(c.decision.window_accesses == 20'000);
  CHECK(value(r, "transfer.decision-engine.remote_threshold") == 0.02);
  CHECK(value(r, "transfer.decision-engine.block_threshold") == 0.2);
  CHECK(value(r, "transfer.decision-engine.hit_threshold") == 0.4);
}

TEST_CASE("a remote cache takes three quarters of the L2") {
  const auto bytes = [](const LlcSliceConfig& c) {
    return std::uint64_t{c.sets} * c.ways * c.line_bytes;
  };
  for (const char* preset : {"dualopt-cache", "dualopt"}) {
    const GpuConfig c = resolve_config(preset, {}).gpu;
    CHECK(bytes(c.remote_cache) * c.system.rdma_ports == std::uint64_t{3} << 19);
    CHECK(bytes(c.llc) * c.system.slices() / c.system.gpus == std::uint64_t{1} << 19);
  }
}

TEST_CASE("presets differ in how lines travel") {
  const auto transfer = [](const char* preset) {
    CHECK(resolve_config(preset, {}).gpu.system.transfer ==
          resolve_config(std::string(preset) + "-small", {}).gpu.system.transfer);
    return resolve_config(preset, {}).gpu.system.transfer;
  };
  CHECK(transfer("dca") == "line");
  CHECK(transfer("page-migration") == "line");
  CHECK(transfer("griffin") == "line");
  CHECK(transfer("dualopt-bypass") == "bypass");
  CHECK(transfer("dualopt-fine") == "fine-grained");
  CHECK(transfer("dualopt-coalesced") == "coalesced");
  CHECK(transfer("dualopt-cache") == "remote-cache");
  CHECK(transfer("dualopt") == "decision-engine");
}

TEST_CASE("what several GPUs cannot be is refused with a reason") {
  CHECK(refusal("uba-mem", {"system.gpus=2"}) ==
        "uba-mem: system.gpus must be 1 unless topology is multi-gpu or one of "
        "unified-hierarchy and gpu-ranges");
  CHECK(
      refusal("nuba", {"system.transfer=coalesced"}) ==
      "nuba: system.transfer (coalesced) needs several GPUs (system.topology multi-gpu, or a tree "
      "with a level gpu): this platform has one");
  CHECK(refusal("dca", {"system.gpus=1"}) ==
        "dca: topology multi-gpu needs system.gpus of 2 at least");
  CHECK(refusal("dca", {"system.address_map=pae"}) ==
        "dca: topology multi-gpu needs system.address_map gpu-interleave or fixed-channel: a GPU's "
        "memory is one range of addresses");
  CHECK(refusal("dualopt", {"migration.policy=griffin"}) ==
        "dualopt: migration.policy needs a system.transfer without a remote cache: pages that move "
        "must not have dirty lines elsewhere");
  CHECK(refusal("griffin", {"migration.stop=all"}).empty());
  CHECK(refusal("griffin", {"system.address_map=fixed-channel"}) ==
        "griffin: migration.stop users needs system.address_map gpu-interleave, under which a "
        "page's home is a GPU with a TLB of its own: here it is fixed-channel");
  CHECK(refusal("griffin", {"uvm.mode=fault"}) ==
        "griffin: migration.stop users needs uvm.mode prefaulted: translations that end a page "
        "fault are not recorded by the TLB directory");
  CHECK(
      refusal("nuba", {"migration.policy=access-counter", "migration.stop=users"}) ==
      "nuba: migration.stop users needs system.gpus of 2 at least: partitions of one GPU share its "
      "TLB");
  CHECK(refusal("griffin", {"migration.stop=user"}).find("did you mean 'users'?") !=
        std::string::npos);
  CHECK(refusal("griffin", {"migration.overlap_transfer=true"})
            .find("did you mean 'migration.overlap_transfers'?") != std::string::npos);
  CHECK(refusal("dca", {"migration.policy=replication"}) ==
        "dca: migration.policy replication needs one GPU of topology nuba: it copies pages to "
        "partitions, and the tree has a level of GPUs");
  CHECK(refusal("dca", {"system.gpus=3"}) ==
        "dca: system.channels (64) must be a multiple of system.gpus (3): 63 or 66, or "
        "system.gpus of 2 or 4\n"
        "dca: system.sms (256) must be a multiple of system.gpus (3): 255 or 258, or system.gpus "
        "of 2 or 4");
  CHECK(refusal("griffin", {"sm.ideal_translation=true"}) ==
        "griffin: sm.ideal_translation excludes migration.policy (griffin): the MMU would not know "
        "which SMs to notify of a moved page");
  CHECK(refusal("dca", {"system.rdma_ports=5"}) ==
        "dca: system.rdma_ports (5) must divide the slices of a GPU (16): a port serves whole "
        "slices, so that 4 or 8 would do");
}

TEST_CASE("no crossbar from an RDMA engine moves fewer lines than the link of its GPU") {
  unsigned several = 0;
  for (const PresetInfo& preset : platform_presets()) {
    const GpuConfig c = resolve_config(preset.name, {}).gpu;
    const PlatformPlan plan = plan_of(c);
    const PlannedBlock* const xbar = plan.find("system.gpu0.ingress_xbar");
    if (xbar == nullptr) continue;
    ++several;
    CAPTURE(preset.name);
    const NocConfig& noc = network_of(*xbar).noc;
    const std::uint32_t line = c.system.line_bytes;
    const std::uint32_t flits = (noc.header_bytes + line + noc.link_bytes - 1) / noc.link_bytes;
    const double lines = static_cast<double>(noc.clock_hz) / flits;
    const double sent = c.fabric.bandwidth() / (line + c.rdma.response_header_bytes);
    CHECK(lines >= sent);
  }
  CHECK(several > 20);
}

TEST_CASE("waits that the watchdog would take for a standstill are refused") {
  // At 1 GHz: twice (latency + timeout + a line's five flits of 16 B at 4 GHz).
  CHECK(refusal("dca",
                {"system.watchdog_cycles=1000", "fabric.latency_ns=400", "rdma.timeout_cycles=98"})
            .empty());
  const std::string told = "dca: system.watchdog_cycles (1000) must be twice fabric.latency_ns, ";
  CHECK_THAT(refusal("dca", {"system.watchdog_cycles=1000", "fabric.latency_ns=400",
                             "rdma.timeout_cycles=99"}),
             Catch::Contains(told));
  CHECK_THAT(refusal("dca", {"system.watchdog_cycles=1000", "fabric.latency_ns=499"}),
             Catch::Contains(told));
}

TEST_CASE("a channel's share of addresses is a line at least and a DRAM row at most") {
  CHECK(refusal("dca", {"address_map.gpu-interleave.interleave_bytes=2048"}).empty());
  CHECK(refusal("dca", {"address_map.gpu-interleave.interleave_bytes=4096"}) ==
        "dca: address map 'gpu-interleave': interleave_bytes is 4096; expected a power "
        "of two from 64 (a line) to 2048 (the smaller of DRAM row and page)");
  CHECK_THAT(refusal("dca", {"address_map.gpu-interleave.interleave_bytes=32"}),
             Catch::Contains("from 64 (a line)"));
}

TEST_CASE("what the blocks between GPUs cannot be is refused with the block's name") {
  CHECK_THAT(refusal("dca", {"system.transfer=coalesce"}),
             Catch::Contains("did you mean 'coalesced'?"));
  CHECK_THAT(refusal("dca", {"rdma.transfer_bytes=12"}), Catch::Contains("rdma.transfer_bytes"));
  CHECK_THAT(refusal("dca", {"rdma.timeout_cyles=3"}),
             Catch::Contains("did you mean 'rdma.timeout_cycles'?"));
  CHECK_THAT(refusal("dca", {"fabric.flit_bytes=0"}), Catch::Contains("fabric.flit_bytes"));
  CHECK_THAT(refusal("dualopt", {"remote_cache.ways=0"}), Catch::Contains("remote_cache.ways"));
  CHECK_THAT(refusal("dualopt", {"decision.window_accesses=0"}),
             Catch::Contains("decision.window_accesses"));
  CHECK_THAT(refusal("dca", {"system.gpus=17"}), Catch::Contains("system.gpus: 17 is not a whole "
                                                                 "number from 1 to 16"));
}

TEST_CASE("settings of single instances are checked on each GPU") {
  CHECK(resolve_config("dualopt-small",
                       {"system.gpu2.llc1.sets=8", "system.gpu1.rdma.timeout_cycles=7",
                        "system.gpu3.rcache1.ways=2", "system.gpu0.ingress_xbar.link_bytes=32"})
            .overrides.size() == 4);
  // Each GPU of the small form has slices 0 and 1, SMs 0 to 3.
  CHECK_THAT(refusal("dualopt-small", {"system.gpu2.llc2.sets=8"}),
             Catch::Contains("system.gpu2.llc2.sets: no such block; did you mean "
                             "'system.gpu2.llc"));
  CHECK_THAT(refusal("dualopt-small", {"system.gpu4.llc0.sets=8"}),
             Catch::Contains("no such block"));
  CHECK_THAT(refusal("dualopt-small", {"system.gpu1.rmda.timeout_cycles=7"}),
             Catch::Contains("no such block; did you mean 'system.gpu1.rdma'?"));
  CHECK_THAT(refusal("dualopt-small", {"system.gpu1.rdma.timeout_cyles=7"}),
             Catch::Contains("no such parameter; did you mean 'timeout_cycles'?"));
  // What all GPUs share is none's.
  CHECK_THAT(refusal("dualopt-small", {"system.gpu0.iommu.link_bytes=8"}),
             Catch::Contains("no such block"));
  CHECK_THAT(refusal("dualopt-small", {"system.gpu0.decision.window_acceses=8"}),
             Catch::Contains("no such block; did you mean 'decision.window_accesses'?"));
  CHECK_THAT(refusal("uba-mem-small", {"system.gpu0.rdma.timeout_cycles=7"}),
             Catch::Contains("no such block"));
}

TEST_CASE("blocks, queues and kinds of blocks are set by their former names, too") {
  const ResolvedConfig c = resolve_config(
      "dca-mcm-small", {"system.gpu0.ingress.link_bytes=32", "system.gpu1.gate2.link_bytes=8",
                        "llc.reply_queue_depth=3", "l2_tlb.reply_queue_depth=5", "impl.mover=tlm"});
  REQUIRE(c.overrides.size() == 2);
  CHECK(c.overrides[0].path == "system.gpu0.ingress_xbar.link_bytes");
  CHECK(c.overrides[1].path == "system.gpu1.module_ingress_xbar2.link_bytes");
  CHECK(c.gpu.llc.response_queue_depth == 3);
  CHECK(c.gpu.l2_tlb.response_queue_depth == 5);
  CHECK(resolve_config("dualopt-small", {"system.gpu0.gate.link_bytes=32"}).overrides[0].path ==
        "system.gpu0.ingress_xbar.link_bytes");
}

TEST_CASE("settings of one GPU's instance that its block cannot be are refused") {
  CHECK_THAT(refusal("dualopt-small", {"system.gpu1.rdma.transfer_bytes=12"}),
             Catch::Contains("system.gpu1.rdma: rdma.transfer_bytes must be 4, 8 or 16"));
  CHECK_THAT(refusal("dualopt-small", {"system.gpu1.rcache0.ways=0"}), Catch::Contains("ways"));
  CHECK_THAT(refusal("dualopt-small", {"system.gpu1.ingress_xbar.link_bytes=0"}),
             Catch::Contains("link_bytes"));
}

}  // namespace tessera::multi_gpu_configuration_test
