// SPDX-License-Identifier: Apache-2.0
// Creates the sc_modules of a plan: each block by its kind, then the bindings of the sockets.
#include <algorithm>
#include <functional>
#include <utility>

#include "common/error.h"
#include "platforms/gpu.h"
#include "platforms/gpu_coherence.h"
#include "platforms/gpu_windows.h"

namespace tessera {

namespace {

/// A level of the hierarchy, for names: the parent module of the blocks that `build` creates.
class Scope final : public sc_core::sc_module {
 public:
  Scope(const sc_core::sc_module_name& name, const std::function<void()>& build) : sc_module(name) {
    build();
  }
};

/// A network's exits by home slice.
NocRouting routing_of(const PlannedBlock& network, const AddressMap& map) {
  NocRouting routing;
  if (network.network.exits.empty()) {
    routing.by_request = [](const MemoryRequest&) { return 0U; };
    routing.by_address = [](std::uint64_t) { return 0U; };
    return routing;
  }
  const std::vector<std::uint32_t>& exits = network.network.exits;
  // An invalid home slice maps to an invalid exit, so that the network refuses the request.
  const auto exit_of = [&exits, none = network.outputs](SliceId slice) -> unsigned {
    return slice.value < exits.size() ? exits[slice.value] : none;
  };
  routing.by_request = [exit_of](const MemoryRequest& r) { return exit_of(r.home().slice); };
  routing.by_address = [exit_of, &map](std::uint64_t address) {
    return exit_of(map.locate(address).slice);
  };
  return routing;
}

}  // namespace

void Gpu::build() {
  const std::string own_path = path_;
  const NodeLevel own_level = config_.system.gpus > 1 ? NodeLevel::kSystem : NodeLevel::kGpu;
  const auto make_some = [this](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Domain::Construction in(domain_of(plan_.blocks[i].node));
      made_.push_back(make(plan_.blocks[i]));
      blocks_.push_back(made_.back().block);
      if (options_.on_made) options_.on_made(plan_.blocks[i]);
    }
  };
  made_.reserve(plan_.blocks.size());
  for (std::size_t begin = 0; begin < plan_.blocks.size();) {
    // A GPU's blocks are contiguous, because they can be created only during their module's
    // construction.
    const PlannedNode& room = plan_.scope_of(plan_.blocks[begin]);
    std::size_t end = begin;
    while (end < plan_.blocks.size() && &plan_.scope_of(plan_.blocks[end]) == &room) ++end;
    if (room.level == own_level) {
      make_some(begin, end);
    } else {
      const std::string name = room.name.substr(room.name.rfind('.') + 1);
      path_ = own_path + name + ".";
      scopes_.push_back(std::make_unique<Scope>(
          name.c_str(), [&make_some, begin, end] { make_some(begin, end); }));
      path_ = own_path;
    }
    begin = end;
  }
  for (const PlannedLink& l : plan_.links) {
    connect(*made_[l.from].out[l.output], *made_[l.to].in[l.input]);
  }
  for (const PlannedLink& l : plan_.coherence) {
    made_[l.from].parents[l.output]->bind(*made_[l.to].children[l.input]);
  }
  join_sms();
}

Domain& Gpu::domain_of(std::uint32_t node) {
  const NodeLevel level = options_.windows ? NodeLevel::kGpu : options_.domains;
  while (plan_.nodes[node].level > level) node = plan_.nodes[node].parent;
  return domains_.try_emplace(node, plan_.nodes[node].name).first->second;
}

/// The domains of several GPUs; empty if there is one.
std::vector<Domain*> Gpu::gpu_domains() {
  std::vector<Domain*> domains;
  if (config_.system.gpus == 1) return domains;
  for (std::uint32_t n = 0; n < plan_.nodes.size(); ++n) {
    if (plan_.nodes[n].level == NodeLevel::kGpu) domains.push_back(&domain_of(n));
  }
  return domains;
}

void Gpu::run_ahead() {
  if (const auto why = why_no_windows(plan_, config_, options_.overrides)) throw InputError(*why);
  DomainRunner::instance().run_ahead(gpu_domains(), *options_.windows);
}

