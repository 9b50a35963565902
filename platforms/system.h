// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/mmu/page_table.h"
#include "modules/mmu/sites.h"
#include "modules/probe/sites.h"
#include "modules/protocol/link_packet.h"
#include "modules/protocol/protocol_checker.h"
#include "modules/protocol/transaction_pool.h"
#include "modules/rdma/sites.h"
#include "modules/umh/sites.h"
#include "platforms/fence_scope.h"
#include "platforms/gpu_config.h"
#include "platforms/kernel_records.h"
#include "platforms/made_blocks.h"
#include "platforms/node.h"
#include "platforms/platform_view.h"
#include "platforms/sm_group.h"
#include "platforms/system_options.h"
#include "platforms/untimed_memory.h"
#include "policies/mdr_model.h"
#include "policies/page_placement.h"
#include "policies/remote_caching.h"
#include "policies/transfer_policy.h"

namespace tessera {

class Block;
class CpuCore;
class CtaDispatcher;
class RecordsSignalsIf;
class SystemTimeline;
class TrafficRecorders;
class UvmDriver;
class Allocations;
struct ProfiledPlatform;

/// A platform: the tree of its nodes, from the sc_module "system" on, and the blocks of one GPU or
/// of several that run kernels in one address space. Makes all blocks and binds them according to
/// the plan (platforms/topology). To be constructed during elaboration.
class System {
 public:
  /// `pool` must outlive it.
  System(const GpuConfig& config, TransactionPool& pool, const SystemOptions& options);
  System(const System&) = delete;
  System& operator=(const System&) = delete;
  ~System();

  const PlatformPlan& plan() const { return plan_; }
  /// The node "system".
  Node& root() { return *root_; }
  const std::vector<Block*>& blocks() const { return blocks_; }
  SmGroup& sms() { return sms_; }
  CtaDispatcher& dispatcher() { return *dispatcher_; }
  /// Why the system runs with values only (NeedsValuesIf); empty: it does not.
  std::string why_values() const;
  /// The blocks that are RTL.
  std::vector<RecordsSignalsIf*> recording_blocks() const;
  /// The cores of the host's CPU. Empty if the platform has no model of it.
  std::vector<CpuCore*> cpu_cores() const;
  UvmDriver& uvm() { return *uvm_; }
  PageTable& page_table() { return *page_table_; }
  const AddressMap& address_map() const { return *map_; }
  UntimedMemory& memory() { return *memory_; }
  /// Null without SystemOptions::timeline.
  SystemTimeline* timeline() { return timeline_.get(); }
  /// What a profile observes; `allocations` and `sm_clock` must outlive it.
  ProfiledPlatform profiled(const Allocations& allocations, const ClockDomain& sm_clock) const;
  /// Completes the files of SystemOptions::traffic: requests that arrive after `end` are not in
  /// them.
  void finish_traffic(Tick end);
  /// Whether a page migration is in progress, which takes its time without activity of other
  /// blocks.
  bool pages_moving() const { return migrator_ != nullptr && migrator_->moving(); }
  /// Called if a page's contents must be copied to another physical address. Can be empty.
  std::function<void(std::uint64_t from, std::uint64_t to)> on_page_copied;

  /// Registers the statistics of all blocks, and the counters of policies that many blocks use.
  void register_statistics(StatisticsRegistry& registry) const;
  /// The levels of the memory system whose blocks count by launch, from the SMs on.
  std::vector<CountedLevel> levels();
  /// Brings statistics that blocks count later up to the present time, for a window's begin or end.
  void settle_statistics();
  const ProtocolChecker* unfinished_checker() const;
  /// Packets between GPUs that are in use; 0 at the end of every run.
  std::size_t live_packets() const { return packets_.live(); }

  /// Whether slices cache other slices' lines according to RemoteCaching.
  bool caches_arrays() const;
  /// Throws InputError for caching at the requester if system.remote_caching keeps no copies,
  /// because slices are then not flushed.
  void check_caching(const CachingByAllocation& by_allocation) const;
  /// Sets the caching of allocations of a launch that begins on a GPU (RemoteCaching::plan()).
  void set_caching(GpuId gpu, const CachingByAllocation& by_allocation, bool alone) {
    caching_[gpu.value]->plan(by_allocation, alone);
  }
  /// Why kernels cannot run at the same time on this platform; nothing if they can.
  std::optional<std::string> why_one_kernel() const;
  /// Called after a kernel has ended, including its flushes, when no other kernel runs.
  void kernel_ended();

  /// Lets the GPUs run ahead, as options.windows specifies. Throws InputError with the reason if a
  /// block of the platform acts on another GPU without latency.
  void run_ahead();

 private:
  /// The platform as a block sees it that is being made.
  class Build;

  void build(Node& root);
  void make_gpu(Node& gpu, std::uint32_t number);
  void make_nodes_below(Node& node, std::uint32_t number);
  void make_block(PlannedBlockId id);
  void offer_services(Node& root);
  void offer_services_of_gpu(Node& gpu, std::uint32_t number);
  /// The domain of a node of the plan.
  Domain& domain_of(std::uint32_t node);
  std::vector<Domain*> gpu_domains();
  void find_parts();
  void set_flush_stages();
  void bind_links();
  void connect(const PlannedLink& link);
  void join_sms();
  FlushIf& fence_scope_of(SmId sm);
  ChannelId local_memory(SmId sm) const;
  std::uint32_t sms_per_gpu() const { return config_.system.sms / config_.system.gpus; }
  MigrationTargets migration_targets(std::uint32_t gpu) const;

  const GpuConfig config_;
  const PlatformPlan plan_;
  const PlatformView view_;
  TransactionPool& pool_;
  const SystemOptions options_;
  const PolicyContext policy_context_;
  std::unique_ptr<AddressMap> map_;
  std::unique_ptr<AddressMap> stack_map_;  ///< of a stack that caches the host's memory
  StackMap stack_;
  std::unique_ptr<PagePlacement> placement_;
  std::vector<std::unique_ptr<RemoteCaching>> caching_;  ///< per GPU
  std::unique_ptr<PageTable> page_table_;
  std::unique_ptr<TransferPolicy> transfer_policy_;
  RemoteAccessModes transfer_;
  PacketPool packets_;
  std::deque<GpuProbing> probing_;  ///< per GPU, if cores probe each other
  MdrBandwidths raw_bandwidths_;
  UvmPlatform uvm_platform_;
  PageMigratorPlatform migrator_platform_;
  HomeAccesses homes_;

  std::map<std::uint32_t, Domain> domains_;  ///< by their nodes in plan_.nodes
  std::unique_ptr<Node> root_;
  std::vector<Node*> nodes_;  ///< in the order of plan_.nodes; null: not made yet
  MadeBlocks made_;
  std::unique_ptr<SystemTimeline> timeline_;
  std::unique_ptr<TrafficRecorders> traffic_;  ///< null without SystemOptions::traffic
  std::vector<Block*> blocks_;                 ///< in the order of the plan
  SmGroup sms_;
  std::vector<FlushIf*> l1s_;  ///< by SM
  std::vector<HomeAccessIf*> homes_of_gpus_;
  MovesPagesIf* migrator_ = nullptr;
  UvmDriver* uvm_ = nullptr;
  CtaDispatcher* dispatcher_ = nullptr;
  std::unique_ptr<UntimedMemory> memory_;
  std::vector<std::unique_ptr<ProtocolChecker>> checkers_;
  std::vector<std::unique_ptr<FenceScope>> fence_scopes_;
};

}  // namespace tessera
