// SPDX-License-Identifier: Apache-2.0
#include "app/import/rules.h"

#include <algorithm>

#include "app/import/cache_ways.h"
#include "app/import/dram_columns.h"
#include "app/import/option_names.h"
#include "common/bits.h"
#include "platforms/topology_names.h"

namespace tessera::import {

namespace {

using Values = OptionValues;

/// Positions in -gpgpu_clock_domains, and in -gpgpu_dram_partition_queues.
enum Clock : std::size_t { kCoreClock, kNetworkClock, kL2Clock, kDramClock };
enum Queue : std::size_t { kToL2, kToDram, kFromDram, kToNetwork };
/// Positions in -ptx_opcode_*.
enum Operation : std::size_t { kAdd, kMax, kMul, kMad, kDiv };

constexpr std::uint64_t kLanes = 32;
/// Clocks between read data and write data in GPGPU-Sim.
constexpr std::uint64_t kReadToWrite = 2;
/// Most entries of queues in Tessera, which stand for unlimited ones.
constexpr std::uint64_t kMostEntries = 4096;
constexpr std::uint64_t kMostDrained = 32;
constexpr std::uint64_t kMostKernels = 32;
constexpr std::uint64_t kMostPorts = 64;

constexpr std::uint64_t kLocalCrossbar = 2;
constexpr std::uint64_t kFrFcfs = 1;

/// A clock of the caller's domain that GPGPU-Sim counts in core cycles.
std::uint64_t in_clock(const Values& v, std::uint64_t core_cycles, Clock clock) {
  return scaled(core_cycles, v.clock_hz(clock), v.clock_hz(kCoreClock));
}

std::uint64_t sms(const Values& v) {
  return product(v.whole(kClusters), v.whole(kCoresPerCluster));
}
std::uint64_t slices(const Values& v) {
  return product(v.whole(kChannels), v.whole(kSubPartitions));
}

std::uint64_t warps(const Values& v) {
  const std::uint64_t lanes = v.part(kPipeline, ':', 1);
  if (lanes != kLanes)
    v.fail(kPipeline, "a warp has 32 threads in Tessera, not " + std::to_string(lanes));
  const std::uint64_t threads = v.part(kPipeline, ':', 0);
  if (threads % kLanes != 0) v.fail(kPipeline, "expected whole warps of 32 threads");
  return threads / kLanes;
}

/// Cycles between issues of one scheduler to units that the schedulers of an SM share evenly.
std::uint64_t interval(const Values& v, const char* initiation, std::size_t operation,
                       const char* units, const char* other_units) {
  const char* const used = other_units != nullptr && v.whole(units) == 0 ? other_units : units;
  const std::uint64_t number = v.whole(used);
  if (number == 0) v.fail(used, "no unit executes these instructions");
  const std::uint64_t cycles = v.part(initiation, ',', operation);
  return std::max<std::uint64_t>(1, scaled(cycles, v.whole(kSchedulers), number));
}

bool has_l1(const Values& v) { return v.text(kL1) != "none"; }

template <class F>
Outcome of_l1(const Values& v, F&& f) {
  if (!has_l1(v)) return Outcome::none("an SM of Tessera has an L1");
  return f(v.cache(kL1));
}

std::uint64_t line_bytes(const Values& v) {
  const std::uint64_t line = v.cache(kL2).line_bytes;
  if (has_l1(v) && v.cache(kL1).line_bytes != line) {
    v.fail(kL2, "lines of " + std::to_string(line) + " bytes, but those of the L1 have " +
                    std::to_string(v.cache(kL1).line_bytes) + ": Tessera's caches share one size");
  }
  return line;
}

/// Of the built-in crossbar alone.
Outcome of_crossbar(const Values& v, std::uint64_t value) {
  if (v.whole(kNetworkMode) == kLocalCrossbar) return value;
  return Outcome::none("-network_mode selects BookSim, not the built-in crossbar");
}

bool has_write_queue(const Values& v) { return v.flag(kWriteQueue); }

std::uint64_t dram_queue(const Values& v) {
  const std::uint64_t entries = v.whole(kDramQueue);
  if (entries == 0) return kMostEntries;
  return has_write_queue(v) ? sum(entries, v.part(kWriteQueueSize, ':', 0)) : entries;
}

/// Writes that start a drain (divisor 1) and end it (2). Without a write queue of its own,
/// GPGPU-Sim has no threshold: half of the queue, and at most Tessera's own.
Outcome drain(const Values& v, std::size_t divisor) {
  if (v.whole(kDramScheduler) != kFrFcfs) return Outcome::without_effect("FCFS drains no writes");
  if (has_write_queue(v)) return v.part(kWriteQueueSize, ':', divisor);
  const std::uint64_t half = std::min<std::uint64_t>(kMostDrained, dram_queue(v) / 2);
  return std::max<std::uint64_t>(1, half) / divisor;
}

/// Bytes of consecutive addresses in one channel: those below the first bit of its number.
std::uint64_t interleave_bytes(const Values& v) {
  const AddressBits bits = address_bits(v);
  return bits.chip_bit < 64 ? std::uint64_t{1} << bits.chip_bit : 0;
}

bool hashes_channels(const Values& v) {
  return v.whole(kPartitionIndexing) != 0 && at_most_one_bit(v.whole(kChannels));
}

}  // namespace

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = {
      {"system.topology",
       {},
       [](const Values&) -> Outcome { return default_topology().c_str(); },
       "GPGPU-Sim's LLC is at the memory"},
      {"system.sms",
       {kClusters, kCoresPerCluster},
       [](const Values& v) -> Outcome { return sms(v); }},
      {"system.channels",
       {kChannels},
       [](const Values& v) -> Outcome { return v.whole(kChannels); }},
      {"system.slices_per_channel",
       {kSubPartitions},
       [](const Values& v) -> Outcome { return v.whole(kSubPartitions); }},
      {"system.line_bytes", {kL1, kL2}, [](const Values& v) -> Outcome { return line_bytes(v); }},
      {"system.address_map",
       {kPartitionIndexing, kChannels},
       [](const Values& v) -> Outcome { return hashes_channels(v) ? "pae" : "gpu-interleave"; }},
      {"address_map.gpu-interleave.interleave_bytes",
       {kAddressMapping, kPartitionIndexing, kChannels},
       [](const Values& v) -> Outcome {
         if (hashes_channels(v)) return Outcome::without_effect("chunks of 256 bytes are hashed");
         return interleave_bytes(v);
       }},
      {"sm.clock_hz", {kClocks}, [](const Values& v) -> Outcome { return v.clock_hz(kCoreClock); }},
      {"sm.max_warps", {kPipeline}, [](const Values& v) -> Outcome { return warps(v); }},
      {"sm.max_threads",
       {kPipeline},
       [](const Values& v) -> Outcome { return v.part(kPipeline, ':', 0); }},
      {"sm.max_ctas", {kCtas}, [](const Values& v) -> Outcome { return v.whole(kCtas); }},
      {"sm.registers",
       {kRegisters},
       [](const Values& v) -> Outcome { return v.whole(kRegisters); }},
      {"sm.shared_bytes",
       {kSharedBytes},
       [](const Values& v) -> Outcome { return v.whole(kSharedBytes); }},
      {"sm.schedulers",
       {kSchedulers},
       [](const Values& v) -> Outcome { return v.whole(kSchedulers); }},
      {"sm.warp_scheduler",
       {kScheduler},
       [](const Values& v) -> Outcome {
         const std::string name = v.text(kScheduler);
         if (name == "gto" || name == "lrr") return name.c_str();
         return Outcome::none("warp schedulers are gto and lrr; gto is used");
       }},
      {"sm.alu_latency",
       {kFpLatency},
       [](const Values& v) -> Outcome { return v.part(kFpLatency, ',', kAdd); }},
      {"sm.alu_interval",
       {kFpInitiation, kSpUnits, kSchedulers},
       [](const Values& v) -> Outcome {
         return interval(v, kFpInitiation, kAdd, kSpUnits, nullptr);
       }},
      {"sm.int_mul_latency",
       {kIntLatency},
       [](const Values& v) -> Outcome { return v.part(kIntLatency, ',', kMul); }},
      {"sm.int_mul_interval",
       {kIntInitiation, kIntUnits, kSpUnits, kSchedulers},
       [](const Values& v) -> Outcome {
         return interval(v, kIntInitiation, kMul, kIntUnits, kSpUnits);
       }},
      {"sm.fp64_latency",
       {kDpLatency},
       [](const Values& v) -> Outcome { return v.part(kDpLatency, ',', kAdd); }},
      {"sm.fp64_interval",
       {kDpInitiation, kDpUnits, kSfuUnits, kSchedulers},
       [](const Values& v) -> Outcome {
         return interval(v, kDpInitiation, kAdd, kDpUnits, kSfuUnits);
       }},
      {"sm.sfu_latency",
       {kSfuLatency},
       [](const Values& v) -> Outcome { return v.part(kSfuLatency, ',', 0); }},
      {"sm.sfu_interval",
       {kSfuInitiation, kSfuUnits, kSchedulers},
       [](const Values& v) -> Outcome {
         return interval(v, kSfuInitiation, 0, kSfuUnits, nullptr);
       }},
      {"sm.shared_latency",
       {kSharedLatency},
       [](const Values& v) -> Outcome { return v.whole(kSharedLatency); }},
      {"sm.shared_banks",
       {kSharedBanks},
       [](const Values& v) -> Outcome { return v.whole(kSharedBanks); }},
      {"sm.ideal_translation",
       {},
       [](const Values&) -> Outcome { return true; },
       "GPGPU-Sim has no TLBs"},
      {"l1.clock_hz", {kClocks}, [](const Values& v) -> Outcome { return v.clock_hz(kCoreClock); }},
      {"l1.sets",
       {kL1},
       [](const Values& v) -> Outcome {
         return of_l1(v, [](const CacheFields& c) -> Outcome { return geometry_of(c).sets; });
       }},
      {"l1.ways",
       {kL1},
       [](const Values& v) -> Outcome {
         return of_l1(v, [](const CacheFields& c) -> Outcome { return geometry_of(c).ways; });
       }},
      {"l1.latency_cycles",
       {kL1Latency},
       [](const Values& v) -> Outcome { return v.whole(kL1Latency); }},
      {"l1.mshr_entries",
       {kL1},
       [](const Values& v) -> Outcome {
         return of_l1(v, [](const CacheFields& c) -> Outcome { return c.mshr_entries; });
       }},
      {"l1.mshr_targets",
       {kL1},
       [](const Values& v) -> Outcome {
         return of_l1(v, [](const CacheFields& c) -> Outcome { return c.mshr_merges; });
       }},
      {"l1.miss_queue_depth",
       {kL1},
       [](const Values& v) -> Outcome {
         return of_l1(v, [](const CacheFields& c) -> Outcome { return c.miss_queue; });
       }},
      {"l1.reserve_frames",
       {kL1},
       [](const Values& v) -> Outcome {
         return of_l1(v, [](const CacheFields& c) -> Outcome { return c.allocation == 'm'; });
       }},
      {"noc.clock_hz",
       {kClocks},
       [](const Values& v) -> Outcome { return v.clock_hz(kNetworkClock); }},
      {"noc.radix",
       {kClusters, kCoresPerCluster, kChannels, kSubPartitions},
       [](const Values& v) -> Outcome {
         return std::min(kMostPorts, std::max(sms(v), slices(v)));
       }},
      {"noc.link_bytes",
       {kFlitBytes},
       [](const Values& v) -> Outcome { return v.whole(kFlitBytes); }},
      {"noc.stage_latency",
       {kNetworkMode},
       [](const Values& v) -> Outcome {
         if (v.whole(kNetworkMode) == kLocalCrossbar) return std::uint64_t{1};
         return Outcome::none(
             "BookSim's network is described by the file of -inter_config_file, which is not read: "
             "a crossbar is used");
       }},
      {"noc.input_buffer_flits",
       {kInputBuffer, kNetworkMode},
       [](const Values& v) -> Outcome { return of_crossbar(v, v.whole(kInputBuffer)); }},
      {"noc.output_buffer_flits",
       {kOutputBuffer, kNetworkMode},
       [](const Values& v) -> Outcome { return of_crossbar(v, v.whole(kOutputBuffer)); }},
      {"llc.clock_hz", {kClocks}, [](const Values& v) -> Outcome { return v.clock_hz(kL2Clock); }},
      {"llc.sets",
       {kL2},
       [](const Values& v) -> Outcome { return geometry_of(v.cache(kL2)).sets; }},
      {"llc.ways",
       {kL2},
       [](const Values& v) -> Outcome { return geometry_of(v.cache(kL2)).ways; }},
      {"llc.latency_cycles",
       {kL2Latency, kClocks},
       [](const Values& v) -> Outcome { return in_clock(v, v.whole(kL2Latency), kL2Clock); }},
      {"llc.mshr_entries",
       {kL2},
       [](const Values& v) -> Outcome { return v.cache(kL2).mshr_entries; }},
      {"llc.mshr_targets",
       {kL2},
       [](const Values& v) -> Outcome { return v.cache(kL2).mshr_merges; }},
      {"llc.queue_depth",
       {kPartitionQueues},
       [](const Values& v) -> Outcome { return v.part(kPartitionQueues, ':', kToL2); }},
      // Two queues in a row in GPGPU-Sim.
      {"llc.memory_queue_depth",
       {kL2, kPartitionQueues},
       [](const Values& v) -> Outcome {
         return sum(v.cache(kL2).miss_queue, v.part(kPartitionQueues, ':', kToDram));
       }},
      {"llc.response_queue_depth",
       {kPartitionQueues},
       [](const Values& v) -> Outcome { return v.part(kPartitionQueues, ':', kToNetwork); }},
      {"dram.clock_hz",
       {kClocks},
       [](const Values& v) -> Outcome { return v.clock_hz(kDramClock); }},
      {"dram.banks", {kTiming}, [](const Values& v) -> Outcome { return v.timing("nbk"); }},
      {"dram.bank_groups",
       {kTiming},
       [](const Values& v) -> Outcome { return v.timing("nbkgrp"); }},
      {"dram.row_bytes",
       {kAddressMapping},
       [](const Values& v) -> Outcome {
         const unsigned bits = address_bits(v).column_bits;
         return bits < 64 ? std::uint64_t{1} << bits : 0;
       }},
      {"dram.bus_bytes_per_clock",
       {kBusBytes, kChips, kDataRate},
       [](const Values& v) -> Outcome { return bus_bytes(v); }},
      {"dram.burst_clocks",
       {kBurst, kDataRate, kTiming, kBusBytes, kChips, kL2},
       [](const Values& v) -> Outcome { return columns_of(v).burst_clocks; }},
      {"dram.queue_entries",
       {kDramQueue, kWriteQueue, kWriteQueueSize},
       [](const Values& v) -> Outcome { return dram_queue(v); }},
      {"dram.pipeline_clocks",
       {kDramLatency, kClocks},
       [](const Values& v) -> Outcome { return in_clock(v, v.whole(kDramLatency), kDramClock); }},
      {"dram.t_rc", {kTiming}, [](const Values& v) -> Outcome { return v.timing("RC"); }},
      {"dram.t_rcd", {kTiming}, [](const Values& v) -> Outcome { return v.timing("RCD"); }},
      {"dram.t_rp", {kTiming}, [](const Values& v) -> Outcome { return v.timing("RP"); }},
      {"dram.t_cl", {kTiming}, [](const Values& v) -> Outcome { return v.timing("CL"); }},
      {"dram.t_wl", {kTiming}, [](const Values& v) -> Outcome { return v.timing("WL"); }},
      {"dram.t_ras", {kTiming}, [](const Values& v) -> Outcome { return v.timing("RAS"); }},
      {"dram.t_rrd_l", {kTiming}, [](const Values& v) -> Outcome { return v.timing("RRD"); }},
      {"dram.t_rrd_s", {kTiming}, [](const Values& v) -> Outcome { return v.timing("RRD"); }},
      // GPGPU-Sim has no such window: four activations take no less.
      {"dram.t_faw",
       {kTiming},
       [](const Values& v) -> Outcome { return product(4, v.timing("RRD")); }},
      {"dram.t_rtp",
       {kTiming, kBurst, kDataRate, kBusBytes, kChips, kL2},
       [](const Values& v) -> Outcome { return columns_of(v).read_to_precharge; }},
      {"dram.t_ccd_l",
       {kTiming, kBurst, kDataRate, kBusBytes, kChips, kL2},
       [](const Values& v) -> Outcome { return columns_of(v).same_group; }},
      {"dram.t_ccd_s",
       {kTiming, kBurst, kDataRate, kBusBytes, kChips, kL2},
       [](const Values& v) -> Outcome { return columns_of(v).other_group; }},
      {"dram.t_wtr_l",
       {kTiming, kNoTurnaround},
       [](const Values& v) -> Outcome { return v.flag(kNoTurnaround) ? 0 : v.timing("CDLR"); }},
      {"dram.t_wtr_s",
       {kTiming, kNoTurnaround},
       [](const Values& v) -> Outcome { return v.flag(kNoTurnaround) ? 0 : v.timing("CDLR"); }},
      {"dram.t_wr",
       {kTiming, kBurst, kDataRate, kBusBytes, kChips, kL2},
       [](const Values& v) -> Outcome { return columns_of(v).write_to_precharge; }},
      {"dram.t_rtw",
       {kNoTurnaround},
       [](const Values& v) -> Outcome {
         return v.flag(kNoTurnaround) ? std::uint64_t{0} : kReadToWrite;
       }},
      {"dram.refresh",
       {},
       [](const Values&) -> Outcome { return false; },
       "GPGPU-Sim does not refresh"},
      {"dram.scheduler",
       {kDramScheduler},
       [](const Values& v) -> Outcome {
         const std::uint64_t kind = v.whole(kDramScheduler);
         if (kind > kFrFcfs) v.fail(kDramScheduler, "expected 0 (FIFO) or 1 (FR-FCFS)");
         return kind == kFrFcfs ? "fr-fcfs" : "fcfs";
       }},
      {"dram_scheduler.fr-fcfs.write_drain_high",
       {kWriteQueueSize, kWriteQueue, kDramQueue, kDramScheduler},
       [](const Values& v) { return drain(v, 1); }},
      {"dram_scheduler.fr-fcfs.write_drain_low",
       {kWriteQueueSize, kWriteQueue, kDramQueue, kDramScheduler},
       [](const Values& v) { return drain(v, 2); }},
      {"dispatch.clock_hz",
       {kClocks},
       [](const Values& v) -> Outcome { return v.clock_hz(kCoreClock); }},
      {"dispatch.scheduler",
       {},
       [](const Values&) -> Outcome { return "round-robin"; },
       "GPGPU-Sim deals CTAs to the SMs in turn"},
      {"dispatch.queues",
       {kKernels},
       [](const Values& v) -> Outcome { return std::min(kMostKernels, v.whole(kKernels)); }},
      {"dispatch.launch_cycles",
       {kLaunchLatency},
       [](const Values& v) -> Outcome { return v.whole(kLaunchLatency); }},
  };
  return all;
}

}  // namespace tessera::import
