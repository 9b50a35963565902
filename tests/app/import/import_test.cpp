// SPDX-License-Identifier: Apache-2.0
#include "app/import/import.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "app/import/cache_ways.h"
#include "app/import/options.h"
#include "app/import/report.h"
#include "common/error.h"
#include "common/json.h"
#include "platforms/simulation.h"

namespace tessera::import {

namespace {

using Catch::Matchers::Contains;
using nlohmann::ordered_json;

/// A GPU of our own: 3 clusters of 2 SMs, 4 channels of 2 slices.
const char* const kFile =
    "-gpgpu_n_clusters 3\n"
    "-gpgpu_n_cores_per_cluster 2\n"
    "-gpgpu_n_mem 4\n"
    "-gpgpu_n_sub_partition_per_mchannel 2\n"
    "-gpgpu_clock_domains 1000.0:2000.0:500.0:800.5\n"
    "-gpgpu_shader_core_pipeline 1024:32\n"
    "-gpgpu_shader_cta 16\n"
    "-gpgpu_shader_registers 32768\n"
    "-gpgpu_shmem_size 49152\n"
    "-gpgpu_smem_latency 22\n"
    "-gpgpu_shmem_num_banks 16\n"
    "-gpgpu_num_sched_per_core 2\n"
    "-gpgpu_scheduler lrr\n"
    "-gpgpu_num_sp_units 1\n"
    "-gpgpu_num_int_units 2\n"
    "-gpgpu_num_sfu_units 2\n"
    "-ptx_opcode_latency_int 7,8,9,10,11\n"
    "-ptx_opcode_initiation_int 1,2,3,4,5\n"
    "-ptx_opcode_latency_fp 6,13,4,5,39\n"
    "-ptx_opcode_initiation_fp 2,3,4,5,6\n"
    "-ptx_opcode_latency_dp 12,19,8,8,330\n"
    "-ptx_opcode_initiation_dp 5,16,8,8,130\n"
    "-ptx_opcode_latency_sfu 21\n"
    "-ptx_opcode_initiation_sfu 8\n"
    "-gpgpu_cache:dl1 N:16:128:6,L:T:f:N:L,A:96:12,10\n"
    "-gpgpu_l1_latency 33\n"
    "-gpgpu_cache:dl2 N:24:128:16,L:B:m:L:L,A:80:5,6\n"
    "-gpgpu_l2_rop_latency 101\n"
    "-gpgpu_dram_partition_queues 9:11:13:15\n"
    "-network_mode 2\n"
    "-icnt_flit_size 32\n"
    "-icnt_in_buffer_limit 40\n"
    "-icnt_out_buffer_limit 50\n"
    "-gpgpu_n_mem_per_ctrlr 2\n"
    "-gpgpu_dram_buswidth 4\n"
    "-gpgpu_dram_burst_length 8\n"
    "-dram_data_command_freq_ratio 4\n"
    "-gpgpu_dram_timing_opt \"nbk=8:CCD=2:RRD=5:RCD=13:RAS=29:RP=11:RC=41:\n"
    "                        CL=14:WL=3:CDLR=6:WR=15:nbkgrp=2:CCDL=2:RTPL=4\"\n"
    "-dram_latency 90\n"
    "-gpgpu_dram_scheduler 1\n"
    "-gpgpu_frfcfs_dram_sched_queue_size 24\n"
    "-dram_seperate_write_queue_enable 1\n"
    "-dram_write_queue_size 16:14:7\n"
    "-gpgpu_mem_addr_mapping "
    "dramid@9;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RRBBBCCC.CCCSSSSS\n"
    "-gpgpu_memory_partition_indexing 0\n"
    "-gpgpu_kernel_launch_latency 700\n"
    "-gpgpu_max_concurrent_kernel 8\n";

Import import_with(const std::string& more) {
  return import_text(std::string(kFile) + more, "my.config");
}

/// The line of an option that is appended to kFile.
constexpr unsigned kNextLine = 49;

void check_refused(const std::string& more, const std::string& message) {
  CAPTURE(more);
  CHECK_THROWS_WITH(import_with(more), message);
  CHECK_THROWS_AS(import_with(more), InputError);
}

std::string value_in(const Import& imported, const std::string& parameter) {
  for (const Setting& s : imported.settings) {
    if (s.parameter != parameter) continue;
    return std::visit([](const auto& v) { return nlohmann::json(v).dump(); }, s.value);
  }
  return "none";
}

/// "part: why" of an option's remarks.
std::set<std::string> remarks_of(const std::vector<RemarkedOption>& all, const std::string& name) {
  std::set<std::string> out;
  for (const RemarkedOption& r : all) {
    if (r.option.name == name) out.insert((r.part.empty() ? "" : r.part + ": ") + r.text);
  }
  return out;
}

std::set<std::string> names_of(const std::vector<RemarkedOption>& all) {
  std::set<std::string> out;
  for (const RemarkedOption& r : all) out.insert(r.option.name);
  return out;
}

}  // namespace

TEST_CASE("every option with a counterpart is converted with its unit") {
  const Import imported = import_with("");
  const ordered_json expected = ordered_json::parse(R"({
    "base": "uba-mem",
    "description": "imported from the GPGPU-Sim configuration my.config",
    "system": {"topology": "uba-mem", "sms": 6, "channels": 4, "slices_per_channel": 2,
               "line_bytes": 128, "address_map": "gpu-interleave"},
    "address_map": {"gpu-interleave": {"interleave_bytes": 512}},
    "sm": {"clock_hz": 1000000000, "max_warps": 32, "max_threads": 1024, "max_ctas": 16,
           "registers": 32768, "shared_bytes": 49152, "schedulers": 2, "warp_scheduler": "lrr",
           "alu_latency": 6, "alu_interval": 4, "int_mul_latency": 9, "int_mul_interval": 3,
           "fp64_latency": 12, "fp64_interval": 5, "sfu_latency": 21, "sfu_interval": 8,
           "shared_latency": 22, "shared_banks": 16, "ideal_translation": true},
    "l1": {"clock_hz": 1000000000, "sets": 16, "ways": 6, "latency_cycles": 33,
           "mshr_entries": 96, "mshr_targets": 12, "miss_queue_depth": 10,
           "reserve_frames": false},
    "noc": {"clock_hz": 2000000000, "radix": 8, "link_bytes": 32, "stage_latency": 1,
            "input_buffer_flits": 40, "output_buffer_flits": 50},
    "llc": {"clock_hz": 500000000, "sets": 24, "ways": 16, "latency_cycles": 51,
            "mshr_entries": 80, "mshr_targets": 5, "queue_depth": 9, "memory_queue_depth": 17,
            "response_queue_depth": 15},
    "dram": {"clock_hz": 800500000, "banks": 8, "bank_groups": 2, "row_bytes": 2048,
             "bus_bytes_per_clock": 32, "burst_clocks": 2, "queue_entries": 40,
             "pipeline_clocks": 72, "t_rc": 41, "t_rcd": 13, "t_rp": 11, "t_cl": 14, "t_wl": 3,
             "t_ras": 29, "t_rrd_l": 5, "t_rrd_s": 5, "t_faw": 20, "t_rtp": 4, "t_ccd_l": 2,
             "t_ccd_s": 2, "t_wtr_l": 6, "t_wtr_s": 6, "t_wr": 15, "t_rtw": 2, "refresh": false,
             "scheduler": "fr-fcfs"},
    "dram_scheduler": {"fr-fcfs": {"write_drain_high": 14, "write_drain_low": 7}},
    "dispatch": {"clock_hz": 1000000000, "scheduler": "round-robin", "queues": 8,
                 "launch_cycles": 700}})");
  CHECK(imported.preset().dump(1) == expected.dump(1));
  CHECK(imported.mapped.size() == 47);
  CHECK(imported.built_in.empty());
  CHECK(imported.none.empty());
  CHECK(imported.unknown.empty());
}