void Gpu::join_sms() {
  for (std::size_t i = 0; i < sms_.size(); ++i) {
    sms_[i]->sm.bind(fence_scope_of(SmId(static_cast<std::uint32_t>(i))), *dispatcher_);
    dispatcher_->sms[i].bind(*sms_[i]->sm.ctas);
  }
}

FlushIf& Gpu::fence_scope_of(SmId sm) {
  FlushIf& l1 = *l1s_[sm.value]->flush;
  SharerDirectory* sharers =
      probing_.empty() ? nullptr : &probing_[sm.value / sms_per_gpu()].sharers;
  const bool copies = caching_.front()->copies_written_lines();
  if (!copies && sharers == nullptr) return l1;
  std::vector<SliceFlushIf*> slices;
  const auto count = static_cast<std::uint32_t>(slices_.size());
  for (std::uint32_t i = 0; copies && i < count; ++i) {
    if (distance(policy_context_.tree, count, sm, SliceId(i)) == NodeDistance::kSamePartition) {
      slices.push_back(slices_[i]->slice_flush);
    }
  }
  return *fence_scopes_.emplace_back(std::make_unique<FenceScope>(l1, std::move(slices), sharers));
}

void Gpu::connect(InitiatorPort& from, TargetPort& to) {
  const auto bind = [](InitiatorPort& i, TargetPort& t) {
    i.get_base_port().bind(t.get_base_interface());
    t.get_base_port().bind(i.get_base_interface());
  };
  if (!options_.check_protocol) {
    bind(from, to);
    return;
  }
  checkers_.push_back(
      std::make_unique<ProtocolChecker>(("check" + std::to_string(checkers_.size())).c_str()));
  bind(from, checkers_.back()->target);
  bind(checkers_.back()->initiator, to);
}

template <class Site>
BlockHandle Gpu::create(const PlannedBlock& block, Site site) {
  site.name = block.name;
  site.path = path_ + block.name;
  site.index = block.index;
  site.gpu = GpuId(block.gpu);
  if (site.map == nullptr) site.map = map_.get();
  site.pool = &pool_;
  site.inputs = block.inputs;
  site.outputs = block.outputs;
  return make_block(implementation_of(config_.impl, Site::kKind, options_.overrides, site.path),
                    site);
}

