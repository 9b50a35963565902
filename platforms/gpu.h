// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "modules/core/link_packet.h"
#include "modules/core/protocol_checker.h"
#include "modules/core/transaction_pool.h"
#include "modules/host/cta_dispatcher.h"
#include "modules/llc/line_sharing.h"
#include "modules/mdr/mdr_engine.h"
#include "modules/mmu/l2_tlb.h"
#include "modules/mmu/page_mover.h"
#include "modules/mmu/page_table.h"
#include "modules/mmu/page_walker.h"
#include "modules/mmu/uvm_driver.h"
#include "modules/noc/gpu_fabric.h"
#include "modules/rdma/decision_engine.h"
#include "modules/rdma/rdma_engine.h"
#include "modules/sm/sm_cluster.h"
#include "platforms/block_factory.h"
#include "platforms/gpu_config.h"
#include "policies/page_placement.h"
#include "policies/remote_caching.h"
#include "policies/transfer_policy.h"

namespace tessera {

struct GpuOptions {
  /// Splices a ProtocolChecker into every memory socket.
  bool check_protocol = false;
  /// Settings of single instances ("system.gpu0.llc3.sets").
  std::vector<ParameterSetting> overrides;
  /// Whether a virtual address belongs to an allocation.
  std::function<bool(std::uint64_t virtual_address)> allocated;
  /// The pages of the allocation that an allocated address belongs to. May be empty.
  std::function<AllocationPages(std::uint64_t virtual_address)> allocation;
  /// For tests: leaves the copies of other partitions' lines in the slices at a kernel's end, which
  /// is wrong.
  bool keep_replicas = false;
};

/// A GPU in one of the shapes of NUBA figure 1, or several GPUs that run one kernel in one address
/// space (DualOpt figure 1).
///
/// "uba-mem": every SM's L1 reaches every slice through one hierarchical crossbar; a slice holds
/// the lines of its address range, in front of its channel.
///   l1_[i] -> noc -> llc[home] -> dram[channel]
/// "uba-sm": two sides, each with a crossbar between its SMs and its slices; the slice that stands
/// where a line's home stands on the other side caches the line, kept coherent.
///   l1_[i] -> noc[side] -> llc[home or its twin] (-> link -> llc[home]) -> dram[channel]
/// "nuba": a partition per channel; its SMs reach its slices by links, and other partitions' by
/// them.
///   l1_[i] -> p2p[partition] -> llc[of the partition] (-> noc -> llc[home]) -> dram[channel]
/// With several modules (uba-mem, nuba), each has a crossbar of its own, and one for what comes
/// from other modules, joined by planes of switches: noc[m] -> mcm[plane] -> gate[home's m].
///
/// "multi-gpu": each GPU is as "uba-mem", and a noc's last exits lead to the GPU's RDMA engine, by
/// way of a remote cache where there is one; RDMA engines reach each other through the fabric, and
/// their own GPU's slices through a crossbar of their own:
///   l1_[i] -> noc -> llc[home], or (-> rcache[bank]) -> rdma -> fabric -> rdma -> gate ->
///   llc[home]
/// In all: sm[i] -> l2_tlb -> walker -> uvm. Several GPUs: an l2_tlb each; iommu joins them to the
/// walker that they share.
///
/// Wires blocks and nothing else; what is here has no time of its own.
class Gpu final : public sc_core::sc_module {
 public:
  /// Blocks of several GPUs stand in modules gpu0, gpu1, ... of this one.
  Gpu(const sc_core::sc_module_name& name, const GpuConfig& config, TransactionPool& pool,
      const GpuOptions& options);

  CtaDispatcher& dispatcher() { return *dispatcher_; }
  UvmDriver& uvm() { return *uvm_; }
  PageTable& page_table() { return *page_table_; }
  /// Pages are on their way, which takes its time without anybody else's work.
  bool pages_moving() const { return mover_ && mover_->moving(); }
  /// Called when a page's contents are wanted at another physical address. May be empty.
  std::function<void(std::uint64_t from, std::uint64_t to)> on_page_copied;
  const AddressMap& address_map() const { return *map_; }
  const std::vector<Block*>& blocks() const { return blocks_; }
  const SmCluster& sm(unsigned i) const { return *sms_[i]; }
  const ProtocolChecker* unfinished_checker() const;