TEST_CASE("a file of one option takes GPGPU-Sim's values, and names them") {
  const Import imported = import_text("-gpgpu_n_clusters 4\n", "my.config");
  CHECK(value_in(imported, "system.sms") == "12");           // of 3 cores each
  CHECK(value_in(imported, "llc.latency_cycles") == "340");  // 85 core cycles, clocks of 1:4
  CHECK(value_in(imported, "dram.burst_clocks") == "2");
  CHECK(value_in(imported, "l1.sets") == "none");
  std::map<std::string, std::string> of_gpgpusim;
  std::map<std::string, std::string> kept;
  std::set<std::string> chosen;
  for (const DefaultValue& d : imported.defaults) {
    if (d.source == DefaultValue::Source::kGpgpuSim) of_gpgpusim[d.option] = d.value;
    if (d.source == DefaultValue::Source::kTessera) kept[d.settings.at(0).parameter] = d.why;
    if (d.source == DefaultValue::Source::kImporter) chosen.insert(d.settings.at(0).parameter);
  }
  CHECK(of_gpgpusim.at("-gpgpu_n_cores_per_cluster") == "3");
  CHECK(of_gpgpusim.at("-gpgpu_clock_domains") == "500.0:2000.0:2000.0:2000.0");
  CHECK(of_gpgpusim.count("-gpgpu_n_clusters") == 0);
  CHECK(of_gpgpusim.count("-dram_write_queue_size") == 0);  // without effect
  CHECK(kept.at("l1.sets") == "an SM of Tessera has an L1");
  CHECK(kept.at("l1.latency_cycles") == "the file has no -gpgpu_l1_latency");
  CHECK(kept.at("dram.row_bytes") == "the file has no -gpgpu_mem_addr_mapping");
  CHECK(chosen == std::set<std::string>{"system.topology", "sm.ideal_translation", "dram.refresh",
                                        "dispatch.scheduler"});
}

