// SPDX-License-Identifier: Apache-2.0
// UMH's workloads (its Table I) on the small form of its platforms, carried, with a protocol
// checker on every socket.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "common/error.h"
#include "common/json.h"
#include "modules/umh/sites.h"
#include "platforms/platform_view.h"
#include "platforms/run_result.h"
#include "platforms/topology/shape.h"
#include "stimuli/paper_workloads.h"
#include "tests/platforms/workload_runs.h"

namespace tessera::unified_hierarchy_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

const std::vector<std::string> kWorkloads = {"blackscholes-float4",
                                             "dct8x8",
                                             "floydwarshall",
                                             "fwt",
                                             "haar",
                                             "histogram256",
                                             "mersennetwister",
                                             "mm-float4",
                                             "radixsort",
                                             "reduction-uint4",
                                             "scan",
                                             "simpleconvolution",
                                             "sobel",
                                             "transpose-float4"};

}  // namespace

#if defined(__SANITIZE_ADDRESS__)
#define TESSERA_FOR_UMH(DO, WHAT) \
  DO("mm-float4", WHAT)           \
  DO("reduction-uint4", WHAT)
#else
/// DO(NAME, WHAT) for UMH's workloads.
#define TESSERA_FOR_UMH(DO, WHAT) \
  DO("blackscholes-float4", WHAT) \
  DO("dct8x8", WHAT)              \
  DO("floydwarshall", WHAT)       \
  DO("fwt", WHAT)                 \
  DO("haar", WHAT)                \
  DO("histogram256", WHAT)        \
  DO("mersennetwister", WHAT)     \
  DO("mm-float4", WHAT)           \
  DO("radixsort", WHAT)           \
  DO("reduction-uint4", WHAT)     \
  DO("scan", WHAT)                \
  DO("simpleconvolution", WHAT)   \
  DO("sobel", WHAT)               \
  DO("transpose-float4", WHAT)
#endif

TEST_CASE("every workload of UMH is in this matrix") {
  std::set<std::string> names;
  for (const PaperWorkload& w : paper_workloads("umh")) names.insert(w.workload);
  CHECK(std::vector<std::string>(names.begin(), names.end()) == kWorkloads);
}

TESSERA_FOR_UMH(TESSERA_VERIFIES_CARRIED, "umh-1-small")
TESSERA_FOR_UMH(TESSERA_VERIFIES_CARRIED, "umh-2-small")
TESSERA_FOR_UMH(TESSERA_VERIFIES_CARRIED, "umh-4-small")

// Zero-copy: L2 misses go to the host, line by line.
TESSERA_VERIFIES_CARRIED("mm", "zero-copy-1-small")
TESSERA_VERIFIES_CARRIED("floydwarshall", "zero-copy-2-small")
TESSERA_VERIFIES_CARRIED("reduction", "zero-copy-4-small")
TESSERA_VERIFIES_CARRIED("histogram256", "zero-copy-4-small")

// memcpy: each GPU's memory holds a range of the data. Software unified memory.
TESSERA_FOR_UMH(TESSERA_VERIFIES_CARRIED, "memcpy-2-small")
TESSERA_VERIFIES_CARRIED("mm", "memcpy-1-small")
TESSERA_VERIFIES_CARRIED("radixsort", "memcpy-4-small")
TESSERA_VERIFIES_CARRIED("histogram256", "memcpy-4-small umh.link.shared=true")
TESSERA_VERIFIES_CARRIED("fwt", "software-um-1-small")
TESSERA_VERIFIES_CARRIED("pagerank", "memcpy-4-small")

// The CPU synchronises each line that it loads, in place of the final flush.
TESSERA_FOR_UMH(TESSERA_VERIFIES_CARRIED, "umh-2-small umh.synchronisation=dynamic")
TESSERA_VERIFIES_CARRIED("pagerank", "umh-4-small umh.synchronisation=dynamic")
TESSERA_VERIFIES_CARRIED("kmeans", "umh-2-small umh.synchronisation=dynamic umh.flushed=all")
TESSERA_VERIFIES_CARRIED("radixsort", "umh-2-small umh.flushed=all")
TESSERA_VERIFIES_CARRIED("fwt", "zero-copy-2-small umh.synchronisation=dynamic")

