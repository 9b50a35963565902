// SPDX-License-Identifier: Apache-2.0
#include "modules/umh/umh_config.h"

#include "common/legal_values.h"
#include "modules/umh/coherence_message.h"

namespace tessera {

UmhConfig::UmhConfig() {
  l2.timing.latency_cycles = 10;
  smd.timing.latency_cycles = 3;
  hmd.timing.clock_hz = 2'000'000'000;
  partition_link.clock_hz = 800'000'000;
  partition_link.bytes_per_cycle = 32;
  partition_link.latency_ns = 6;
}

UmhConfig::Cpu::Cpu() {
  for (Cache* c : {&l1, &l2, &llc}) c->timing.clock_hz = core.clock_hz;
  l1.sets = 64;
  l1.ways = 8;
  l1.timing.latency_cycles = 4;
  l2.sets = 512;
  l2.ways = 8;
  l2.timing.latency_cycles = 10;
  llc.sets = 2048;
  llc.ways = 16;
  llc.timing.latency_cycles = 30;
}

umh::CoherentCacheBlockConfig UmhConfig::cpu_cache_config(const Cache& cache) const {
  umh::CoherentCacheBlockConfig c;
  c.timing = cache.timing;
  c.cache.sets = cache.sets;
  c.cache.ways = cache.ways;
  c.cache.mask_granularity = mask_granularity;
  c.cache.owned_read = owned_read;
  return c;
}

umh::CoherentCacheBlockConfig UmhConfig::l2_config() const {
  umh::CoherentCacheBlockConfig c = cpu_cache_config(l2);
  c.cache.banks = stacks;
  c.cache.interleave_lines = block_bytes / umh::kLineBytes;
  return c;
}

umh::SmdBlockConfig UmhConfig::smd_config() const {
  umh::SmdBlockConfig c;
  c.timing = smd.timing;
  c.memory_accesses = smd.memory_accesses;
  c.smd.stack_bytes = stack_bytes;
  c.smd.block_bytes = block_bytes;
  c.smd.ways = smd_ways;
  c.smd.stacks = stacks;
  c.smd.mask_granularity = mask_granularity;
  c.smd.owned_read = owned_read;
  c.smd.flushed = flushed;
  return c;
}

umh::HmdBlockConfig UmhConfig::hmd_config(std::uint32_t smds) const {
  umh::HmdBlockConfig c;
  c.timing = hmd.timing;
  c.memory_accesses = hmd.memory_accesses;
  c.hmd.block_bytes = block_bytes;
  c.hmd.peer_transfer = peer_transfer;
  c.smds = smds;
  c.mask_granularity = mask_granularity;
  return c;
}

std::vector<std::string> UmhConfig::validate() const {
  std::vector<std::string> errors;
  const auto add = [&errors](const char* group, const std::vector<std::string>& more) {
    for (const std::string& e : more) errors.push_back(std::string("umh.") + group + ": " + e);
  };
  add("l1_port", l1_port.validate());
  add("l2", l2.timing.validate());
  add("smd", smd_config().validate());
  add("hmd", hmd_config(1).validate());
  add("link", link.validate());
  add("partition_link", partition_link.validate());
  add("stack", stack.validate());
  add("cpu", cpu.core.validate());
  add("cpu.l1", cpu.l1.timing.validate());
  add("cpu.l2", cpu.l2.timing.validate());
  add("cpu.llc", cpu.llc.timing.validate());
  if (!gpu_memory && block_bytes != umh::kLineBytes) {
    errors.emplace_back("umh.block_bytes must be 64 if umh.gpu_memory is off: L2s request lines");
  }
  if (synchronisation == Synchronisation::kDynamic && cpu.cores == 0) {
    errors.emplace_back("umh.synchronisation dynamic needs umh.cpu.cores of at least 1");
  }
  require_power_of_two(errors, "umh.mask_granularity", mask_granularity, 1, 4);
  if (block_bytes % umh::kLineBytes != 0) {
    errors.push_back(
        "umh.block_bytes (" + std::to_string(block_bytes) +
        ") must be a multiple of a line: " + near_multiples(block_bytes, umh::kLineBytes));
  }
  const std::uint64_t one_set = std::uint64_t{block_bytes} * smd_ways;
  if (stack_bytes < one_set) {
    errors.push_back("umh.stack_bytes (" + std::to_string(stack_bytes) +
                     ") must hold umh.smd_ways (" + std::to_string(smd_ways) +
                     ") blocks of umh.block_bytes (" + std::to_string(block_bytes) +
                     "): " + std::to_string(one_set) + " at least");
  }
  return errors;
}

namespace {

void describe(ParameterVisitor& v, UmhConfig::Cache& c) {
  describe(v, c.timing);
  v.integer("sets", c.sets, "set",
            "sets of a bank (UMH Table III: 128 KB, section 5.3: LLC of 2 MB; sets and ways ours)",
            1, 1 << 20);
  v.integer("ways", c.ways, "way", "associativity (ours)", 1, 64);
}

void describe(ParameterVisitor& v, UmhConfig::Directory& c) {
  describe(v, c.timing);
  v.integer("memory_accesses", c.memory_accesses, "access",
            "pending accesses to the memory, beyond which no request is looked up (ours)", 1,
            1 << 20);
}

void describe(ParameterVisitor& v, UmhConfig::Cpu& c);

template <class Group>
void group(ParameterVisitor& v, const char* name, const char* description, Group& g) {
  v.enter(name, description);
  describe(v, g);
  v.leave();
}

void describe(ParameterVisitor& v, UmhConfig::Cpu& c) {
  v.integer("cores", c.cores, "core",
            "cores of the CPU; 0: the host's accesses take no time (ours: Multi2Sim's 4)", 0, 32);
  describe(v, c.core);
  group(v, "l1", "L1 of a core (ours: 32 KB)", c.l1);
  group(v, "l2", "L2 of a core (ours: 256 KB)", c.l2);
  group(v, "llc", "last-level cache of all cores (UMH section 5.3: 2 MB)", c.llc);
}

}  // namespace

void describe(ParameterVisitor& v, UmhConfig& c) {
  v.integer("stacks", c.stacks, "stack",
            "DRAM stacks of a GPU, each with an L2 and an SMD "
            "(UMH section 2)",
            1, 16);
  v.flag("gpu_memory", c.gpu_memory,
         "the stacks cache the host's memory; off: zero-copy, an L2 miss goes to the host "
         "(UMH section 3.1.1)");
  v.integer("stack_bytes", c.stack_bytes, "byte", "of a stack (UMH Table III)", 1 << 16,
            std::uint64_t{1} << 36);
  v.integer("block_bytes", c.block_bytes, "byte",
            "secondary block, and interleave of stacks and HMDs (UMH Table III, section 5.3)", 64,
            1 << 20);
  v.integer("mask_granularity", c.mask_granularity, "byte",
            "bytes of a bit of the byte masks: 1, 2 or 4 (UMH section 4.1.2)", 1, 4);
  v.flag("peer_transfer", c.peer_transfer,
         "the GPU that owns a block sends it to a GPU that reads it (UMH figure 5, b-2)");
  v.choice("owned_read", c.owned_read,
           "state of a block in O after a read request: Table II prints I",
           {{"invalid", umh::OwnedRead::kToInvalid}, {"owned", umh::OwnedRead::kToOwned}});
  v.choice("flushed", c.flushed,
           "blocks of an SMD that a final flush evicts: modified, those in N, M and O (UMH section "
           "4.2); all, also those in E and S (ours)",
           {{"modified", umh::FlushedBlocks::kModified}, {"all", umh::FlushedBlocks::kAll}});
  v.choice("synchronisation", c.synchronisation,
           "how the host program sees a kernel's results: final-flush, a kernel ends with a flush "
           "of the GPUs (UMH section 4.2); dynamic, the CPU synchronises each line that it loads, "
           "and the GPUs are flushed before their next kernel (section 4.2.1)",
           {{"final-flush", Synchronisation::kFinalFlush}, {"dynamic", Synchronisation::kDynamic}});
  v.integer("smd_ways", c.smd_ways, "way", "associativity of an SMD (UMH section 5)", 1, 64);
  group(v, "l1_port", "connections of an L1", c.l1_port);
  group(v, "l2", "L2 banks, one per stack", c.l2);
  group(v, "smd", "stacked memory directories", c.smd);
  group(v, "hmd", "host memory directories, one per host channel", c.hmd);
  group(v, "link", "links between the GPUs and the host", c.link);
  v.flag("partitioned", c.partitioned,
         "a stack, its L2 and an equal part of the SMs form a partition of the GPU (NUBA section 3 "
         "in UMH: ours)");
  group(v, "partition_link", "links between the partitions of a GPU, one a partition (ours)",
        c.partition_link);
  group(v, "stack", "the channel of a DRAM stack", c.stack);
  group(v, "cpu", "cores of the host and their caches", c.cpu);
}

std::optional<std::string> unless_gpu_memory(const ConfigView& config) {
  if (config.group<UmhConfig>("umh").gpu_memory) return std::nullopt;
  return "umh.gpu_memory is false";
}

}  // namespace tessera