TEST_CASE("each given option is in exactly one list") {
  std::string text;
  for (const OptionRow& row : option_rows()) {
    if (row.treatment == Treatment::kNone) text += std::string(row.name) + " 3\n";
    if (row.treatment == Treatment::kBuiltIn) {
      text += std::string(row.name) + " " + row.value + "\n";
    }
  }
  const Import imported = import_with(text + "-my_own x\n-gpgpu_n_clusterz 2\n-smem_latency 3\n");
  std::multiset<std::string> listed;
  for (const MappedOption& m : imported.mapped) listed.insert(m.option.name);
  for (const auto* list : {&imported.built_in, &imported.none, &imported.unknown}) {
    for (const RemarkedOption& r : *list) listed.insert(r.option.name);
  }
  std::multiset<std::string> expected = {"-my_own", "-gpgpu_n_clusterz", "-smem_latency"};
  for (const OptionRow& row : option_rows()) {
    const bool given = row.treatment != Treatment::kRefused &&
                       (row.treatment != Treatment::kMapped ||
                        std::string(kFile).find(std::string(row.name) + " ") != std::string::npos);
    if (given) expected.insert(row.name);
  }
  CHECK(listed == expected);
  CHECK(imported.mapped.size() == 47);
  REQUIRE(imported.unknown.size() == 3);
  CHECK(imported.unknown[0].text.empty());
  CHECK(imported.unknown[1].text == "-gpgpu_n_clusters");
  CHECK(imported.unknown[2].text == "-gpgpu_smem_latency");
  for (const RemarkedOption& r : imported.none) {
    CAPTURE(r.option.name);
    CHECK_FALSE(r.text.empty());
  }
}

TEST_CASE("the tables agree: mapped options are those that rules read") {
  std::set<std::string> mapped;
  for (const OptionRow& row : option_rows()) {
    if (row.treatment == Treatment::kMapped) mapped.insert(row.name);
    if (row.treatment != Treatment::kMapped) CHECK(std::string(row.text) != "");
  }
  std::set<std::string> named;
  std::set<std::string> parameters;
  for (const Rule& rule : rules()) {
    named.insert(rule.options.begin(), rule.options.end());
    CHECK(parameters.insert(rule.parameter).second);
    CHECK(rule.options.empty() == (std::string(rule.why) != ""));
  }
  CHECK(named == mapped);
  for (const RemarkRule& rule : remark_rules()) CHECK(mapped.count(rule.option) == 1);

  std::vector<GivenOption> given;
  for (const OptionRow& row : option_rows()) {
    if (row.treatment != Treatment::kMapped || *row.value == '\0') continue;
    given.push_back({row.name, row.value, 1});
  }
  given.push_back({"-gpgpu_l1_latency", "20", 1});
  given.push_back({"-gpgpu_mem_addr_mapping", std::string("dramid@8;") + std::string(64, 'C'), 1});
  const OptionValues values("my.config", given, {});
  for (const Rule& rule : rules()) {
    values.take_read();
    rule.value(values);
    const std::set<std::string> declared(rule.options.begin(), rule.options.end());
    for (const std::string& option : values.take_read()) {
      CAPTURE(rule.parameter, option);
      CHECK(declared.count(option) == 1);
    }
  }
}

