// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "modules/host/cpu_core_config.h"
#include "modules/memory/dram_config.h"
#include "modules/plan/config_view.h"
#include "modules/umh/coherence_config.h"

namespace tessera {

/// How the host program sees the results of kernels.
enum class Synchronisation : std::uint8_t {
  kFinalFlush,  ///< a kernel ends with a flush of its GPUs (UMH section 4.2)
  /// The CPU obtains exclusive access to each line that it loads. GPUs are flushed before their
  /// next kernel (UMH section 4.2.1).
  kDynamic,
};

/// The coherent hierarchy below the GPUs' L1s (UMH figure 4). Sets, ways and timing of an L1 are
/// those of L1Config. Host channels are those of system.channels and DramConfig.
struct UmhConfig {
  struct Cache {
    umh::CoherenceTiming timing;
    std::uint32_t sets = 128;
    std::uint32_t ways = 16;
  };
  struct Directory {
    umh::CoherenceTiming timing;
    std::uint32_t memory_accesses = 128;
  };
  /// The CPU (UMH figure 4): each core has an L1 and an L2, and all share the LLC.
  struct Cpu {
    std::uint32_t cores = 0;  ///< 0: the host has no CPU model
    CpuCoreConfig core;
    Cache l1;
    Cache l2;
    Cache llc;

    Cpu();
  };

  std::uint32_t stacks = 4;  ///< of a GPU, each with an L2 and an SMD
  /// The stacks cache the host's memory. Off: zero-copy (UMH section 3.1.1). An L2 miss goes over
  /// the link to the host, one line at a time, and there are no SMDs.
  bool gpu_memory = true;
  std::uint64_t stack_bytes = std::uint64_t{1} << 30;
  std::uint32_t block_bytes = 4096;
  std::uint32_t mask_granularity = 4;
  bool peer_transfer = true;
  umh::OwnedRead owned_read = umh::OwnedRead::kToInvalid;
  umh::FlushedBlocks flushed = umh::FlushedBlocks::kModified;  ///< of an SMD
  Synchronisation synchronisation = Synchronisation::kFinalFlush;
  std::uint32_t smd_ways = 1;
  umh::CoherencePortConfig l1_port;
  Cache l2;
  Directory smd;
  Directory hmd;
  umh::CoherenceLinkConfig link;
  /// A stack, its L2 and an equal part of the GPU's SMs form a partition (NUBA section 3). An L1
  /// reaches the L2 of its partition directly, and the others by the GPU's partition link, where
  /// each partition has a link of its own. Off: each L1 reaches each L2 directly.
  bool partitioned = false;
  umh::CoherenceLinkConfig partition_link;
  DramConfig stack;
  Cpu cpu;

  UmhConfig();
  umh::CoherentCacheBlockConfig l2_config() const;
  /// Of a cache of the CPU.
  umh::CoherentCacheBlockConfig cpu_cache_config(const Cache& cache) const;
  umh::SmdBlockConfig smd_config() const;
  /// `smds`: children of an HMD.
  umh::HmdBlockConfig hmd_config(std::uint32_t smds) const;
  /// All errors; empty if the configuration is valid.
  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, UmhConfig& c);

/// Why parameters of the GPUs' memory have no effect; nothing if they have one.
std::optional<std::string> unless_gpu_memory(const ConfigView& config);

}  // namespace tessera
