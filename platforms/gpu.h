// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <typeindex>
#include <vector>

#include "common/error.h"
#include "modules/host/sites.h"
#include "modules/kernel/domain.h"
#include "modules/mmu/sites.h"
#include "modules/plan/block_handle.h"
#include "modules/plan/block_kind.h"
#include "modules/plan/plan.h"
#include "modules/probe/sites.h"
#include "modules/protocol/backdoor.h"
#include "modules/protocol/link_packet.h"
#include "modules/protocol/platform_interfaces.h"
#include "modules/protocol/protocol_checker.h"
#include "modules/protocol/transaction_pool.h"
#include "modules/rdma/sites.h"
#include "modules/sm/sites.h"
#include "modules/umh/sites.h"
#include "platforms/fence_scope.h"
#include "platforms/gpu_config.h"
#include "platforms/kernel_records.h"
#include "platforms/platform_view.h"
#include "policies/mdr_model.h"
#include "policies/page_placement.h"
#include "policies/remote_caching.h"
#include "policies/transfer_policy.h"

namespace tessera {

struct GpuOptions {
  /// Splices a ProtocolChecker into every memory socket.
  bool check_protocol = false;
  /// Settings of single instances ("system.gpu0.llc3.sets").
  std::vector<ParameterSetting> overrides;
  /// Whether a virtual address is in an allocation.
  std::function<bool(std::uint64_t virtual_address)> allocated;
  /// The pages of the allocation that contains an allocated address. Can be empty.
  std::function<AllocationPages(std::uint64_t virtual_address)> allocation;
  /// For tests: does not flush the copies of other partitions' lines in the slices at a kernel's
  /// end, which is wrong.
  bool keep_replicas = false;
  /// Each node of this level is a domain (modules/kernel/domain.h) together with the nodes below
  /// it, and so is each node above. kSystem: the whole platform is one domain. Results do not
  /// depend on it.
  NodeLevel domains = NodeLevel::kSystem;
  /// Each of several GPUs is a domain that runs ahead of SystemC's time
  /// (DomainRunner::run_ahead()), instead of instant by instant, and `domains` does not matter.
  /// Results do not depend on it.
  std::optional<DomainWindows> windows = {};
  /// Called after each block is made. Can be empty.
  std::function<void(const PlannedBlock&)> on_made;
};

/// The blocks of a platform, created and bound according to its plan (platforms/topology): one GPU,
/// or several GPUs that run one kernel in one address space. This module itself takes no simulated
/// time.
class Gpu final : public sc_core::sc_module {
 public:
  /// `name`: of a single GPU, "gpu0". The blocks of several GPUs are in submodules gpu0, gpu1, ...
  /// of this module.
  Gpu(const sc_core::sc_module_name& name, const GpuConfig& config, TransactionPool& pool,
      const GpuOptions& options);

  CtaDispatcher& dispatcher() { return *dispatcher_; }
  /// The cores of the host's CPU. Empty if the platform has no model of it.
  std::vector<CpuCore*> cpu_cores() const;
  UvmDriver& uvm() { return *uvm_; }
  PageTable& page_table() { return *page_table_; }
  /// Whether a page migration is in progress, which takes its time without activity of other
  /// blocks.
  bool pages_moving() const { return migrator_ != nullptr && migrator_->moving(); }
  /// Called if a page's contents must be copied to another physical address. Can be empty.
  std::function<void(std::uint64_t from, std::uint64_t to)> on_page_copied;
  const AddressMap& address_map() const { return *map_; }
  const PlatformPlan& plan() const { return plan_; }
  const std::vector<Block*>& blocks() const { return blocks_; }
  /// Registers the statistics of all blocks, and the counters of policies that many blocks use.
  void register_statistics(StatisticsRegistry& registry) const;
  /// Sums over all SMs: instructions so far, and warps of running CTAs.
  std::uint64_t warp_instructions() const;
  std::uint64_t thread_instructions() const;
  std::uint64_t resident_warps() const;
  /// Of all SMs, warp instructions of a launch since the last call for it.
  std::uint64_t take_instructions(LaunchSlot launch);
  /// The levels of the memory system whose blocks count by launch, from the SMs on.
  std::vector<CountedLevel> levels();
  /// Brings statistics that blocks count later up to the present time, for a window's begin or end.
  void settle_statistics();
  const ProtocolChecker* unfinished_checker() const;

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

  /// Packets between GPUs that are in use; 0 at the end of every run.
  std::size_t live_packets() const { return packets_.live(); }

  /// Lets the GPUs run ahead, as options.windows specifies. Throws InputError with the reason if a
  /// block of the platform acts on another GPU without latency.
  void run_ahead();

  /// Debug access at a physical address. It reads the newest bytes and writes every copy. The
  /// access must be within one line.
  void debug(tlm::tlm_command command, std::uint64_t physical, void* data, unsigned length);

 private:
  /// What the platform offers to the block that is being made.
  class Build;