TEST_CASE("limits of the importer are those of the parameters") {
  const ResolvedConfig config = resolve_config(kBase, {});
  std::map<std::string, double> most;
  for (const ListedParameter& p : config.parameters()) most[p.info.name] = p.info.max;
  CHECK(most.at("l1.ways") == kMostWays);
  CHECK(most.at("llc.ways") == kMostWays);
  CHECK(most.at("l1.sets") == kMostSets);
  CHECK(most.at("dispatch.queues") == 32);
  CHECK(most.at("noc.radix") == 64);
  CHECK(most.at("dram.queue_entries") == 4096);
  for (const Rule& rule : rules()) CHECK(most.count(rule.parameter) == 1);
}

TEST_CASE("the last of several options counts, and the others are named") {
  const Import imported = import_with("-gpgpu_n_clusters 5\n-gpgpu_n_clusters 4\n");
  CHECK(value_in(imported, "system.sms") == "8");
  REQUIRE(imported.repeated.size() == 1);
  CHECK(imported.repeated[0].used.value == "4");
  CHECK(imported.repeated[0].used.line == kNextLine + 1);
  CHECK(imported.repeated[0].ignored_lines == std::vector<unsigned>{1, kNextLine});
  CHECK(imported.mapped.size() == 47);
}

TEST_CASE("what an option is replaced by, or lacks, is remarked") {
  const Import imported = import_with(
      "-gpgpu_n_clusters 40\n"
      "-gpgpu_cache:dl1 S:4:128:96,F:L:s:L:H,S:96:12,10:0,32\n"
      "-gpgpu_frfcfs_dram_sched_queue_size 0\n"
      "-gpgpu_memory_partition_indexing 2\n"
      "-gpgpu_max_concurrent_kernel 128\n"
      "-dram_elimnate_rw_turnaround\n");
  CHECK(value_in(imported, "l1.sets") == "8");
  CHECK(value_in(imported, "l1.ways") == "48");
  CHECK(value_in(imported, "noc.radix") == "64");
  CHECK(value_in(imported, "dram.queue_entries") == "4096");
  CHECK(value_in(imported, "system.address_map") == "\"pae\"");
  CHECK(value_in(imported, "address_map.gpu-interleave.interleave_bytes") == "none");
  CHECK(value_in(imported, "dispatch.queues") == "32");
  CHECK(value_in(imported, "dram.t_rtw") == "0");
  CHECK(value_in(imported, "dram.t_wtr_l") == "0");
  using Texts = std::set<std::string>;
  CHECK(remarks_of(imported.adjusted, "-gpgpu_n_clusters") ==
        Texts{"the crossbar of 80 x 8 ports has two stages: a switch has at most 64 ports"});
  CHECK(remarks_of(imported.adjusted, "-gpgpu_cache:dl1") ==
        Texts{"4 sets of 96 ways become 8 sets of 48 ways, of the same capacity: a set has at most "
              "64 ways"});
  CHECK(names_of(imported.adjusted) ==
        Texts{"-gpgpu_n_clusters", "-gpgpu_cache:dl1", "-gpgpu_frfcfs_dram_sched_queue_size",
              "-gpgpu_memory_partition_indexing", "-gpgpu_max_concurrent_kernel",
              "-dram_elimnate_rw_turnaround"});
  CHECK(remarks_of(imported.parts, "-gpgpu_cache:dl1") ==
        Texts{"type S: whole lines are fetched and filled",
              "replacement F: there is no FIFO; least recently used lines are evicted",
              "write policy L: the L1 is written through",
              "allocation s: streaming: ways are taken when lines come, as of allocation f",
              "write allocation L: a store to the L1 allocates no line",
              "set index H: a line's number modulo the sets is its set",
              "MSHR type S: an MSHR entry is of a line, and found by its address",
              "result queue and port width 0,32: a hit occupies the cache for one cycle"});
  CHECK(remarks_of(imported.parts, "-gpgpu_n_cores_per_cluster") ==
        Texts{"one port of the network for the SMs of a cluster: each SM has a port"});
  CHECK(remarks_of(imported.parts, "-gpgpu_mem_addr_mapping") ==
        Texts{"order of row, bank and column bits: the address map has an order of its own",
              "channel from bit 9: address map pae keeps 256 bytes together"});
}

