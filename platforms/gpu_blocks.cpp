// SPDX-License-Identifier: Apache-2.0
// Creates the sc_modules of a plan: each block by its kind, then the bindings of the sockets.
#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "common/error.h"
#include "modules/plan/block_build.h"
#include "platforms/gpu.h"
#include "platforms/gpu_windows.h"
#include "platforms/raw_bandwidths.h"

namespace tessera {

namespace {

/// A level of the hierarchy, for names: the parent module of the blocks that `build` creates.
class Scope final : public sc_core::sc_module {
 public:
  Scope(const sc_core::sc_module_name& name, const std::function<void()>& build) : sc_module(name) {
    build();
  }
};

}  // namespace

void Gpu::build() {
  const std::string own_path = path_;
  const NodeLevel own_level = config_.system.gpus > 1 ? NodeLevel::kSystem : NodeLevel::kGpu;
  offer_services();
  made_.resize(plan_.blocks.size());
  std::set<std::string> built;
  for (std::size_t i = 0; i < plan_.blocks.size(); ++i) {
    const PlannedNode& scope = plan_.scope_of(plan_.blocks[i]);
    if (scope.level == own_level) {
      make_block(i);
      continue;
    }
    // All blocks of a GPU are created during the construction of its module.
    if (!built.insert(scope.name).second) continue;
    const std::string name = scope.name.substr(scope.name.rfind('.') + 1);
    path_ = own_path + name + ".";
    scopes_.push_back(std::make_unique<Scope>(name.c_str(), [&] {
      for (std::size_t k = i; k < plan_.blocks.size(); ++k) {
        if (&plan_.scope_of(plan_.blocks[k]) == &scope) make_block(k);
      }
    }));
    path_ = own_path;
  }
  for (const BlockHandle& h : made_) blocks_.push_back(h.block);
  for (const PlannedLink& l : plan_.links) {
    connect(*made_[l.from].out[l.output], *made_[l.to].in[l.input]);
  }
  for (const PlannedLink& l : plan_.coherence) {
    const CoherenceSockets& child = *made_[l.from].find<CoherenceSockets>();
    const CoherenceSockets& parent = *made_[l.to].find<CoherenceSockets>();
    child.parents[l.output]->bind(*parent.children[l.input]);
  }
  set_up_dispatcher();
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
    sms_[i]->bind(fence_scope_of(SmId(static_cast<std::uint32_t>(i))), *dispatcher_);
    dispatcher_->sms[i].bind(*sms_[i]->ctas);
  }
}