BlockHandle Gpu::make(const PlannedBlock& block) {
  const SystemConfig& s = config_.system;
  switch (block.kind) {
    case BlockKind::kPageMigrator:
      return make_page_migrator(block);
    case BlockKind::kMdr:
      return make_mdr(block);
    case BlockKind::kSharingProfiler: {
      SharingProfilerSite site;
      site.sms = s.sms;
      site.line_bytes = s.line_bytes;
      return create(block, site);
    }
    case BlockKind::kDecision: {
      DecisionSite site;
      site.config = config_.decision;
      site.gpus = s.gpus;
      site.line_bytes = s.line_bytes;
      site.gpu_of = [this](SmId sm) { return GpuId(sm.value / sms_per_gpu()); };
      site.policy = transfer_policy_.get();
      site.transfer = &transfer_;
      return create(block, site);
    }
    case BlockKind::kDram: {
      DramSite site;
      site.config = config_of(block, config_.dram);
      site.channel = ChannelId(block.index);
      return create(block, site);
    }
    case BlockKind::kLlc:
      return make_llc(block);
    case BlockKind::kL1:
      return make_l1(block);
    case BlockKind::kProbe:
      return make_probe_engine(block);
    case BlockKind::kNetwork:
      return make_network(block);
    case BlockKind::kRemoteCache:
      return make_remote_cache(block);
    case BlockKind::kRdma:
      return make_rdma(block);
    case BlockKind::kFabric: {
      FabricSite site;
      site.config = config_.fabric;
      site.gpus = s.gpus;
      site.domains = gpu_domains();
      return create(block, site);
    }
    case BlockKind::kLongLink: {
      LongLinkSite site;
      site.config = config_.iommu;
      site.near = &domain_of(block.node);
      site.far = &domain_of(0);
      return create(block, site);
    }
    case BlockKind::kL2Tlb: {
      L2TlbSite site;
      site.config = config_.l2_tlb;
      site.page_bytes = s.page_bytes;
      return create(block, site);
    }
    case BlockKind::kWalker: {
      WalkerSite site;
      site.config = config_.walker;
      site.page_table = page_table_.get();
      return create(block, site);
    }
    case BlockKind::kUvm:
      return make_uvm(block);
    case BlockKind::kSm: {
      SmSite site;
      site.config = config_of(block, config_.sm);
      site.id = SmId(block.index);
      site.sms = s.sms;
      site.pages = page_table_.get();
      return create(block, site);
    }
    case BlockKind::kCoherentCache:
    case BlockKind::kCpuL1:
    case BlockKind::kCpuL2:
    case BlockKind::kCpuLlc:
      return create(block, coherent_cache_site(config_, block));
    case BlockKind::kSmd:
      return create(block, smd_site(config_, block));
    case BlockKind::kStack: {
      DramSite site;
      site.config = config_.hierarchy.stack;
      site.map = stack_map_.get();
      return create(block, site);
    }
    case BlockKind::kHmd:
      return create(block, hmd_site(config_, plan_, block));
    case BlockKind::kCoherenceLink:
    case BlockKind::kPartitionLink:
      return create(block, coherence_link_site(config_, block));
    case BlockKind::kCpuCore: {
      CpuCoreSite site;
      site.config = config_.hierarchy.cpu.core;
      return create(block, site);
    }
    case BlockKind::kDispatcher:
      break;
  }
  return make_dispatcher(block);
}

BlockHandle Gpu::make_page_migrator(const PlannedBlock& block) {
  PageMigratorSite site;
  site.config = config_.migration;
  site.make_policy = [this] {
    return config_.page_migration.make(config_.migration.policy, policy_context_);
  };
  site.page_table = page_table_.get();
  const auto channel_of = [this](SmId sm) { return local_memory(sm); };
  page_table_->channel_of_sm = channel_of;
  PageMigratorPlatform& platform = site.platform;
  platform.channel_of = channel_of;
  platform.stop = [this](const std::vector<ChannelId>& homes,
                         const std::function<void()>& drained) { stop_memory(homes, drained); };
  platform.settled = [this] {
    return std::all_of(slices_.begin(), slices_.end(),
                       [](const BlockHandle* slice) { return slice->block->idle(); });
  };
  platform.page_in_flight = [this](std::uint64_t page) {
    return std::any_of(slices_.begin(), slices_.end(), [&](const BlockHandle* slice) {
      return slice->page_drop->page_in_flight(page, config_.system.page_bytes);
    });
  };
  platform.forget = [this] { forget_memory(); };
  platform.forget_pages = [this](const std::vector<ChannelId>& homes,
                                 const std::vector<std::uint64_t>& virtual_pages) {
    forget_pages(homes, virtual_pages);
  };
  platform.resume = [this](const std::vector<ChannelId>& homes) { resume_memory(homes); };
  platform.copy = [this](std::uint64_t from, std::uint64_t to) {
    if (on_page_copied) on_page_copied(from, to);
  };
  platform.drop = [this](std::uint64_t page) {
    for (const BlockHandle* slice : slices_) {
      slice->page_drop->drop_page(page, config_.system.page_bytes);
    }
  };
  return create(block, std::move(site));
}

BlockHandle Gpu::make_mdr(const PlannedBlock& block) {
  const LlcSliceConfig& llc = config_.llc;
  const std::uint32_t slices = config_.system.slices_per_gpu();
  const std::uint32_t sms = sms_per_gpu();
  MdrSite site;
  site.config = config_.mdr;
  site.slice = {llc.sets, llc.ways, config_.mdr.sampled_sets, caching_[block.gpu]->keeps_at_home()};
  site.raw = config_.raw_bandwidths();
  site.decision = caching_[block.gpu]->monitored();
  site.scope.slices = {SliceId(block.gpu * slices), SliceId((block.gpu + 1) * slices)};
  site.scope.sms = {SmId(block.gpu * sms), SmId((block.gpu + 1) * sms)};
  return create(block, site);
}

