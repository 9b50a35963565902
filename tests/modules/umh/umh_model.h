// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "modules/host/cpu_core.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/timed_queue.h"
#include "modules/memory/dram_channel.h"
#include "modules/protocol/protocol_checker.h"
#include "modules/protocol/transaction_pool.h"
#include "modules/umh/coherence_link.h"
#include "modules/umh/hmd_block.h"
#include "modules/umh/smd_block.h"
#include "policies/address_map.h"
#include "tests/modules/umh/tested_system.h"
#include "tests/support/scripted_initiator.h"

namespace tessera::umh::test {

/// Limits and latencies of a model. All blocks run at 1 GHz.
struct ModelTiming {
  std::uint32_t l1_latency = 2;
  std::uint32_t l2_latency = 4;
  std::uint32_t smd_latency = 3;
  std::uint32_t hmd_latency = 1;
  std::uint32_t l1_transactions = 16;
  std::uint32_t l2_transactions = 16;         ///< also of the LLC
  std::uint32_t directory_transactions = 16;  ///< of SMDs and HMDs
  std::uint32_t entries = 4;                  ///< of each class at each end of a connection
  std::uint32_t memory_accesses = 64;
  std::uint32_t bytes_per_cycle = 64;
  CoherenceLinkConfig link;
  /// CpuCores at the CPU's L1s, instead of scripted initiators.
  bool cpu_cores = false;
};

/// The sc_modules of a shape, with a scripted core at each L1.
class UmhModel final : public TestedSystem {
 public:
  UmhModel(const Shape& shape, const ModelTiming& timing);
  ~UmhModel() override;

  CoherentCacheBlock& l1(unsigned device, unsigned i) { return *l1_[device][i]; }
  CoherentCacheBlock& l2(unsigned device, unsigned i) { return *l2_[device][i]; }
  SmdBlock& smd(unsigned gpu, unsigned i) { return *smds_[gpu][i]; }
  HmdBlock& hmd(unsigned i = 0) { return *hmds_[i]; }
  CoherenceLink& link() { return *link_; }
  tessera::test::ScriptedInitiator& core(unsigned device, unsigned i) { return *cores_[device][i]; }
  CpuCore& cpu_core(unsigned i) { return *cpu_cores_[i]; }
  TransactionPool& pool() { return pool_; }
  const std::vector<Block*>& blocks() const { return blocks_; }
  /// On every socket of memory requests.
  std::vector<ProtocolChecker*> checkers() const;

  unsigned devices() const override { return shape_.gpus + 1; }
  unsigned cpu() const { return shape_.gpus; }
  unsigned l1s(unsigned device) const override { return static_cast<unsigned>(l1_[device].size()); }
  std::string core_name(unsigned device, unsigned core) const override {
    return l1_[device][core]->name();
  }
  std::uint64_t steps() const override { return now(); }
  bool step() override;
  /// `delay`: in cycles.
  void after(std::uint64_t delay, std::function<void()> action) override;
  void access(unsigned device, unsigned core, const CoherentAccess& access,
              CoherentCache::Completion done) override;
  void evict(unsigned device, unsigned core, unsigned level, std::uint64_t line,
             std::function<void()> done) override;
  void flush(unsigned device, std::function<void()> done) override;
  std::optional<std::uint64_t> last_line() const override { return std::nullopt; }
  std::string last_message() const override { return {}; }
  std::string check(std::uint64_t line) const override { return violated(hierarchy_, line); }
  std::string holder(std::uint64_t line) override { return holder_of(hierarchy_, memory(), line); }
  bool idle() const override;
  std::string describe_waiting() const override;
  HostMemory& memory() override;

 private:
  class Timer;
  class Host;
  struct Agents;
  struct Access {
    CoherentAccess access;
    CoherentCache::Completion done;
  };
  /// Caches that a flush has not completed.
  struct Flush {
    std::vector<std::vector<SliceFlushIf*>> levels;
    std::size_t level = 0;
    std::size_t left = 0;
    std::function<void()> done;
  };

  CoherenceTiming timing(std::uint32_t latency, std::uint32_t transactions) const;
  CoherentCacheBlockConfig cache_config(bool l1, std::uint32_t sets, std::uint32_t ways) const;
  void make_memories();
  void make_gpu(unsigned g, const Agents& a);
  void make_cpu(const Agents& a);
  void make_host(const Agents& a);
  void connect(unsigned device);
  void add_node(CoherentCacheBlock& block, const std::vector<AgentId>& parents, bool of_hmds,
                std::uint32_t parent_lines);
  void add_core(unsigned device, CoherentCacheBlock& l1);
  template <class Initiator, class Target>
  void join(Initiator& from, Target& to);
  void responded(unsigned device, unsigned core, std::size_t index);
  void run_level(const std::shared_ptr<Flush>& f);

  const Shape shape_;
  const ModelTiming timing_;
  TransactionPool pool_;
  std::unique_ptr<AddressMap> host_map_, stack_map_;
  std::vector<std::unique_ptr<DramChannel>> host_channels_, stack_channels_;
  std::vector<std::vector<std::unique_ptr<CoherentCacheBlock>>> l1_, l2_;
  std::vector<std::vector<std::unique_ptr<SmdBlock>>> smds_;
  std::unique_ptr<CoherentCacheBlock> llc_;
  std::vector<std::unique_ptr<HmdBlock>> hmds_;
  std::unique_ptr<CoherenceLink> link_;
  std::vector<std::vector<std::unique_ptr<tessera::test::ScriptedInitiator>>> cores_;
  std::vector<std::unique_ptr<CpuCore>> cpu_cores_;
  std::vector<std::vector<std::vector<Access>>> accesses_;  ///< by device, core and result
  std::vector<std::unique_ptr<ProtocolChecker>> checkers_;
  std::unique_ptr<Timer> timer_;
  std::unique_ptr<Host> host_;
  Hierarchy hierarchy_;
  std::vector<Block*> blocks_;
};

}  // namespace tessera::umh::test
