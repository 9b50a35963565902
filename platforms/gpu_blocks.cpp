// SPDX-License-Identifier: Apache-2.0
// From a plan to sc_modules: each block is made by its kind, then sockets are bound.
#include <functional>
#include <utility>

#include "common/error.h"
#include "platforms/gpu.h"
#include "policies/cta_scheduler.h"

namespace tessera {

namespace {

/// A level of the hierarchy, for names: what `build` makes stands in it.
class Scope final : public sc_core::sc_module {
 public:
  Scope(const sc_core::sc_module_name& name, const std::function<void()>& build) : sc_module(name) {
    build();
  }
};

/// A block that has an owner.
BlockHandle owned(Block& block) {
  BlockHandle h;
  h.block = &block;
  return h;
}

template <class Module>
BlockHandle holding(std::unique_ptr<Module> module) {
  BlockHandle h = owned(*module);
  h.module = std::move(module);
  return h;
}

/// Exits by home slice, as a network asks for them.
NocRouting routing_of(const PlannedBlock& network, const AddressMap& map) {
  NocRouting routing;
  if (network.network.exits.empty()) {
    routing.by_request = [](const MemoryRequest&) { return 0U; };
    routing.by_address = [](std::uint64_t) { return 0U; };
    return routing;
  }
  const std::vector<std::uint32_t>& exits = network.network.exits;
  // A home that is none leads to no exit, and the network refuses the request.
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

void Gpu::build(const GpuOptions& options) {
  const std::string own_path = path_;
  const NodeLevel own_level = config_.system.gpus > 1 ? NodeLevel::kSystem : NodeLevel::kGpu;
  const auto make_some = [this, &options](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      made_.push_back(make(plan_.blocks[i], options));
      blocks_.push_back(made_.back().block);
    }
  };
  made_.reserve(plan_.blocks.size());
  for (std::size_t begin = 0; begin < plan_.blocks.size();) {
    // A GPU's blocks can be made only while its module is: they stand together.
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
  for (std::size_t i = 0; i < sms_.size(); ++i) {
    sms_[i]->l1_control.bind(*l1s_[i]->flush);
    sms_[i]->dispatcher.bind(dispatcher_->events);
    dispatcher_->sms[i].bind(sms_[i]->ctas);
  }
  for (const BlockHandle* slice : slices_) {
    if (migrator_ && slice->page_drop == nullptr) {
      throw InputError("implementation '" + config_.impl.llc +
                       "' of the LLC slice cannot drop a page's lines, as migration.policy needs");
    }
  }
}

void Gpu::connect(InitiatorPort& from, TargetPort& to) {
  const auto bind = [](InitiatorPort& i, TargetPort& t) {
    i.get_base_port().bind(t.get_base_interface());
    t.get_base_port().bind(i.get_base_interface());
  };
  if (!check_protocol_) {
    bind(from, to);
    return;
  }
  checkers_.push_back(
      std::make_unique<ProtocolChecker>(("check" + std::to_string(checkers_.size())).c_str()));
  bind(from, checkers_.back()->target);
  bind(checkers_.back()->initiator, to);
}

BlockHandle Gpu::make(const PlannedBlock& block, const GpuOptions& options) {
  switch (block.kind) {
    case BlockKind::kPageMigrator:
      build_page_migrator();
      return owned(*migrator_);
    case BlockKind::kMdr:
      return owned(build_mdr(block));
    case BlockKind::kSharingProfiler:
      sharing_profiler_ = std::make_unique<SharingProfiler>(
          std::string(name()) + "." + block.name, config_.system.sms, config_.system.line_bytes);
      return owned(*sharing_profiler_);
    case BlockKind::kDecision:
      decision_ = std::make_unique<DecisionEngine>(
          block.name.c_str(), config_.decision, config_.system.gpus, config_.system.line_bytes,
          [this](SmId sm) { return GpuId(sm.value / sms_per_gpu()); }, *transfer_policy_,
          transfer_);
      return owned(*decision_);
    case BlockKind::kDram:
    case BlockKind::kLlc:
    case BlockKind::kL1:
    case BlockKind::kNetwork:
    case BlockKind::kRemoteCache:
      return make_by_name(block, options);
    case BlockKind::kRdma:
      return make_rdma(block, options);
    case BlockKind::kFabric: {
      auto fabric =
          std::make_unique<GpuFabric>(block.name.c_str(), config_.fabric, config_.system.gpus);
      GpuFabric& f = *fabric;
      BlockHandle h = holding(std::move(fabric));
      for (auto& socket : f.in) h.in.push_back(&socket);
      for (auto& socket : f.out) h.out.push_back(&socket);
      return h;
    }
    case BlockKind::kL2Tlb: {
      auto tlb = std::make_unique<L2Tlb>(block.name.c_str(), config_.l2_tlb,
                                         config_.system.page_bytes, pool_, block.inputs);
      l2_tlbs_.push_back(tlb.get());
      BlockHandle h = holding(std::move(tlb));
      for (auto& socket : l2_tlbs_.back()->in) h.in.push_back(&socket);
      h.out = {&l2_tlbs_.back()->walker};
      return h;
    }
    case BlockKind::kWalker: {
      auto walker = std::make_unique<PageWalker>(block.name.c_str(), config_.walker, *page_table_);
      PageWalker& w = *walker;
      BlockHandle h = holding(std::move(walker));
      h.in = {&w.in};
      h.out = {&w.driver};
      return h;
    }
    case BlockKind::kUvm:
      return make_uvm(options);
    case BlockKind::kSm:
      return make_sm(block, options);
    case BlockKind::kDispatcher:
      break;
  }
  return make_dispatcher(options);
}

/// A block that a factory makes.
BlockHandle Gpu::make_by_name(const PlannedBlock& block, const GpuOptions& options) {
  const auto own = [&](const auto& config) {
    return instance_config(config, options.overrides, path_ + block.name);
  };
  GpuConfig mine = config_;
  BlockSite site;
  site.name = block.name;
  site.index = block.index;
  site.config = &mine;
  site.map = map_.get();
  site.pool = &pool_;
  site.inputs = block.inputs;
  site.outputs = block.outputs;
  switch (block.kind) {
    case BlockKind::kDram:
      mine.dram = own(config_.dram);
      return make_block("dram", config_.impl.dram, site);
    case BlockKind::kL1: {
      mine.l1 = own(config_.l1);
      if (config_.system.gpus > 1) site.l1 = l1_site(block.gpu);
      return make_block("l1", config_.impl.l1, site);
    }
    case BlockKind::kNetwork:
      site.routing = routing_of(block, *map_);
      if (block.network.kind == NetworkKind::kRing) {
        mine.ring.ring = own(block.network.ring);
        return make_block("ring", config_.impl.ring, site);
      }
      mine.noc = own(block.network.noc);
      return make_block("noc", config_.impl.noc, site);
    case BlockKind::kRemoteCache:
      mine.llc = own(config_.remote_cache);
      site.slice.role = "remote_cache";
      site.slice.access_mode = &transfer_;
      // Each module deals its SMs' lines over its own.
      site.slice.remote_banks = config_.system.rdma_ports / config_.system.modules;
      return make_block("llc", config_.impl.llc, site);
    default:
      break;
  }
  mine.llc = own(config_.llc);
  site.slice.role = block.role;
  site.slice.self = SliceId(block.index);
  site.slice.local_inputs = block.inputs - block.remote_inputs;
  site.slice.remote_inputs = block.remote_inputs;
  site.slice.tree = policy_context_.tree;
  site.slice.slices = config_.system.slices();
  site.slice.caching = caching_[block.gpu].get();
  if (migrator_) site.slice.observers.push_back(migrator_.get());
  if (sharing_profiler_) site.slice.observers.push_back(sharing_profiler_.get());
  if (!mdrs_.empty() &&
      block.index % config_.system.slices_per_gpu() == config_.mdr.sampled_slice) {
    site.slice.observers.push_back(mdrs_[block.gpu].get());
  }
  return make_block("llc", config_.impl.llc, site);
}

L1Site Gpu::l1_site(std::uint32_t gpu) {
  L1Site site;
  site.role = "multi_gpu";
  site.transfer = &transfer_;
  const std::uint64_t bytes = config_.geometry().total_bytes() / config_.system.gpus;
  site.local_begin = gpu * bytes;
  site.local_end = (gpu + 1) * bytes;
  site.transfer_bytes = config_.rdma.transfer_bytes;
  site.observer = decision_.get();
  return site;
}

BlockHandle Gpu::make_rdma(const PlannedBlock& block, const GpuOptions& options) {
  const std::uint32_t slices = config_.system.slices_per_gpu();
  RdmaEngine::Role role;
  role.self = GpuId(block.gpu);
  role.gpus = config_.system.gpus;
  role.ports = config_.system.rdma_ports;
  role.home_of = [slices](const MemoryRequest& r) { return GpuId(r.home().slice.value / slices); };
  role.transfer = &transfer_;
  role.packets = &packets_;
  const auto at_home = [this](const tlm::tlm_generic_payload& payload) -> RdmaEngine& {
    return *rdmas_[gpu_of(payload.get_address())];
  };
  role.debug_at_home = [at_home](tlm::tlm_generic_payload& payload) {
    return at_home(payload).debug_home(payload);
  };
  role.blocking_at_home = [at_home](tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    at_home(payload).blocking_home(payload, delay);
  };
  auto engine = std::make_unique<RdmaEngine>(
      block.name.c_str(), instance_config(config_.rdma, options.overrides, path_ + block.name),
      std::move(role));
  RdmaEngine& rdma = *engine;
  rdmas_.push_back(&rdma);
  BlockHandle h = holding(std::move(engine));
  for (auto& socket : rdma.local_in) h.in.push_back(&socket);
  for (auto& socket : rdma.fabric_in) h.in.push_back(&socket);
  h.out = {&rdma.local_out};
  for (auto& socket : rdma.fabric_out) h.out.push_back(&socket);
  return h;
}

BlockHandle Gpu::make_uvm(const GpuOptions& options) {
  UvmPlatform platform;
  platform.local_channel = [this](SmId sm) { return local_memory(sm); };
  platform.allocated = options.allocated;
  platform.allocation = options.allocation;
  auto uvm = std::make_unique<UvmDriver>("uvm", config_.uvm, *page_table_, *placement_,
                                         std::move(platform));
  uvm_ = uvm.get();
  BlockHandle h = holding(std::move(uvm));
  h.in = {&uvm_->in};
  return h;
}

BlockHandle Gpu::make_sm(const PlannedBlock& block, const GpuOptions& options) {
  auto sm = std::make_unique<SmCluster>(
      block.name.c_str(), instance_config(config_.sm, options.overrides, path_ + block.name), pool_,
      SmId(block.index), config_.system.sms);
  sms_.push_back(sm.get());
  BlockHandle h = holding(std::move(sm));
  h.out = {&sms_.back()->l1, &sms_.back()->mmu};
  return h;
}

std::vector<BlockHandle*> Gpu::made(BlockKind kind) {
  std::vector<BlockHandle*> found;
  for (std::size_t i = 0; i < made_.size(); ++i) {
    if (plan_.blocks[i].kind == kind) found.push_back(&made_[i]);
  }
  return found;
}

/// What is flushed at a kernel's end, in its order. The L1s come first. What a GPU holds of other
/// GPUs' memory comes before the slices, because its write-backs end in their home slices.
std::vector<FlushStage> Gpu::flush_stages(const GpuOptions& options) {
  FlushStage l1s{"l1", {}, {}};
  for (const BlockHandle* l1 : l1s_) l1s.drop.push_back(l1->flush);
  FlushStage remote_caches{"remote_caches", {}, {}};
  // One stage: the MDR engine's epoch and the migrator's moves end while the slices write back.
  FlushStage memory_side{"memory_side", {}, {}};
  const auto add = [this](FlushStage& to, const std::vector<BlockHandle*>& from,
                          const char* needs) {
    for (const BlockHandle* slice : from) {
      if (slice->slice_flush == nullptr) {
        throw InputError("implementation '" + config_.impl.llc +
                         "' of the LLC slice cannot be flushed, as " + needs + " needs");
      }
      to.write_back.push_back(slice->slice_flush);
    }
  };
  if (!options.keep_replicas) {
    // Good for one kernel (DualOpt section 4.4).
    add(remote_caches, made(BlockKind::kRemoteCache), "system.transfer");
    // So are copies of other partitions' lines (NUBA section 5.3).
    if (caching_.front()->copies()) add(memory_side, slices_, "system.remote_caching");
  }
  if (migrator_) memory_side.write_back.push_back(migrator_.get());
  if (!options.keep_replicas) {
    for (const auto& mdr : mdrs_) memory_side.write_back.push_back(mdr.get());
  }
  std::vector<FlushStage> stages{std::move(l1s)};
  for (FlushStage* stage : {&remote_caches, &memory_side}) {
    if (!stage->write_back.empty()) stages.push_back(std::move(*stage));
  }
  return stages;
}

/// The last block: it ends kernels by flushing the others.
BlockHandle Gpu::make_dispatcher(const GpuOptions& options) {
  l1s_ = made(BlockKind::kL1);
  slices_ = made(BlockKind::kLlc);
  auto dispatcher = std::make_unique<CtaDispatcher>(
      "dispatcher", config_.dispatch,
      config_.cta_scheduler.make(config_.dispatch.scheduler, policy_context_), config_.system.sms);
  dispatcher_ = dispatcher.get();
  dispatcher_->set_flush_stages(flush_stages(options));
  return holding(std::move(dispatcher));
}

}  // namespace tessera
