// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "modules/umh/coherence_config.h"
#include "modules/umh/coherent_cache_block.h"
#include "modules/umh/directory_memory.h"
#include "modules/umh/smd.h"

namespace tessera {
struct SmdSite;
}

namespace tessera::umh {

/// Stacked memory directory of one DRAM stack, in front of the stack's channel (UMH section 5,
/// figure 10): the L2 is its child; HMDs and the SMDs of other GPUs are reached by its parent
/// socket.
///
/// Timing: a lookup of the SRAM table takes the latency of CoherenceTiming. The bytes of a message
/// to the L2, the HMD or another SMD are read from the stack first, except those that arrived in
/// the message which causes it. Arriving bytes are written to the stack. A write does not delay
/// other messages. The channel sees one access per line, at the frame of the line's block.
///
/// Not modelled: the frame of an associative SMD (a block's address in the stack is its index,
/// which is the frame of a direct-mapped one); accesses to the stack for the table.
class SmdBlock final : public CoherentCacheBlock {
 public:
  using Config = SmdBlockConfig;
  using Stats = DirectoryMemoryStats;  ///< beside those of CoherentCacheBlock
  using Site = SmdSite;

  tlm_utils::simple_initiator_socket<SmdBlock> memory;

  SmdBlock(const sc_core::sc_module_name& name, const SmdBlockConfig& config,
           const CoherenceSite& site, TransactionPool& pool);

  const DirectoryMemoryStats& memory_stats() const { return stack_.stats(); }

  void overlay(std::uint64_t address, unsigned char* bytes) override;
  void replace(std::uint64_t address, const unsigned char* bytes, const ByteMask& mask) override;
  bool idle() const override;
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  void end_of_elaboration() override;
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay) {
    return stack_.port().backward(payload, phase, delay);
  }
  void handle(const CoherenceMessage& message) override;
  bool can_admit() const override;
  void before_lookup(Tick t) override { stack_.handle_responses(t); }
  void after_lookup(Tick t) override;
  Tick next_work(Tick t) const override;
  void send(CoherenceMessage message) override;
  std::uint64_t stack_address(std::uint64_t line) const;

  const SmdBlockConfig smd_;
  DirectoryMemory stack_;
};

}  // namespace tessera::umh
