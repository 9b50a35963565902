// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "common/error.h"
#include "common/json.h"
#include "platforms/raw_bandwidths.h"
#include "platforms/simulation.h"
#include "tests/support/temporary_file.h"

namespace tessera::configuration_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

TEST_CASE("uba-mem is NUBA's Table 1") {
  const GpuConfig c = resolve_config("uba-mem", {}).gpu;
  CHECK(c.system.sms == 64);
  CHECK(c.system.channels == 32);
  CHECK(c.system.slices() == 64);
  CHECK(c.sm.clock_hz == 1'400'000'000);
  CHECK(c.sm.max_threads == 2048);
  CHECK(c.sm.max_warps == 64);
  CHECK(c.sm.schedulers == 2);
  CHECK(c.sm.shared_bytes == 96 * 1024);
  CHECK(c.sm.tlb_entries == 128);
  CHECK(std::uint64_t{c.l1.sets} * c.l1.ways * c.l1.line_bytes == 48 * 1024);
  CHECK(c.l1.mshr_entries == 128);
  CHECK(std::uint64_t{c.llc.sets} * c.llc.ways * c.llc.line_bytes * c.system.slices() ==
        std::uint64_t{6} << 20);
  CHECK(c.llc.latency_cycles == 120);
  CHECK(c.l2_tlb.entries == 512);
  CHECK(c.l2_tlb.latency_cycles == 10);
  CHECK(c.walker.concurrent_walks == 64);
  CHECK(c.noc.bandwidth(64) == Approx(1.4336e12));
  CHECK(c.noc.radix == 8);
  CHECK(c.dram.clock_hz == 350'000'000);
  CHECK(c.dram.queue_entries == 64);
  CHECK(c.dram.banks == 16);
  CHECK(c.dram.t_rc == 24);
  CHECK(c.dram.t_rcd == 7);
  CHECK(c.dram.t_rp == 7);
  CHECK(c.dram.t_cl == 7);
  CHECK(c.dram.t_wl == 2);
  CHECK(c.dram.t_ras == 17);
  CHECK(c.dram.t_rrd_l == 5);
  CHECK(c.dram.t_rrd_s == 4);
  CHECK(c.dram.t_faw == 20);
  CHECK(c.dram.t_rtp == 7);
  CHECK(c.dram.t_ccd_l == 1);
  CHECK(c.dram.t_ccd_s == 1);
  CHECK(c.dram.t_wtr_l == 4);
  CHECK(c.dram.t_wtr_s == 2);
  const double dram = static_cast<double>(c.dram.clock_hz) * c.dram.bus_bytes_per_clock * 32;
  CHECK(dram == Approx(720e9).epsilon(0.01));
}

TEST_CASE("MDR compares what slices, channels and the network between partitions can carry") {
  const auto raw = [](const char* preset, const std::vector<std::string>& sets) {
    return raw_bandwidths(resolve_config(preset, sets).gpu);
  };
  // 64 slices behind links of 32 B, 32 channels of 64 B, 64 ports of 16 B.
  const MdrBandwidths nuba = raw("nuba", {"llc.clock_hz=1300000000", "noc.clock_hz=1100000000"});
  CHECK(nuba.llc == Approx(64 * 32 * 1.4e9));
  CHECK(nuba.memory == Approx(32 * 64 * 350e6));
  CHECK(nuba.noc == Approx(64 * 16 * 1.1e9));
  // Behind wider links, a slice gives a line of 128 B a cycle.
  const MdrBandwidths wide = raw("nuba", {"llc.clock_hz=1300000000", "p2p.link_bytes=256"});
  CHECK(wide.llc == Approx(64 * 128 * 1.3e9));
  // 4 modules of 16 ports of 16 B carry the three quarters of remote accesses that leave a module;
  // planes of 64 B carry more than the modules' own networks do.
  CHECK(raw("mcm-nuba", {}).noc == Approx(4 * 16 * 16 * 1.4e9 * 4 / 3));
  CHECK(raw("mcm-nuba", {"mcm.link_bytes=64"}).noc == Approx(128 * 16 * 1.4e9));
  CHECK(raw("mcm-nuba", {}).llc == Approx(128 * 32 * 1.4e9));
  CHECK(raw("mcm-nuba", {}).memory == Approx(64 * 64 * 350e6));
}

TEST_CASE("a file may build on a preset, and --set wins over both") {
  const TemporaryFile file(R"({"base": "uba-mem-small", "llc": {"sets": 24, "ways": 8}})");
  const GpuConfig c = resolve_config(file.path(), {"llc.ways=4"}).gpu;
  CHECK(c.system.sms == 8);
  CHECK(c.llc.sets == 24);
  CHECK(c.llc.ways == 4);
}

TEST_CASE("what a configuration prints is read back as the same configuration") {
  const ResolvedConfig a = resolve_config("uba-mem", {"llc.sets=96", "sm.warp_scheduler=lrr"});
  const TemporaryFile file(a.to_json().dump(1));
  CHECK(resolve_config(file.path(), {}).to_json() == a.to_json());
}

TEST_CASE("settings of single blocks are printed and read back, to the byte") {
  const ResolvedConfig a =
      resolve_config("nuba-small", {"system.gpu0.llc3.ways=8", "system.gpu0.dram0.banks=8"});
  const std::string text = a.to_json().dump(1);
  const TemporaryFile file(text);
  CHECK(a.to_json()["instances"]["system.gpu0.llc3.ways"] == 8);
  CHECK(resolve_config(file.path(), {}).to_json().dump(1) == text);
  const TemporaryFile list(R"({"base": "nuba-small", "instances": [1]})");
  CHECK_THROWS_WITH(resolve_config(list.path(), {}),
                    Catch::Contains(":1: instances must be an object"));
}

TEST_CASE("a block's setting needs no \"system.\" before its GPU") {
  const auto printed = [](const std::vector<std::string>& sets) {
    return resolve_config("nuba-small", sets).to_json();
  };
  CHECK(printed({"gpu0.llc3.ways=8"}) == printed({"system.gpu0.llc3.ways=8"}));
  CHECK(printed({"gpu0.llc3.impl=tlm"}) == printed({"system.gpu0.llc3.impl=tlm"}));
  const TemporaryFile file(R"({"base": "nuba-small", "gpu0": {"llc3": {"ways": 8}}})");
  CHECK(resolve_config(file.path(), {}).to_json() == printed({"system.gpu0.llc3.ways=8"}));
}

TEST_CASE("numbers with units are read from files and --set, and printed without") {
  const TemporaryFile file(R"({
    // Comments and units are for people.
    "base": "nuba-small",
    "sm": {"clock_hz": "1.2GHz", "shared_bytes": "64K"}, /* as l1 */ "l1": {"clock_hz": "1200MHz"},
    "migration": {"transfer_gb_per_s": "0.5 TB/s"},
    "instances": {"system.gpu0.dram0.clock_hz": "350 MHz"}
  })");
  const ResolvedConfig c =
      resolve_config(file.path(), {"gpu0.llc3.clock_hz=1GHz", "fabric.latency_ns=1us"});
  CHECK(c.gpu.sm.clock_hz == 1'200'000'000);
  CHECK(c.gpu.l1.clock_hz == 1'200'000'000);
  CHECK(c.gpu.sm.shared_bytes == 65'536);
  CHECK(c.gpu.migration.transfer_gb_per_s == 500);
  CHECK(c.gpu.fabric.latency_ns == 1000);
  CHECK(c.to_json()["instances"] ==
        nlohmann::ordered_json({{"system.gpu0.dram0.clock_hz", 350'000'000},
                                {"system.gpu0.llc3.clock_hz", 1'000'000'000}}));
  CHECK(c.settings().dump() ==
        R"({"system.gpu0.llc3.clock_hz":1000000000,"fabric.latency_ns":1000})");
  CHECK_THROWS_WITH(
      resolve_config("nuba-small", {"llc.sets=1K"}),
      "--set: llc.sets: \"1K\" is not a whole number from 1 to 1048576 sets; 'K' is no "
      "suffix of sets");
  // A value like the preset's is none that the file changes.
  const TemporaryFile same(R"({"base": "nuba-small", "sm": {"clock_hz": "1.4GHz"}})");
  CHECK(resolve_config(same.path(), {}).given.empty());
}

TEST_CASE("a group, a block and a part of the system are no parameters") {
  const auto refusal = [](const std::string& set) -> std::string {
    try {
      resolve_config("nuba-small", {set});
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  CHECK_THAT(refusal("llc=4"), Catch::StartsWith("--set: llc: a group of parameters, not one of "
                                                 "them: llc.clock_hz, llc.sets, llc.ways, "));
  CHECK_THAT(refusal("LLC.sets=1"), Catch::EndsWith("did you mean 'llc.sets'?"));
  CHECK_THAT(refusal("System.SMS=8"), Catch::EndsWith("did you mean 'system.sms'?"));
  CHECK(refusal("system.gpu0.llc3=4") ==
        "--set: system.gpu0.llc3: a block, not one of its parameters: system.gpu0.llc3.PARAMETER "
        "expected");
  CHECK(refusal("gpu0=4") ==
        "--set: system.gpu0: a part of the system, not a parameter: "
        "system.gpu0.BLOCK.PARAMETER expected, as system.gpu0.mdr.impl");
  CHECK_THAT(refusal("GPU0.llc3.ways=4"),
             Catch::EndsWith("no such block; did you mean 'system.gpu0.llc3.ways'?"));
}

TEST_CASE("a file of another kind is named as what it is") {
  const TemporaryFile manifest(R"({"name": "x", "arrays": [], "launches": []})");
  CHECK_THROWS_WITH(resolve_config(manifest.path(), {}),
                    manifest.path() + ": expected a platform, found a workload's manifest");
  const TemporaryFile ptx(".version 7.0\n");
  CHECK_THROWS_WITH(resolve_config(ptx.path(), {}),
                    Catch::StartsWith(ptx.path() + ": expected JSON, found PTX"));
}

TEST_CASE("an unknown platform is reported with the nearest, without the list of all") {
  CHECK_THROWS_WITH(resolve_config("uba-mme", {}),
                    "unknown platform 'uba-mme'; did you mean 'uba-mem'? (a preset's name, see "
                    "'tessera list platforms', or the path of a JSON file)");
  CHECK_THROWS_WITH(resolve_config("NUBA", {}), Catch::Contains("did you mean 'nuba'?"));
}

TEST_CASE("a misspelt key of a platform's file is reported with the nearest") {
  const TemporaryFile base(R"({"bas": "uba-mem"})");
  CHECK_THROWS_WITH(resolve_config(base.path(), {}),
                    Catch::Contains(":1: bas: no such key; did you mean 'base'?"));
  const TemporaryFile tree(R"({"base": "uba-mem", "trree": []})");
  CHECK_THROWS_WITH(resolve_config(tree.path(), {}), Catch::Contains("did you mean 'tree'?"));
}

TEST_CASE("a setting that another path has is reported with that path") {
  const auto refusal = [](const std::string& platform, const std::string& set) {
    try {
      resolve_config(platform, {set});
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const auto meant = [](const std::string& path) {
    return Catch::EndsWith("did you mean '" + path + "'?");
  };
  CHECK_THAT(refusal("uba-mem-small", "system.gpu0.walker.levels=3"), meant("walker.levels"));
  CHECK_THAT(refusal("dca-small", "system.walker.levels=3"), meant("walker.levels"));
  CHECK_THAT(refusal("dca-small", "system.gpu1.module0.llc1.ways=8"),
             meant("system.gpu1.llc1.ways"));
  CHECK_THAT(refusal("dca-small", "gpu1.module0.llc1.ways=8"), meant("system.gpu1.llc1.ways"));
  CHECK_THAT(refusal("uba-mem-small", "system.gpu0.llc3.line_bytes=64"),
             meant("system.line_bytes"));
  CHECK_THAT(refusal("uba-mem-small", "page_placement=lab"), meant("system.page_placement"));
  CHECK_THAT(refusal("uba-mem-small", "system.fabric.impl=mine"), meant("impl.fabric"));
}

TEST_CASE("blocks that the GPUs share have an implementation of their own") {
  CHECK(resolve_config("dca-small", {"system.fabric.impl=tlm"}).overrides.size() == 1);
  CHECK_THROWS_WITH(resolve_config("dca-small", {"system.fabric.impl=tml"}),
                    Catch::Contains("did you mean 'tlm'?"));
}

TEST_CASE("mistakes name file, line, path, expectation and the nearest name, all at once") {
  const TemporaryFile file(
      "{\n \"base\": \"uba-mem\",\n \"llc\": {\n  \"setz\": 1,\n"
      "  \"ways\": 0\n }\n}");
  CHECK_THROWS_WITH(resolve_config(file.path(), {}),
                    Catch::Contains(file.path() + ":4: llc.setz: no such parameter; did you mean "
                                                  "'llc.sets'?") &&
                        Catch::Contains(file.path() + ":5: llc.ways: 0 is not a whole number from "
                                                      "1 to 64 ways"));
}

TEST_CASE("malformed JSON names its line") {
  const TemporaryFile file("{\n \"llc\": {\"sets\": }\n}");
  CHECK_THROWS_WITH(resolve_config(file.path(), {}), Catch::Contains(file.path() + ":2"));
}

TEST_CASE("a base that does not exist is refused with its place") {
  const TemporaryFile file("{\n \"base\": \"ubamem\"}");
  CHECK_THROWS_WITH(resolve_config(file.path(), {}),
                    Catch::StartsWith(file.path() + ":2: ") &&
                        Catch::Contains("unknown platform 'ubamem'") &&
                        Catch::Contains("did you mean 'uba-mem'?"));
}

TEST_CASE("a base that leads back is refused") {
  const auto dir = std::filesystem::temp_directory_path();
  const TemporaryFile file("{}");
  std::ofstream(file.path()) << R"({"base": ")" << file.path() << "\"}";
  CHECK_THROWS_WITH(resolve_config(file.path(), {}), Catch::Contains("leads back"));
}

TEST_CASE("an unknown preset is reported with the nearest one") {
  CHECK_THROWS_WITH(resolve_config("uba-men", {}), Catch::Contains("did you mean 'uba-mem'?"));
}

TEST_CASE("an instance's setting is checked like any other") {
  CHECK_THROWS_WITH(resolve_config("uba-mem-small", {"system.gpu0.llc9.sets=1"}),
                    Catch::Contains("no such block"));
  CHECK_THROWS_WITH(resolve_config("uba-mem-small", {"system.gpu0.llc3.setz=1"}),
                    Catch::Contains("no such parameter; did you mean 'sets'?"));
  CHECK(resolve_config("uba-mem-small", {"system.gpu0.llc3.sets=5"}).overrides.size() == 1);
}

TEST_CASE("shapes that do not fit are refused with a reason") {
  CHECK_THROWS_WITH(
      resolve_config("uba-mem", {"system.channels=24", "system.address_map=pae"}),
      Catch::Contains("uba-mem: address map 'pae': channels is 24; expected a power of two"));
  CHECK(resolve_config("uba-mem", {"system.channels=24"}).gpu.system.channels == 24);
  CHECK_THROWS_WITH(resolve_config("uba-mem", {"l1.clock_hz=1000000000"}),
                    Catch::Contains("share a clock"));
}

TEST_CASE("LAB's threshold is a parameter above 0 and at most 1") {
  const auto threshold = [](const std::vector<std::string>& sets) {
    return resolve_config("uba-mem", sets).to_json()["page_placement"]["lab"]["threshold"];
  };
  CHECK(threshold({}) == 0.9);
  CHECK(threshold({"page_placement.lab.threshold=0.8"}) == 0.8);
  CHECK(threshold({"page_placement.lab.threshold=1"}) == 1);
  CHECK_THROWS_WITH(threshold({"system.page_placement=lab", "page_placement.lab.threshold=0"}),
                    Catch::Contains("page_placement.lab.threshold is 0; expected above 0"));
  CHECK_THROWS_WITH(threshold({"page_placement.lab.threshold=1.1"}),
                    Catch::Contains("1.1 is not a number from 0 to 1"));
}

TEST_CASE(
    "a parameter that moved to its policy is reached by its old name, and printed by its new") {
  const auto config = [](const std::vector<std::string>& sets) {
    return resolve_config("uba-mem", sets).to_json();
  };
  // One name for a parameter of two policies each.
  const auto seeded = config({"system.address_map_seed=7", "migration.threshold=5"});
  CHECK(seeded["address_map"]["fixed-channel"]["seed"] == 7);
  CHECK(seeded["address_map"]["pae"]["seed"] == 7);
  CHECK(seeded["page_migration"]["access-counter"]["threshold"] == 5);
  CHECK(seeded["page_migration"]["replication"]["threshold"] == 5);
  CHECK_FALSE(seeded["system"].contains("address_map_seed"));
  CHECK_FALSE(seeded["migration"].contains("threshold"));
  const auto others = config(
      {"system.lab_threshold=0.5", "system.interleave_bytes=256", "migration.home_touch_pins=true",
       "migration.griffin_alpha=0.5", "migration.griffin_dedicated=3", "migration.griffin_idle=1",
       "migration.griffin_touches=4", "decision.remote_threshold=0.1",
       "decision.block_threshold=0.3", "decision.hit_threshold=0.6", "sm.tlb_misses=9"});
  CHECK(others["page_placement"]["lab"]["threshold"] == 0.5);
  CHECK(others["address_map"]["gpu-interleave"]["interleave_bytes"] == 256);
  CHECK(others["page_migration"]["first-touch-migration"]["home_touch_pins"] == true);
  CHECK(others["page_migration"]["griffin"]["alpha"] == 0.5);
  CHECK(others["page_migration"]["griffin"]["dedicated"] == 3);
  CHECK(others["page_migration"]["griffin"]["idle"] == 1);
  CHECK(others["page_migration"]["griffin"]["touches"] == 4);
  CHECK(others["transfer"]["decision-engine"]["remote_threshold"] == 0.1);
  CHECK(others["transfer"]["decision-engine"]["block_threshold"] == 0.3);
  CHECK(others["transfer"]["decision-engine"]["hit_threshold"] == 0.6);
  CHECK(others["sm"]["tlb_mshr_entries"] == 9);
  CHECK_FALSE(others["sm"].contains("tlb_misses"));
}

TEST_CASE("an old name overrides what the preset gives by the new one, and sets one instance") {
  const ResolvedConfig c = resolve_config(
      "multi-gpu-4",
      {"system.interleave_bytes=256", "sm.tlb_misses=2", "system.gpu0.sm0.tlb_misses=1"});
  CHECK(c.to_json()["address_map"]["gpu-interleave"]["interleave_bytes"] == 256);
  CHECK(c.gpu.sm.tlb_mshr_entries == 2);
  CHECK(instance_config(c.gpu.sm, c.overrides, "system.gpu0.sm0").tlb_mshr_entries == 1);
}

TEST_CASE("one source that gives both names of a parameter is refused") {
  CHECK_THROWS_WITH(
      resolve_config("uba-mem", {"system.lab_threshold=0.5", "page_placement.lab.threshold=0.6"}),
      Catch::Contains(
          "--set: system.lab_threshold (0.5) and page_placement.lab.threshold (0.6) are "
          "one parameter: give page_placement.lab.threshold alone"));
  CHECK_THROWS_WITH(
      resolve_config("uba-mem", {"system.lab_threshold=0.5", "page_placement.lab.threshold=0.5"}),
      Catch::Contains("are one parameter"));
}

TEST_CASE("a parameter that is set twice is refused, in all its spellings") {
  const auto refusal = [](const std::vector<std::string>& sets) -> std::string {
    try {
      resolve_config("nuba-small", sets);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  CHECK(refusal({"llc.ways=8", "llc.ways=8"}) ==
        "--set: llc.ways: set here for the second time, to 8; the first is 8");
  CHECK(refusal({"gpu0.llc3.ways=8", "system.gpu0.llc3.ways=4"}) ==
        "--set: system.gpu0.llc3: ways: set here for the second time, to 4; the first is 8");
  CHECK(refusal({"gpu0.llc3.impl=tlm", "system.gpu0.llc3.impl=tlm"}) ==
        "--set: system.gpu0.llc3.impl: set here for the second time, to \"tlm\"; the first is "
        "\"tlm\"");
  // One block's setting is another parameter than that of all blocks of the kind.
  CHECK(refusal({"gpu0.llc3.ways=8", "llc.ways=4"}).empty());
  // A file's setting is overridden.
  const TemporaryFile file(R"({"base": "nuba-small", "llc": {"ways": 8}})");
  CHECK(resolve_config(file.path(), {"llc.ways=4"}).gpu.llc.ways == 4);
  const TemporaryFile both("{\"base\": \"nuba-small\", \"llc\": {\"ways\": 8},\n\"llc.ways\": 8}");
  CHECK_THROWS_WITH(resolve_config(both.path(), {}),
                    both.path() +
                        ":2: llc.ways: set here for the second time, to 8; the first is 8 (" +
                        both.path() + ":1)");
}

TEST_CASE("faults of a mesh are refused with their path, for all networks and for one") {
  const auto refusal = [](const std::string& set,
                          const char* kind = "noc.kind=mesh") -> std::string {
    try {
      resolve_config("uba-mem-small", {kind, set});
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  CHECK(refusal("mesh.vcs=0") == "--set: mesh.vcs: 0 is not a whole number from 1 to 4 VC");
  CHECK(refusal("mesh.width=5") ==
        "uba-mem-small: mesh.width, height: 16 nodes (8 ingress and 8 egress ports) do not fill a "
        "mesh of 5 x 4 routers: 20 nodes expected (concentration is 1); width and height of 0 are "
        "derived from the nodes");
  CHECK(refusal("mesh.placement=1,1,2,3,4,5,6,7") ==
        "uba-mem-small: mesh.placement: router 1 has more than 1 node (concentration is 1)");
  CHECK(refusal("noc.kind=mush", "l1.ways=4") ==
        "--set: noc.kind: 'mush' is not one of crossbar, mesh; did you mean 'mesh'?");
  CHECK(refusal("system.gpu0.noc.width=3") ==
        "--set: system.gpu0.noc: width, height: 16 nodes (8 ingress and 8 egress ports) do not "
        "fill a mesh of 3 x 6 routers: 18 nodes expected (concentration is 1); width and height of "
        "0 are derived from the nodes");
  CHECK(refusal("system.gpu0.noc.vcs=2").empty());
}

}  // namespace tessera::configuration_test