FlushIf& Gpu::fence_scope_of(SmId sm) {
  FlushIf& l1 = *l1s_[sm.value];
  SharerDirectory* sharers =
      probing_.empty() ? nullptr : &probing_[sm.value / sms_per_gpu()].sharers;
  const bool copies = caching_.front()->copies_written_lines();
  if (!copies && sharers == nullptr) return l1;
  std::vector<SliceFlushIf*> slices;
  const auto count = static_cast<std::uint32_t>(slices_.size());
  for (std::uint32_t i = 0; copies && i < count; ++i) {
    if (distance(policy_context_.tree, count, sm, SliceId(i)) == NodeDistance::kSamePartition) {
      slices.push_back(slices_[i]->find<SliceFlushIf>());
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

class Gpu::Build final : public BlockBuild {
 public:
  Build(Gpu& gpu, const PlannedBlock& block) : gpu_(gpu), block_(block) {}

  const PlannedBlock& block() const override { return block_; }
  const PlatformPlan& plan() const override { return gpu_.plan_; }
  const ConfigView& config() const override { return gpu_.view_; }
  std::vector<const BlockHandle*> made(const std::string& kind,
                                       std::optional<GpuId> gpu) const override {
    return gpu_.made(kind, gpu ? std::optional(gpu->value) : std::nullopt);
  }
  std::vector<Domain*> gpu_domains() const override { return gpu_.gpu_domains(); }
  Domain& domain_of(std::uint32_t node) const override { return gpu_.domain_of(node); }

 private:
  std::vector<const BlockHandle*> all_made() const override {
    std::vector<const BlockHandle*> all;
    for (const BlockHandle& h : gpu_.made_) {
      if (h.block != nullptr) all.push_back(&h);
    }
    return all;
  }
  BlockSite common_site() const override {
    BlockSite s;
    s.name = block_.name;
    s.path = gpu_.path_ + block_.name;
    s.index = block_.index;
    s.gpu = GpuId(block_.gpu);
    s.map = gpu_.map_.get();
    s.pool = &gpu_.pool_;
    s.inputs = block_.inputs;
    s.outputs = block_.outputs;
    return s;
  }
  const std::vector<ParameterSetting>& overrides() const override {
    return gpu_.options_.overrides;
  }
  std::string implementation(const std::string& family) const override {
    return implementation_of(gpu_.config_.impl, family, gpu_.options_.overrides,
                             common_site().path);
  }
  void* find_service(std::type_index type) const override {
    for (const Service& s : gpu_.services_) {
      if (s.type == type && (!s.gpu || *s.gpu == block_.gpu)) return s.object;
    }
    return nullptr;
  }

  Gpu& gpu_;
  const PlannedBlock& block_;
};

void Gpu::make_block(std::size_t i) {
  const PlannedBlock& block = plan_.blocks[i];
  const Domain::Construction in(domain_of(block.node));
  made_[i] = kind_of(block).build(Build(*this, block));
  if (options_.on_made) options_.on_made(block);
}

void Gpu::offer_services() {
  offer(*page_table_);
  offer<PageLookupIf>(*page_table_);
  offer(*placement_);
  for (std::uint32_t g = 0; g < caching_.size(); ++g) offer(*caching_[g], g);
  if (transfer_policy_) offer(*transfer_policy_);
  offer(transfer_);
  offer(packets_);
  for (std::uint32_t g = 0; config_.needs_probes() && g < config_.system.gpus; ++g) {
    offer(probing_.emplace_back(sms_per_gpu()), g);
  }
  stack_.map = stack_map_.get();
  offer(stack_);
  raw_bandwidths_ = raw_bandwidths(config_);
  offer(raw_bandwidths_);
  uvm_platform_.placement = config_.system.page_placement;
  uvm_platform_.local_channel = [this](SmId sm) { return local_memory(sm); };
  uvm_platform_.allocated = options_.allocated;
  uvm_platform_.allocation = options_.allocation;
  offer(uvm_platform_);
  migrator_platform_ = page_migrator_platform();
  offer(migrator_platform_);
  homes_.of = [this](std::uint64_t physical) -> HomeAccessIf& {
    return *homes_of_gpus_[gpu_of(physical)];
  };
  offer(homes_);
}

PageMigratorPlatform Gpu::page_migrator_platform() {
  PageMigratorPlatform platform;
  platform.channel_of = [this](SmId sm) { return local_memory(sm); };
  platform.stop = [this](const std::vector<ChannelId>& homes,
                         const std::function<void()>& drained) { stop_memory(homes, drained); };
  platform.settled = [this] {
    return std::all_of(slices_.begin(), slices_.end(),
                       [](const BlockHandle* slice) { return slice->block->idle(); });
  };
  platform.page_in_flight = [this](std::uint64_t page) {
    return std::any_of(page_drops_.begin(), page_drops_.end(), [&](const PageDropIf* slice) {
      return slice->page_in_flight(page, config_.system.page_bytes);
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
    for (PageDropIf* slice : page_drops_) slice->drop_page(page, config_.system.page_bytes);
  };
  return platform;
}

std::vector<const BlockHandle*> Gpu::made(const std::string& kind,
                                          std::optional<std::uint32_t> gpu) const {
  std::vector<const BlockHandle*> found;
  for (std::size_t i = 0; i < made_.size(); ++i) {
    const PlannedBlock& b = plan_.blocks[i];
    if (made_[i].block == nullptr) continue;
    if (b.kind == kind && (!gpu || b.gpu == *gpu)) found.push_back(&made_[i]);
  }
  return found;
}

/// The dispatcher flushes the other blocks at kernel ends.
void Gpu::set_up_dispatcher() {
  sms_ = offered<SmHandle>();
  l1s_ = l1s();
  slices_ = made("llc");
  homes_of_gpus_ = offered<HomeAccessIf>();
  uvm_ = &only<UvmDriver>("UVM driver");
  dispatcher_ = &only<CtaDispatcher>("CTA dispatcher");
  if (const auto movers = offered<MovesPagesIf>(); !movers.empty()) migrator_ = movers.front();
  for (std::size_t i = 0; migrator_ != nullptr && i < slices_.size(); ++i) {
    page_drops_.push_back(slices_[i]->find<PageDropIf>());
    if (page_drops_.back() != nullptr) continue;
    throw InputError(plan_.path_of(*plan_.of_kind("llc")[i]) +
                     ": this implementation of the LLC slice cannot drop a page's lines, as "
                     "migration.policy needs");
  }
  for (std::uint32_t g = 0; g < config_.system.gpus; ++g) {
    dispatcher_->set_flush_stages(GpuId(g), flush_stages(g));
  }
  if (plan_.has("hmd") && config_.hierarchy.synchronisation == Synchronisation::kDynamic) {
    dispatcher_->flush_before_kernels();
  }
}

}  // namespace tessera