BlockHandle Gpu::make_network(const PlannedBlock& block) {
  if (block.network.kind == NetworkKind::kRing) {
    RingSite site;
    site.config = config_of(block, block.network.ring);
    site.routing = routing_of(block, *map_);
    return create(block, std::move(site));
  }
  if (block.network.kind == NetworkKind::kMesh) {
    MeshSite site;
    site.config = config_of(block, block.network.mesh);
    site.routing = routing_of(block, *map_);
    return create(block, std::move(site));
  }
  NocSite site;
  site.config = config_of(block, block.network.noc);
  site.routing = routing_of(block, *map_);
  return create(block, std::move(site));
}

BlockHandle Gpu::make_llc(const PlannedBlock& block) {
  LlcSite site;
  site.config = config_of(block, config_.llc);
  SliceSite& slice = site.slice;
  slice.role = site.config.role.empty() ? block.role : site.config.role;
  slice.self = SliceId(block.index);
  slice.local_inputs = block.inputs - block.remote_inputs;
  slice.remote_inputs = block.remote_inputs;
  slice.tree = policy_context_.tree;
  slice.slices = config_.system.slices();
  slice.caching = caching_[block.gpu].get();
  slice.keeps_remote_misses = slice.caching->keeps_at_home();
  slice.first_core = block.gpu * sms_per_gpu();
  slice.cores = sms_per_gpu();
  slice.first_core_exit = first_core_exit(config_.system, block.gpu);
  for (const BlockKind kind : {BlockKind::kPageMigrator, BlockKind::kSharingProfiler}) {
    for (BlockHandle* observer : made(kind)) slice.observers.push_back(observer->slice_observer);
  }
  if (block.index % config_.system.slices_per_gpu() == config_.mdr.sampled_slice) {
    const std::vector<BlockHandle*> engines = made(BlockKind::kMdr);
    if (!engines.empty()) slice.observers.push_back(engines[block.gpu]->slice_observer);
  }
  BlockHandle h = create(block, std::move(site));
  if (config_.migration.policy != "none" && h.page_drop == nullptr) {
    throw InputError(path_ + block.name +
                     ": this implementation of the LLC slice cannot drop a page's lines, as "
                     "migration.policy needs");
  }
  return h;
}

BlockHandle Gpu::make_remote_cache(const PlannedBlock& block) {
  RemoteCacheSite site;
  site.config = config_of(block, config_.remote_cache);
  site.slice.role = site.config.role.empty() ? "remote_cache" : site.config.role;
  site.slice.access_mode = &transfer_;
  // Each module distributes its SMs' lines over its own banks.
  site.slice.remote_banks = config_.system.rdma_ports / config_.system.modules;
  return create(block, std::move(site));
}

BlockHandle Gpu::make_l1(const PlannedBlock& block) {
  if (block.coherent()) {
    return create(block, coherent_l1_site(config_, block, config_of(block, config_.l1)));
  }
  L1Site site;
  site.config = config_of(block, config_.l1);
  if (config_.system.gpus > 1) {
    const std::uint64_t bytes = config_.geometry().total_bytes() / config_.system.gpus;
    L1RoleSite& role = site.role;
    role.role = "multi_gpu";
    role.transfer = &transfer_;
    role.local_begin = block.gpu * bytes;
    role.local_end = (block.gpu + 1) * bytes;
    role.transfer_bytes = config_.rdma.transfer_bytes;
    for (BlockHandle* decision : made(BlockKind::kDecision)) role.observer = decision->l1_observer;
  }
  return create(block, site);
}

