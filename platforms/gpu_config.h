// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/core/parameters.h"
#include "modules/host/cta_dispatcher.h"
#include "modules/llc/llc_config.h"
#include "modules/memory/dram_config.h"
#include "modules/mmu/l2_tlb.h"
#include "modules/mmu/page_walker.h"
#include "modules/mmu/uvm_driver.h"
#include "modules/noc/noc_config.h"
#include "modules/sm/l1_cache.h"
#include "modules/sm/sm_config.h"

namespace tessera {

/// Shape of a GPU and the choices that concern more than one block.
struct SystemConfig {
  /// How the blocks are wired.
  std::string topology = "uba-mem";
  std::uint32_t sms = 64;
  std::uint32_t channels = 32;
  std::uint32_t slices_per_channel = 2;
  std::uint32_t line_bytes = 128;
  std::uint64_t page_bytes = 4096;
  std::uint64_t channel_bytes = std::uint64_t{512} << 20;
  std::string address_map = "fixed-channel";
  std::uint64_t address_map_seed = 1;
  std::string page_placement = "round-robin";
  std::uint64_t watchdog_cycles = 1'000'000;
  std::uint64_t cycle_limit = 0;

  std::uint32_t slices() const { return channels * slices_per_channel; }
};

/// Which implementation stands in for each kind of block (platforms/block_factory.h).
struct ImplementationConfig {
  std::string l1 = "tlm";
  std::string noc = "tlm";
  std::string llc = "tlm";
  std::string dram = "tlm";
};

struct GpuConfig {
  SystemConfig system;
  ImplementationConfig impl;
  SmConfig sm;
  L1Config l1;
  NocConfig noc;
  LlcSliceConfig llc;
  DramConfig dram;
  L2TlbConfig l2_tlb;
  PageWalkerConfig walker;
  UvmDriverConfig uvm;
  DispatchConfig dispatch;

  MemoryGeometry geometry() const;
  /// Copies what several blocks share (line and page size) into their configurations.
  void propagate();
  /// Every fault of every block and between blocks, in words.
  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, GpuConfig& c);

/// Settings for one instance of a block: "system.gpu0.llc3.sets".
template <class Config>
Config instance_config(Config base, const std::vector<ParameterSetting>& overrides,
                       const std::string& instance) {
  std::vector<ParameterSetting> mine;
  for (const ParameterSetting& s : overrides) {
    if (s.path.compare(0, instance.size() + 1, instance + ".") != 0) continue;
    mine.push_back({s.path.substr(instance.size() + 1), s.value, s.origin});
  }
  if (mine.empty()) return base;
  ParameterReader reader(std::move(mine));
  describe(reader, base);
  reader.throw_if_failed();
  return base;
}

}  // namespace tessera