  /// A kernel has ended, as far as its time counts.
  void kernel_ended();

  /// Packets between GPUs that are in use; 0 at the end of every run.
  std::size_t live_packets() const { return packets_.live(); }

  /// Debug access at a physical address, to the newest bytes. `length` must stay in one line.
  void debug(tlm::tlm_command command, std::uint64_t physical, void* data, unsigned length);

 private:
  void build_one(std::uint32_t gpu, const GpuOptions& options);
  void build_several(const GpuOptions& options);
  void build_memory(std::uint32_t gpu, const GpuOptions& options);
  void add_channels(std::uint32_t gpu, const GpuOptions& options);
  void add_slices(std::uint32_t gpu, const GpuOptions& options);
  void add_l1s(std::uint32_t gpu, const GpuOptions& options);
  void add_rdma(std::uint32_t gpu, const GpuOptions& options);
  void build_fabric();
  void build_mmu(const GpuOptions& options);
  void build_dispatcher(const GpuOptions& options);
  void add_sms(std::uint32_t gpu, const GpuOptions& options);
  void dispatch_to_sms();
  void connect(InitiatorPort& from, TargetPort& to);
  BlockHandle& add_network(const std::string& name,
                           const std::function<unsigned(std::uint32_t slice)>& exit_of,
                           const GpuOptions& options);
  void join(const std::vector<InitiatorPort*>& from, const std::vector<TargetPort*>& to,
            const std::vector<TargetPort*>& gates, const GpuOptions& options);
  std::vector<TargetPort*> slice_ports(std::size_t n) const;
  void join_partitions(const std::vector<InitiatorPort*>& l1s, const GpuOptions& options);
  void join_twins(const GpuOptions& options);
  BlockHandle& add(std::vector<BlockHandle>& list, const std::string& kind, const std::string& impl,
                   BlockSite site);
  ChannelId local_memory(SmId sm) const;
  std::uint32_t sms_per_gpu() const { return config_.system.sms / config_.system.gpus; }
  std::uint32_t slices_per_gpu() const { return config_.system.slices() / config_.system.gpus; }
  L1Role l1_role(std::uint32_t gpu);
  void build_page_mover();
  void build_mdr();
  void stop_memory(const std::function<void()>& drained);
  void forget_memory();
  void resume_memory(const std::vector<ChannelId>& homes);

  void start_of_simulation() override;

  /// Modules gpu0, gpu1, ... that blocks of several GPUs stand in.
  std::vector<std::unique_ptr<sc_core::sc_module>> rooms_;

  const GpuConfig config_;
  TransactionPool& pool_;
  const bool check_protocol_;
  /// Where the blocks that are being built stand: instances' settings go by it.
  std::string path_;
  std::unique_ptr<AddressMap> map_;
  std::unique_ptr<PagePlacement> placement_;
  std::unique_ptr<RemoteCaching> caching_;
  std::unique_ptr<PageTable> page_table_;

  // Several GPUs:
  std::unique_ptr<TransferPolicy> transfer_policy_;
  RemoteTransfer transfer_;
  PacketPool packets_;
  std::unique_ptr<DecisionEngine> decision_;
  std::vector<std::unique_ptr<RdmaEngine>> rdmas_;
  std::vector<BlockHandle> remote_caches_;
  std::unique_ptr<GpuFabric> fabric_;

  std::vector<BlockHandle> l1s_;
  std::vector<BlockHandle> networks_;
  std::vector<BlockHandle> slices_;
  std::vector<BlockHandle> channels_;
  std::vector<std::unique_ptr<SmCluster>> sms_;
  std::vector<std::unique_ptr<L2Tlb>> l2_tlbs_;
  std::unique_ptr<PageWalker> walker_;
  std::unique_ptr<UvmDriver> uvm_;
  std::unique_ptr<PageMover> mover_;
  std::unique_ptr<MdrEngine> mdr_;
  std::unique_ptr<LineSharing> line_sharing_;
  std::size_t undrained_ = 0;
  std::unique_ptr<CtaDispatcher> dispatcher_;
  std::vector<std::unique_ptr<ProtocolChecker>> checkers_;
  std::vector<Block*> blocks_;
};

}  // namespace tessera