BlockHandle Gpu::make_probe_engine(const PlannedBlock& block) {
  if (probing_.size() == block.gpu) probing_.emplace_back(sms_per_gpu());
  const BlockHandle& l1 = *made(BlockKind::kL1)[block.index];
  if (l1.l1_probe == nullptr) {
    throw InputError(path_ + block.name +
                     ": this implementation of the L1 has no probe port, as system.miss_routing "
                     "needs");
  }
  ProbeEngineSite site = probe_site(plan_, config_, block, probing_[block.gpu]);
  site.probe.l1 = l1.l1_probe;
  site.probe.map = map_.get();
  site.probe.pool = &pool_;
  return create(block, std::move(site));
}

BlockHandle Gpu::make_rdma(const PlannedBlock& block) {
  const std::uint32_t slices = config_.system.slices_per_gpu();
  RdmaSite site;
  site.config = config_of(block, config_.rdma);
  RdmaEngine::Role& role = site.role;
  role.self = GpuId(block.gpu);
  role.gpus = config_.system.gpus;
  role.ports = config_.system.rdma_ports;
  role.home_of = [slices](const MemoryRequest& r) { return GpuId(r.home().slice.value / slices); };
  role.transfer = &transfer_;
  role.packets = &packets_;
  const auto at_home = [this](const tlm::tlm_generic_payload& payload) -> RdmaHandle& {
    return rdmas_[gpu_of(payload.get_address())]->rdma;
  };
  role.debug_at_home = [at_home](tlm::tlm_generic_payload& payload) {
    return at_home(payload).debug_home(payload);
  };
  role.blocking_at_home = [at_home](tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    at_home(payload).blocking_home(payload, delay);
  };
  return create(block, std::move(site));
}

BlockHandle Gpu::make_uvm(const PlannedBlock& block) {
  UvmSite site;
  site.config = config_.uvm;
  site.page_table = page_table_.get();
  site.placement = placement_.get();
  site.platform.placement = config_.system.page_placement;
  site.platform.local_channel = [this](SmId sm) { return local_memory(sm); };
  site.platform.allocated = options_.allocated;
  site.platform.allocation = options_.allocation;
  BlockHandle h = create(block, std::move(site));
  uvm_ = h.uvm;
  return h;
}

std::vector<BlockHandle*> Gpu::made(BlockKind kind, std::optional<std::uint32_t> gpu) {
  std::vector<BlockHandle*> found;
  for (std::size_t i = 0; i < made_.size(); ++i) {
    const PlannedBlock& b = plan_.blocks[i];
    if (b.kind == kind && (!gpu || b.gpu == *gpu)) found.push_back(&made_[i]);
  }
  return found;
}

/// Created last, because it flushes the other blocks at kernel ends.
BlockHandle Gpu::make_dispatcher(const PlannedBlock& block) {
  sms_ = made(BlockKind::kSm);
  l1s_ = made(BlockKind::kL1);
  slices_ = made(BlockKind::kLlc);
  rdmas_ = made(BlockKind::kRdma);
  const std::vector<BlockHandle*> migrators = made(BlockKind::kPageMigrator);
  if (!migrators.empty()) migrator_ = migrators.front();
  DispatcherSite site;
  site.config = config_.dispatch;
  site.place.sms = config_.system.sms;
  site.place.sms_per_node = policy_context_.tree.sms_per_node();
  site.place.gpus = gpu_domains();
  site.place.kernels =
      config_.kernel_scheduler.make(config_.dispatch.kernel_scheduler, policy_context_);
  site.make_scheduler = [this](std::uint32_t parts) {
    PolicyContext context = policy_context_;
    context.tree.sms /= parts;
    return config_.cta_scheduler.make(config_.dispatch.scheduler, context);
  };
  BlockHandle h = create(block, std::move(site));
  dispatcher_ = h.dispatcher;
  for (std::uint32_t g = 0; g < config_.system.gpus; ++g) {
    dispatcher_->set_flush_stages(GpuId(g), flush_stages(g));
  }
  if (plan_.has(BlockKind::kHmd) &&
      config_.hierarchy.synchronisation == Synchronisation::kDynamic) {
    dispatcher_->flush_before_kernels();
  }
  return h;
}

}  // namespace tessera
