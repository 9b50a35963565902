// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modules/protocol/flush.h"
#include "modules/protocol/holds_bytes.h"
#include "modules/umh/coherence_block.h"
#include "modules/umh/coherence_config.h"
#include "modules/umh/directory_memory.h"
#include "modules/umh/hmd.h"

namespace tessera {
struct HmdSite;
}

namespace tessera::umh {

/// Host memory directory in front of a host memory controller (UMH section 5.2). Its children are
/// SMDs and the LLC of the CPU.
///
/// Timing: a lookup takes the latency of CoherenceTiming (below 0.5 ns in the paper). The lines of
/// a grant are read from the memory first, except those that arrived in the message which causes
/// it. Merged lines are written. Addresses of lines are physical.
///
/// Values: the bytes of the host memory are in the channel behind `memory`, read and written by
/// debug transport when the protocol reads or merges them. The directory orders all accesses to a
/// block, so that the order of the channel's commands does not matter.
class HmdBlock final : public CoherenceBlock,
                       public SliceFlushIf,
                       public HoldsBytes,
                       private HostMemory {
 public:
  using Config = HmdBlockConfig;
  using Stats = DirectoryMemoryStats;  ///< beside CoherenceBlockStats
  using Site = HmdSite;

  tlm_utils::simple_initiator_socket<HmdBlock> memory;

  HmdBlock(const sc_core::sc_module_name& name, const HmdBlockConfig& config,
           const CoherenceSite& site, TransactionPool& pool);

  const Hmd& directory() const { return *hmd_; }
  const DirectoryMemoryStats& memory_stats() const { return memory_queue_.stats(); }
  /// Last stage of a final flush: `done` is called when the transactions that are pending at the
  /// next clock edge have ended.
  void flush(LaunchSlot launch, std::function<void()> done) override;

  void overlay(std::uint64_t address, unsigned char* bytes) override;
  void replace(std::uint64_t address, const unsigned char* bytes, const ByteMask& mask) override;
  void use(Backdoor&) override {}
  bool idle() const override;
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  void end_of_elaboration() override;
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay) {
    return memory_queue_.port().backward(payload, phase, delay);
  }
  void handle(const CoherenceMessage& message) override;
  std::size_t pending() const override { return hmd_->pending(); }
  bool can_admit() const override;
  void before_lookup(Tick t) override { memory_queue_.handle_responses(t); }
  void after_lookup(Tick t) override;
  Tick next_work(Tick t) const override;
  std::string describe_transactions() const override { return hmd_->describe_waiting(); }
  void send(CoherenceMessage message) override;

  // HostMemory.
  Line read(std::uint64_t line) override;
  void write(const LineBytes& bytes, LaunchSlot launch) override;
  void access_memory(tlm::tlm_command command, std::uint64_t line, Line& bytes);
  std::unique_ptr<Hmd> make_directory();

  const HmdBlockConfig config_;
  std::unique_ptr<Hmd> hmd_;
  DirectoryMemory memory_queue_;
  struct Flush {
    Tick due = 0;
    std::function<void()> done;
  };
  std::deque<Flush> flushes_;
};

}  // namespace tessera::umh