TEST_CASE("channels whose number is no power of two take turns without a hash") {
  const Import imported = import_with("-gpgpu_n_mem 3\n-gpgpu_memory_partition_indexing 2\n");
  CHECK(value_in(imported, "system.address_map") == "\"gpu-interleave\"");
  CHECK(value_in(imported, "address_map.gpu-interleave.interleave_bytes") == "512");
  CHECK(remarks_of(imported.parts, "-gpgpu_memory_partition_indexing").size() == 1);
}

TEST_CASE("options that others switch off have no counterpart, with the reason") {
  const Import imported = import_with(
      "-dram_seperate_write_queue_enable 0\n-network_mode 1\n-inter_config_file my.icnt\n"
      "-gpgpu_cache:dl1 none\n-gpgpu_scheduler two_level_active:6:0:1\n");
  CHECK(value_in(imported, "dram.queue_entries") == "24");
  CHECK(value_in(imported, "dram_scheduler.fr-fcfs.write_drain_high") == "12");
  CHECK(value_in(imported, "dram_scheduler.fr-fcfs.write_drain_low") == "6");
  CHECK(value_in(imported, "noc.stage_latency") == "none");
  std::map<std::string, std::string> none;
  for (const RemarkedOption& r : imported.none) none[r.option.name] = r.text;
  CHECK(none ==
        std::map<std::string, std::string>{
            {"-dram_write_queue_size",
             "there is no write queue without -dram_seperate_write_queue_enable"},
            {"-network_mode",
             "BookSim's network is described by the file of -inter_config_file, which is "
             "not read: a crossbar is used"},
            {"-inter_config_file", "the file of BookSim's network is not read"},
            {"-icnt_in_buffer_limit", "-network_mode selects BookSim, not the built-in crossbar"},
            {"-icnt_out_buffer_limit", "-network_mode selects BookSim, not the built-in crossbar"},
            {"-gpgpu_scheduler", "warp schedulers are gto and lrr; gto is used"}});
}

TEST_CASE("an option that describes Tessera is not without counterpart, with another value it is") {
  const Import same = import_with("-gpgpu_simd_model 1\n-gpgpu_perfect_mem 0\n");
  CHECK(names_of(same.built_in) ==
        std::set<std::string>{"-gpgpu_simd_model", "-gpgpu_perfect_mem"});
  const Import other = import_with("-gpgpu_simd_model 2\n-gpgpu_perfect_mem 1\n");
  CHECK(other.built_in.empty());
  CHECK(names_of(other.none) == std::set<std::string>{"-gpgpu_simd_model", "-gpgpu_perfect_mem"});
}

TEST_CASE("values out of a parameter's range are refused with option, file and line") {
  check_refused("-gpgpu_shader_cta 65\n",
                "my.config:49: -gpgpu_shader_cta 65: sm.max_ctas: 65 is not a whole number from 1 "
                "to 64 CTA");
  check_refused("-gpgpu_cache:dl1 N:4:128:97,L:T:m:N:L,A:1:1,1\n",
                "my.config:49: -gpgpu_cache:dl1 N:4:128:97,L:T:m:N:L,A:1:1,1: l1.ways: 97 is not a "
                "whole number from 1 to 64 ways");
  check_refused("-gpgpu_n_clusters 600\n",
                "my.config:49: -gpgpu_n_clusters 600; my.config:2: -gpgpu_n_cores_per_cluster 2: "
                "system.sms: 1200 is not a whole number from 1 to 1024 SM");
}

TEST_CASE("values that contradict each other are refused with their options") {
  CHECK_THROWS_WITH(
      import_with("-gpgpu_dram_timing_opt 8:2:5:30:29:11:41:14:3:6:15:2:2:4\n"),
      Contains("my.config:49: -gpgpu_dram_timing_opt 8:2:5:30:29:11:41:14:3:6:15:2:2:4: dram.t_ras "
               "(29) must not be less than t_rcd (30)"));
  CHECK_THROWS_WITH(
      import_with("-gpgpu_cache:dl2 N:24:64:16,L:B:m:L:L,A:80:5,6\n"),
      Contains("my.config:49: -gpgpu_cache:dl2 N:24:64:16,L:B:m:L:L,A:80:5,6: lines of "
               "64 bytes, but those of the L1 have 128"));
  CHECK_THROWS_WITH(import_with("-gpgpu_n_sub_partition_per_mchannel 3\n"),
                    Contains("my.config:49: -gpgpu_n_sub_partition_per_mchannel 3: ") &&
                        Contains("slices_per_channel is 3; expected a power of two"));
  CHECK_THROWS_WITH(import_with("-icnt_in_buffer_limit 2\n"),
                    Contains("-icnt_in_buffer_limit 2") && Contains("input_buffer_flits is 2"));
}