// NUBA's partitions in UMH's GPUs, with its page placement. LADM's placement and scheduling.
TESSERA_FOR_UMH(TESSERA_VERIFIES_CARRIED, "umh-2-small umh.partitioned=true")
#define TESSERA_NUBA_IN_UMH(SHAPE)                                            \
  SHAPE                                                                       \
  " umh.partitioned=true system.channels=2 system.address_map=fixed-channel " \
  "system.page_placement=lab"
TESSERA_FOR_UMH(TESSERA_VERIFIES_CARRIED, TESSERA_NUBA_IN_UMH("umh-4-small"))
TESSERA_VERIFIES_CARRIED(
    "kmeans",
    TESSERA_NUBA_IN_UMH(
        "umh-2-small") " dispatch.planner=lasp launch_planner.lasp.remote_bypassing=false")
TESSERA_FOR_UMH(TESSERA_VERIFIES_CARRIED,
                "umh-4-small dispatch.planner=lasp launch_planner.lasp.remote_bypassing=false")
TESSERA_VERIFIES_CARRIED("mm", "memcpy-2-small umh.partitioned=true")
// L2s accept no peer transfers.
TESSERA_VERIFIES_CARRIED("mm", "memcpy-2-small umh.peer_transfer=true")
TESSERA_VERIFIES_CARRIED("transpose", "zero-copy-2-small umh.partitioned=true")

// Kernels with fences, flags and atomics.
TESSERA_VERIFIES_CARRIED("bfs", "umh-2-small")
TESSERA_VERIFIES_CARRIED("histogram", "umh-2-small")
TESSERA_VERIFIES_CARRIED("kmeans", "umh-2-small")
TESSERA_VERIFIES_CARRIED("pagerank", "umh-2-small")

// Stacks that hold a few secondary blocks: every block is evicted.
TESSERA_VERIFIES_CARRIED("mm", "umh-2-small umh.stack_bytes=65536")
TESSERA_VERIFIES_CARRIED("transpose", "umh-4-small umh.stack_bytes=65536 umh.smd_ways=2")
TESSERA_VERIFIES_CARRIED("fwt", "umh-2-small umh.mask_granularity=1 umh.peer_transfer=false")
TESSERA_VERIFIES_CARRIED("scan", "umh-2-small umh.owned_read=owned umh.link.shared=true")

TEST_CASE("values survive tiny caches, queues and tables") {
  verify_carried(
      "umh-2-small", "histogram",
      {"l1.sets=1", "l1.ways=1", "l1.mshr_entries=1", "l1.input_depth=1", "umh.l1_port.entries=1",
       "umh.l2.sets=1", "umh.l2.ways=2", "umh.l2.transactions=1", "umh.l2.entries=1",
       "umh.smd.transactions=1", "umh.smd.entries=1", "umh.smd.memory_accesses=1",
       "umh.hmd.transactions=1", "umh.hmd.entries=1", "umh.hmd.memory_accesses=1",
       "umh.link.entries=1", "sm.lsu_outstanding=2"});
}

TEST_CASE("the two value modes take the same time") {
  const auto functional =
      nlohmann::json::parse(document("umh-2-small", "mm", ValueMode::kFunctional));
  const auto carried = nlohmann::json::parse(document("umh-2-small", "mm", ValueMode::kCarried));
  CHECK(functional["cycles"] == carried["cycles"]);
  CHECK(functional["modules"] == carried["modules"]);
}

TEST_CASE("the link carries each secondary block, and the final flush brings results to the host") {
  const RunResult r = verify_carried("umh-1-small", "vecadd");
  const auto& modules = r.stats["modules"];
  const auto& link = modules["system.gpu0.host_link"];
  // Grants of a block: 8 bytes and 64 lines.
  CHECK(link["bytes_grant"].get<std::uint64_t>() ==
        link["messages_grant"].get<std::uint64_t>() * (8 + 4096));
  CHECK(link["messages_grant"] == link["messages_grant-ack"]);
  CHECK(link["messages_write-back"] == link["messages_write-back-ack"]);
  CHECK(link["messages_write-back"] > 0);
  CHECK(r.stats["derived"]["host_link_bytes"] == link["bandwidth"]["total"]);
}