  void build();
  void make_block(std::size_t i);
  /// Adds the objects that blocks use.
  void offer_services();
  /// An object of one GPU, or of the whole system.
  template <class Service>
  void offer(Service& service, std::optional<std::uint32_t> gpu = {}) {
    services_.push_back(
        {typeid(Service), gpu, const_cast<void*>(static_cast<const void*>(&service))});
  }
  PageMigratorPlatform page_migrator_platform();
  /// The domain of a node of the plan.
  Domain& domain_of(std::uint32_t node);
  std::vector<Domain*> gpu_domains();
  void set_up_dispatcher();
  FlushStages flush_stages(std::uint32_t gpu);
  std::vector<FlushStage> stages_beside_kernels(std::uint32_t gpu);
  std::vector<FlushStage> coherent_flush_stages(std::uint32_t gpu);
  std::vector<SliceFlushIf*> flushed(FlushAtKernelEnd at, std::uint32_t gpu) const;
  void connect(InitiatorPort& from, TargetPort& to);
  void join_sms();
  FlushIf& fence_scope_of(SmId sm);
  /// Blocks of a kind, of one GPU or of all. Blocks of the system count as GPU 0's.
  std::vector<const BlockHandle*> made(const std::string& kind,
                                       std::optional<std::uint32_t> gpu = {}) const;
  /// An interface of the blocks that offer it, of one GPU or of all, in the order of the plan.
  template <class Interface>
  std::vector<Interface*> offered(std::optional<std::uint32_t> gpu = {}) const {
    std::vector<Interface*> all;
    for (std::size_t i = 0; i < made_.size(); ++i) {
      if (gpu && plan_.blocks[i].gpu != *gpu) continue;
      if (auto* const found = made_[i].find<Interface>()) all.push_back(found);
    }
    return all;
  }
  /// The interface that one block of the platform must offer. Throws InputError.
  template <class Interface>
  Interface& only(const char* what) const {
    const std::vector<Interface*> all = offered<Interface>();
    if (all.empty()) {
      throw InputError(std::string("this implementation of the ") + what +
                       " does not offer itself (BlockHandle::offer)");
    }
    return *all.front();
  }
  /// The L1s of a GPU or of all.
  std::vector<FlushIf*> l1s(std::optional<std::uint32_t> gpu = {}) const;
  ChannelId local_memory(SmId sm) const;
  std::uint32_t sms_per_gpu() const { return config_.system.sms / config_.system.gpus; }
  /// The GPU that holds an address.
  std::uint32_t gpu_of(std::uint64_t physical) const {
    return map_->locate(physical).slice.value / config_.system.slices_per_gpu();
  }
  unsigned debug_memory(tlm::tlm_generic_payload& payload);
  void open_backdoor();
  /// Indices of the SMs whose local memory is one of these.
  std::vector<std::uint32_t> sms_near(const std::vector<ChannelId>& homes) const;
  void stop_memory(const std::vector<ChannelId>& homes, const std::function<void()>& drained);
  void forget_memory();
  void forget_pages(const std::vector<ChannelId>& gpus,
                    const std::vector<std::uint64_t>& virtual_pages);
  void resume_memory(const std::vector<ChannelId>& homes);

  void start_of_simulation() override;

  const GpuConfig config_;
  const PlatformPlan plan_;
  const PlatformView view_;
  TransactionPool& pool_;
  const GpuOptions options_;
  /// Path of the blocks that are being created, by which settings of instances are found.
  std::string path_;
  const PolicyContext policy_context_;
  std::unique_ptr<AddressMap> map_;
  std::unique_ptr<AddressMap> stack_map_;  ///< of a stack that caches the host's memory
  StackMap stack_;
  std::unique_ptr<PagePlacement> placement_;
  std::vector<std::unique_ptr<RemoteCaching>> caching_;  ///< per GPU
  std::unique_ptr<PageTable> page_table_;
  std::unique_ptr<TransferPolicy> transfer_policy_;  ///< null unless there are several GPUs
  RemoteAccessMode transfer_;
  PacketPool packets_;
  std::deque<GpuProbing> probing_;  ///< per GPU, if cores probe each other
  MdrBandwidths raw_bandwidths_;
  UvmPlatform uvm_platform_;
  PageMigratorPlatform migrator_platform_;
  HomeAccesses homes_;
  struct Service {
    std::type_index type;
    std::optional<std::uint32_t> gpu;
    void* object = nullptr;
  };
  std::vector<Service> services_;

  std::map<std::uint32_t, Domain> domains_;  ///< by their nodes in plan_.nodes
  /// Modules gpu0, gpu1, ... that contain the blocks of several GPUs.
  std::vector<std::unique_ptr<sc_core::sc_module>> scopes_;
  /// In the order of plan_.blocks.
  std::vector<BlockHandle> made_;
  std::vector<SmHandle*> sms_;
  std::vector<FlushIf*> l1s_;
  std::vector<const BlockHandle*> slices_;
  std::vector<const BlockHandle*> drams_;
  std::vector<PageDropIf*> page_drops_;  ///< of the slices, if pages can migrate
  /// By slice: the slice if it does not expose its bytes to the backdoor; otherwise null.
  std::vector<const BlockHandle*> hidden_bytes_;
  std::vector<HomeAccessIf*> homes_of_gpus_;
  MovesPagesIf* migrator_ = nullptr;
  UvmDriver* uvm_ = nullptr;
  CtaDispatcher* dispatcher_ = nullptr;
  Backdoor backdoor_;
  std::size_t undrained_ = 0;
  std::vector<std::unique_ptr<ProtocolChecker>> checkers_;
  std::vector<std::unique_ptr<FenceScope>> fence_scopes_;
  std::vector<Block*> blocks_;
};

}  // namespace tessera