TEST_CASE("values of a wrong form are refused with option, file and line") {
  check_refused("-gpgpu_shader_core_pipeline 1024:64\n",
                "my.config:49: -gpgpu_shader_core_pipeline 1024:64: a warp has 32 threads in "
                "Tessera, not 64");
  check_refused("-gpgpu_shader_core_pipeline 1000:32\n",
                "my.config:49: -gpgpu_shader_core_pipeline 1000:32: expected whole warps of 32 "
                "threads");
  check_refused("-gpgpu_n_mem many\n",
                "my.config:49: -gpgpu_n_mem many: 'many' is not a whole number");
  check_refused("-gpgpu_dram_scheduler 2\n",
                "my.config:49: -gpgpu_dram_scheduler 2: expected 0 (FIFO) or 1 (FR-FCFS)");
  check_refused("-gpgpu_cache:dl2 N:24:128:16,L:B:m:L:Q,A:80:5,6\n",
                "my.config:49: -gpgpu_cache:dl2 N:24:128:16,L:B:m:L:Q,A:80:5,6: set index 'Q' is "
                "none of L, H, P, C, X");
  check_refused("-gpgpu_num_sp_units 0\n",
                "my.config:49: -gpgpu_num_sp_units 0: no unit executes these instructions");
  check_refused("-config other.config\n",
                "my.config:49: -config: files that a file includes are not read: join them, and "
                "import the result");
  CHECK_THROWS_WITH(import_text("# nothing\n", "my.config"),
                    "my.config: no options, as a gpgpusim.config has");
}

TEST_CASE("the report has a line for each option, part and default") {
  const std::string text =
      report_text(import_with("-gpgpu_simd_model 1\n-my_own\n-gpgpu_n_mem 4\n"));
  const auto has = [&](const std::string& line) {
    CHECK_THAT("\n" + text, Contains("\n" + line + "\n"));
  };
  has("my.config: 47 options mapped, 1 as Tessera works, 0 without counterpart, 1 unknown");
  has("mapped: -gpgpu_n_sub_partition_per_mchannel 2: system.slices_per_channel = 2, noc.radix = "
      "8");
  has("mapped: -gpgpu_scheduler lrr: sm.warp_scheduler = lrr");
  has("as Tessera works: -gpgpu_simd_model 1 (diverged warps reconverge at immediate "
      "post-dominators)");
  has("part without counterpart: -gpgpu_dram_partition_queues 9:11:13:15: queue d2$ 13 (a response "
      "waits in its entry of the channel's queue)");
  has("unknown option: -my_own");
  has("given again: -gpgpu_n_mem 4 (line 51 counts; not line 3)");
  has("default: sm.ideal_translation = true (the importer's: GPGPU-Sim has no TLBs)");
  has("default: -gpgpu_num_dp_units 0 (GPGPU-Sim's): sm.fp64_interval = 5");
  has("default: all other parameters are those of uba-mem");
}

TEST_CASE("the document has the same as the report, and the preset") {
  const Import imported = import_with("-gpgpu_stack_size_limit 1024\n");
  const ordered_json d = report_document(imported);
  CHECK(d.at("file") == "my.config");
  CHECK(d.at("preset") == imported.preset());
  CHECK(d.at("mapped").size() == 47);
  CHECK(d.at("mapped").at(0).dump() ==
        R"({"option":"-gpgpu_n_clusters","value":"3","line":1,"parameters":{"system.sms":6,)"
        R"("noc.radix":8}})");
  CHECK(d.at("no_counterpart").dump() ==
        R"([{"option":"-gpgpu_stack_size_limit","value":"1024","line":49,"why":"the suite's )"
        R"(kernels use no such stack, heap or launch"}])");
  CHECK(d.at("defaults").at(0).dump() ==
        R"({"source":"importer","parameters":{"system.topology":"uba-mem"},"why":"GPGPU-Sim's )"
        R"(LLC is at the memory"})");
}

}  // namespace tessera::import