TEST_CASE("the CPU reads the result through its caches") {
  const RunResult r = verify_carried("umh-2-small", "vecadd");
  const auto& modules = r.stats["modules"];
  const auto& core = modules["system.cpu0"];
  // vecadd has one result array, which the host reads once; it writes before the launch only.
  const std::uint64_t bytes = r.stats["footprint_bytes"].get<std::uint64_t>() / 3;
  CHECK(core["bytes"] == bytes);
  CHECK(core["lines"] == bytes / 64);
  CHECK(core["loads"] == bytes / 4096);
  CHECK(core["stores"] == 0);
  CHECK(modules["system.cpu_l1_0"]["loads"] == bytes / 64);
  CHECK(modules["system.cpu1"]["lines"] == 0);
}

TEST_CASE("memcpy copies what the host writes and reads, and GPUs fetch peers' lines") {
  const RunResult r = verify_carried("memcpy-2-small", "vecadd");
  const auto& copies = r.stats["modules"]["copy_engine"];
  const std::uint64_t array = r.stats["footprint_bytes"].get<std::uint64_t>() / 3;
  CHECK(copies["bytes_to_device"] == 2 * array);
  CHECK(copies["bytes_to_host"] == array);
  CHECK(copies["copies_to_device"] == 2);
  CHECK(copies["copies_to_host"] == 1);
  // Each of two links carries half of an array: set-up, latency, cycles of 16 bytes.
  CHECK(copies["to_host_ns"] == 10'000 + 140 + array / 2 / 16);
  CHECK(r.stats["derived"]["runtime_ns"].get<double>() == r.stats["time_ns"].get<double>() +
                                                              copies["to_host_ns"].get<double>() +
                                                              copies["to_device_ns"].get<double>());
  const auto& link = r.stats["modules"]["system.host_link"];
  CHECK(link["bytes_grant"].get<std::uint64_t>() ==
        link["messages_grant"].get<std::uint64_t>() * (8 + 64));
  CHECK(link["peer_bytes"] == link["bandwidth"]["total"]);
}

TEST_CASE("the interleave of memcpy's stacks leaves the blocks of its directories lines") {
  const ResolvedConfig c = resolve_config(
      "memcpy-2", {"umh.block_bytes=4096", "address_map.gpu-interleave.interleave_bytes=4096"});
  const PlatformPlan plan = plan_of(c.gpu);
  for (const PlannedBlock* hmd : plan.of_kind("hmd")) {
    CHECK(hmd_config(PlatformView(c.gpu, plan), plan, *hmd).hmd.block_bytes == 64);
  }
  const GpuConfig two = resolve_config("umh-2", {}).gpu;
  const PlatformPlan umh = plan_of(two);
  const PlannedBlock& hmd = *umh.of_kind("hmd").front();
  CHECK(hmd_config(PlatformView(two, umh), umh, hmd).hmd.block_bytes == 4096);
}

TEST_CASE("one GPU that holds all data sends nothing over the link") {
  const RunResult r = verify_carried("memcpy-1-small", "vecadd");
  CHECK(r.stats["derived"]["host_link_bytes"] == 0);
}

TEST_CASE("software unified memory copies every array at the launch and at the synchronisation") {
  const RunResult r = verify_carried("software-um-1-small", "vecadd");
  const auto& copies = r.stats["modules"]["copy_engine"];
  const std::uint64_t all = r.stats["footprint_bytes"].get<std::uint64_t>();
  // The two inputs come to the host first, then go to the GPU, where the result is allocated.
  CHECK(copies["bytes_to_device"] == all / 3 * 2);
  CHECK(copies["bytes_to_host"] == all / 3 * 2 + all);
  // Those after the launch only.
  CHECK(r.stats["derived"]["copied_back_bytes"] == all);
}

TEST_CASE("SMDs keep clean blocks between kernels") {
  const auto fetched = [](const std::string& flushed) {
    const auto d = nlohmann::json::parse(
        document("umh-2-small", "kmeans", ValueMode::kCarried, {"umh.flushed=" + flushed}));
    return d["modules"]["system.host_link"]["messages_grant"].get<std::uint64_t>();
  };
  CHECK(fetched("modified") < fetched("all"));
}

TEST_CASE("with dynamic synchronisation, the CPU has its first results before a final flush ends") {
  const auto run = [](const std::string& synchronisation) {
    return nlohmann::json::parse(
        document("umh-1-small", "vecadd", ValueMode::kCarried,
                 {"umh.synchronisation=" + synchronisation, "umh.stack_bytes=16777216"}));
  };
  const auto flush = run("final-flush");
  const auto dynamic = run("dynamic");
  CHECK(dynamic["derived"]["first_read_ns"] < flush["derived"]["first_read_ns"]);
  CHECK(dynamic["cycles"] < flush["cycles"]);
  // One kernel, and no other follows: no flush.
  CHECK(dynamic["derived"]["hierarchy"]["flushed_bytes"] == 0);
  CHECK(dynamic["derived"]["hierarchy"]["smd_flushed_bytes"] == 0);
  // The result array, which is a third of the data, and is in the SMDs.
  const std::uint64_t bytes = flush["footprint_bytes"].get<std::uint64_t>() / 3;
  CHECK(flush["derived"]["hierarchy"]["smd_flushed_bytes"] == bytes);
  CHECK(dynamic["modules"]["system.gpu0.cpu0"]["synchronised_loads"] == bytes / 4096);
  CHECK(dynamic["modules"]["system.gpu0.cpu0"]["loads"] == 0);
  // The stacks hold everything (section 5.1).
  CHECK(flush["derived"]["hierarchy"]["smd_replacements"] == 0);
}

TEST_CASE("DRAM utilisation covers the CPU's accesses between the kernels") {
  const auto r =
      nlohmann::json::parse(document("umh-1-small", "mersennetwister", ValueMode::kFunctional));
  const auto& d = r["derived"];
  // The CPU loads 1 MB, at most at the rate of both channels.
  CHECK(d["host_access_ns"].get<double>() > 1048576 / d["peak_gb_per_s"]["dram"].get<double>());
  const double ns = r["time_ns"].get<double>() + d["host_access_ns"].get<double>();
  const double peak = d["peak_gb_per_s"]["dram"].get<double>() * ns;
  CHECK(d["dram_utilisation"].get<double>() ==
        Approx(d["dram_bytes"].get<double>() / peak).epsilon(1e-9));
  CHECK(d["dram_utilisation"].get<double>() < 1);
  const auto copied =
      nlohmann::json::parse(document("memcpy-1-small", "mersennetwister", ValueMode::kFunctional));
  CHECK(copied["derived"]["host_access_ns"] == 0);
}

TEST_CASE("a hierarchy has a peak of its stacks, and none of LLC slices") {
  const auto derived = [](const std::string& preset) {
    return nlohmann::json::parse(document(preset, "vecadd", ValueMode::kFunctional))["derived"];
  };
  // Two stacks a GPU, 32 bytes at 1.2 GHz.
  for (const auto& [preset, gb_per_s] : std::map<std::string, double>{
           {"umh-1-small", 76.8}, {"umh-4-small", 307.2}, {"memcpy-4-small", 307.2}}) {
    INFO(preset);
    const auto d = derived(preset);
    CHECK(d["peak_gb_per_s"]["stacks"].get<double>() == Approx(gb_per_s));
    CHECK_FALSE(d["peak_gb_per_s"].contains("llc"));
    CHECK(d["llc_hit_rate"].is_null());
  }
  CHECK_FALSE(derived("zero-copy-1-small")["peak_gb_per_s"].contains("stacks"));
}

TEST_CASE("each dirty byte reaches the host's memory once, also where two GPUs flush one block") {
  // Each line of the result is stored by one CTA. Four GPUs share its secondary blocks.
  const RunResult r = verify_carried("umh-4-small", "vecadd", {"umh.stack_bytes=16777216"});
  std::uint64_t written = 0;
  for (const char* hmd : {"system.hmd0", "system.hmd1"}) {
    written += r.stats["modules"][hmd]["memory_lines_written"].get<std::uint64_t>();
  }
  const std::uint64_t bytes = r.stats["footprint_bytes"].get<std::uint64_t>() / 3;
  CHECK(written * 64 == bytes);
  CHECK(r.stats["derived"]["hierarchy"]["smd_flushed_bytes"].get<std::uint64_t>() <= bytes);
}

TEST_CASE("after memcpy, the host has its first results when the copy ends") {
  const auto d = nlohmann::json::parse(document("memcpy-1-small", "vecadd", ValueMode::kCarried));
  const auto& copies = d["modules"]["copy_engine"];
  CHECK(d["derived"]["first_read_ns"].get<double>() >= copies["to_host_ns"].get<double>());
  CHECK(d["derived"]["copied_back_bytes"] == copies["bytes_to_host"]);
}

TEST_CASE("an L1 reaches the L2 of its partition without the partition link") {
  const auto run = [](const std::vector<std::string>& sets) {
    std::vector<std::string> all = {"umh.partitioned=true", "dispatch.scheduler=distributed"};
    all.insert(all.end(), sets.begin(), sets.end());
    return nlohmann::json::parse(document("umh-1-small", "vecadd", ValueMode::kCarried, all));
  };
  // An SM has a part of each array to itself, in whole pages. Each page is placed in the partition
  // of the SM that touches it first.
  const auto nuba = run({"system.channels=2", "system.address_map=fixed-channel",
                         "system.page_placement=first-touch"});
  const auto interleaved = run({});
  CHECK(nuba["derived"]["hierarchy"]["remote_request_fraction"] == 0.0);
  CHECK(nuba["modules"]["system.gpu0.partition_link"]["bandwidth"]["total"] == 0);
  CHECK(interleaved["derived"]["hierarchy"]["remote_request_fraction"] == 0.5);
}

TEST_CASE("a faster link shortens the run") {
  const auto pcie = nlohmann::json::parse(document("umh-2-small", "vecadd", ValueMode::kCarried));
  const auto nvlink = nlohmann::json::parse(
      document("umh-2-small", "vecadd", ValueMode::kCarried, {"umh.link.bytes_per_cycle=80"}));
  CHECK(nvlink["cycles"] < pcie["cycles"]);
}

TEST_CASE("zero-copy fetches lines, and fetches them again when the L2 has evicted them") {
  const auto run = [](const std::string& platform) {
    return nlohmann::json::parse(document(platform, "mm", ValueMode::kCarried));
  };
  const auto zero_copy = run("zero-copy-1-small");
  const auto umh = run("umh-1-small");
  const auto& link = zero_copy["modules"]["system.gpu0.host_link"];
  CHECK(link["bytes_grant"].get<std::uint64_t>() ==
        link["messages_grant"].get<std::uint64_t>() * (8 + 64));
  CHECK(umh["cycles"] < zero_copy["cycles"]);
}

TEST_CASE("what a coherent hierarchy cannot be is refused with a reason") {
  const auto refusal = [](const std::vector<std::string>& sets,
                          const std::string& platform = "umh-2") -> std::string {
    try {
      resolve_config(platform, sets);
    } catch (const InputError& e) {
      return e.what();
    }
    return {};
  };
  CHECK(refusal({"system.line_bytes=128"}).find("needs system.line_bytes of 64") !=
        std::string::npos);
  CHECK(refusal({"umh.block_bytes=8192"}).find("must go to the host's channels in turn") !=
        std::string::npos);
  CHECK(refusal({"umh.gpu_memory=false"}).find("umh.block_bytes must be 64") != std::string::npos);
  CHECK(refusal({"umh.cpu.cores=0", "umh.synchronisation=dynamic"}).find("needs umh.cpu.cores") !=
        std::string::npos);
  for (const char* stacks : {"umh.stacks=3", "umh.stacks=12"}) {
    CHECK(refusal({"umh.partitioned=true", stacks}).find("an equal part") != std::string::npos);
  }
  CHECK(refusal({"umh.partitioned=true", "umh.stacks=8"}, "umh-2-small").find("an equal part") !=
        std::string::npos);
  CHECK(refusal({"umh.partitioned=true", "system.address_map=fixed-channel"})
            .find("system.channels equal to umh.stacks") != std::string::npos);
  CHECK(refusal({"umh.mask_granularity=3"}).find("power of two from 1 to 4") != std::string::npos);
  CHECK(refusal({"system.modules=2"}).find("system.modules") != std::string::npos);
  CHECK(refusal({"migration.policy=griffin"}).find("migration.policy") != std::string::npos);
  CHECK(refusal({"system.channels=4"}, "memcpy-2").find("system.gpus x umh.stacks") !=
        std::string::npos);
  CHECK(refusal({"umh.block_bytes=4096"}, "memcpy-2").find("must go to its stacks in turn") !=
        std::string::npos);
  CHECK(refusal({"system.transfer=coalesced"}).find("system.transfer") != std::string::npos);
  CHECK(refusal({"host.copies=memcpy"}).find("host.copies needs GPUs") != std::string::npos);
  CHECK(refusal({}).empty());
}

}  // namespace tessera::unified_hierarchy_test
