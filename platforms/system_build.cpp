// SPDX-License-Identifier: Apache-2.0
// Creates the sc_modules of a plan: the nodes of its tree, each block by its kind, then the
// bindings of the sockets.
#include <algorithm>
#include <utility>

#include "common/error.h"
#include "modules/host/cta_dispatcher.h"
#include "modules/mmu/uvm_driver.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_kind.h"
#include "platforms/flush_plan.h"
#include "platforms/gpu_windows.h"
#include "platforms/raw_bandwidths.h"
#include "platforms/system.h"
#include "platforms/timeline/system_timeline.h"
#include "platforms/traffic_recorder.h"

namespace tessera {

namespace {

/// The last part of a node's name.
std::string last_name(const PlannedNode& node) {
  return node.name.substr(node.name.rfind('.') + 1);
}

}  // namespace

/// Blocks are made in the order of the plan, but all blocks of a GPU during the construction of its
/// node.
void System::build(Node& root) {
  nodes_.front() = &root;
  offer_services(root);
  for (PlannedBlockId id = 0; id < plan_.blocks.size(); ++id) {
    const PlannedNode& scope = plan_.scope_of(plan_.blocks[id]);
    const auto number = static_cast<std::uint32_t>(&scope - plan_.nodes.data());
    if (number == 0) {
      make_block(id);
    } else if (nodes_[number] == nullptr) {
      root.adopt(std::make_unique<Node>(last_name(scope).c_str(), scope, &root, domain_of(number),
                                        [&](Node& gpu) { make_gpu(gpu, number); }));
    }
  }
  for (PlannedBlockId id = 0; id < plan_.blocks.size(); ++id) blocks_.push_back(made_[id].block);
  bind_links();
  find_parts();
  set_flush_stages();
  join_sms();
}

void System::make_gpu(Node& gpu, std::uint32_t number) {
  nodes_[number] = &gpu;
  offer_services_of_gpu(gpu, static_cast<std::uint32_t>(gpu.parent()->children().size()));
  make_nodes_below(gpu, number);
  for (PlannedBlockId id = 0; id < plan_.blocks.size(); ++id) {
    if (&plan_.scope_of(plan_.blocks[id]) == &plan_.nodes[number]) make_block(id);
  }
}

void System::make_nodes_below(Node& node, std::uint32_t number) {
  for (std::uint32_t n = number + 1; n < plan_.nodes.size(); ++n) {
    const PlannedNode& below = plan_.nodes[n];
    if (below.parent != number) continue;
    nodes_[n] =
        &node.adopt(std::make_unique<Node>(last_name(below).c_str(), below, &node, domain_of(n),
                                           [&](Node& made) { make_nodes_below(made, n); }));
  }
}

Domain& System::domain_of(std::uint32_t node) {
  const NodeLevel level = options_.windows ? NodeLevel::kGpu : options_.domains;
  while (plan_.nodes[node].level > level) node = plan_.nodes[node].parent;
  return domains_.try_emplace(node, plan_.nodes[node].name).first->second;
}

std::vector<Domain*> System::gpu_domains() {
  std::vector<Domain*> domains;
  for (std::uint32_t n = 0; n < plan_.nodes.size(); ++n) {
    if (plan_.nodes[n].level == NodeLevel::kGpu) domains.push_back(&domain_of(n));
  }
  return domains;
}

void System::run_ahead() {
  if (const auto why = why_no_windows(plan_, config_, options_.overrides)) throw InputError(*why);
  DomainRunner::instance().run_ahead(gpu_domains(), *options_.windows);
}

void System::bind_links() {
  for (const PlannedLink& l : plan_.links) {
    connect(l);
  }
  for (const PlannedLink& l : plan_.coherence) {
    const CoherenceSockets& child = *made_[l.from].find<CoherenceSockets>();
    const CoherenceSockets& parent = *made_[l.to].find<CoherenceSockets>();
    if (timeline_) {
      CoherenceRecorder& recorder = timeline_->splice_coherence(l);
      child.parents[l.output]->bind(recorder.target);
      recorder.initiator.bind(*parent.children[l.input]);
      continue;
    }
    child.parents[l.output]->bind(*parent.children[l.input]);
  }
}

/// Binds the sockets of a link, through what is spliced between them.
void System::connect(const PlannedLink& link) {
  InitiatorPort* from = made_[link.from].out[link.output];
  const auto bind_to = [&from](TargetPort& to) {
    from->get_base_port().bind(to.get_base_interface());
    to.get_base_port().bind(from->get_base_interface());
  };
  const auto splice = [&](auto& between) {
    bind_to(between.target);
    from = &between.initiator;
  };
  if (options_.check_protocol) {
    checkers_.push_back(
        std::make_unique<ProtocolChecker>(("check" + std::to_string(checkers_.size())).c_str()));
    splice(*checkers_.back());
  }
  if (timeline_) splice(timeline_->splice(link));
  if (TrafficSocket* const recorder = traffic_ ? traffic_->splice(link) : nullptr)
    splice(*recorder);
  bind_to(*made_[link.to].in[link.input]);
}

void System::join_sms() {
  for (std::size_t i = 0; i < sms_.each().size(); ++i) {
    SmHandle& sm = *sms_.each()[i];
    const auto number = static_cast<std::uint32_t>(i);
    if (timeline_) {
      CtaRecorder& recorder = timeline_->splice_ctas(number, *sm.ctas, *dispatcher_);
      sm.bind(fence_scope_of(SmId(number)), recorder);
      dispatcher_->sms[i].bind(recorder);
      continue;
    }
    sm.bind(fence_scope_of(SmId(number)), *dispatcher_);
    dispatcher_->sms[i].bind(*sm.ctas);
  }
}

FlushIf& System::fence_scope_of(SmId sm) {
  FlushIf& l1 = timeline_ ? timeline_->splice(*l1s_[sm.value]) : *l1s_[sm.value];
  SharerDirectory* sharers =
      probing_.empty() ? nullptr : &probing_[sm.value / sms_per_gpu()].sharers;
  const bool copies = caching_.front()->copies_written_lines();
  if (!copies && sharers == nullptr) return l1;
  const std::vector<const BlockHandle*> all = made_.of_kind("llc");
  std::vector<SliceFlushIf*> slices;
  const auto count = static_cast<std::uint32_t>(all.size());
  for (std::uint32_t i = 0; copies && i < count; ++i) {
    if (distance(policy_context_.tree, count, sm, SliceId(i)) == NodeDistance::kSamePartition) {
      slices.push_back(all[i]->find<SliceFlushIf>());
    }
  }
  return *fence_scopes_.emplace_back(std::make_unique<FenceScope>(l1, std::move(slices), sharers));
}

class System::Build final : public BlockBuild {
 public:
  Build(System& system, const PlannedBlock& block) : system_(system), block_(block) {}

  const PlannedBlock& block() const override { return block_; }
  const PlatformPlan& plan() const override { return system_.plan_; }
  const ConfigView& config() const override { return system_.view_; }
  std::vector<const BlockHandle*> made(const std::string& kind,
                                       std::optional<GpuId> gpu) const override {
    return system_.made_.of_kind(kind, gpu ? std::optional(gpu->value) : std::nullopt);
  }
  std::vector<Domain*> gpu_domains() const override { return system_.gpu_domains(); }
  Domain& domain_of(std::uint32_t node) const override { return system_.domain_of(node); }

 private:
  std::vector<void*> find_offered(std::type_index interface) const override {
    return system_.made_.offered(interface);
  }
  BlockSite common_site() const override {
    BlockSite s;
    s.name = block_.name;
    s.path = system_.plan_.path_of(block_);
    s.index = block_.index;
    s.gpu = GpuId(block_.gpu);
    s.map = system_.map_.get();
    s.pool = &system_.pool_;
    s.inputs = block_.inputs;
    s.outputs = block_.outputs;
    return s;
  }
  const std::vector<ParameterSetting>& overrides() const override {
    return system_.options_.overrides;
  }
  std::string implementation(const std::string& family) const override {
    return implementation_of(system_.config_.impl, family, overrides(),
                             system_.plan_.path_of(block_));
  }
  void* find_service(std::type_index type) const override {
    return system_.nodes_[block_.node]->find_service(type);
  }

  System& system_;
  const PlannedBlock& block_;
};

void System::make_block(PlannedBlockId id) {
  const PlannedBlock& block = plan_.blocks[id];
  const Domain::Construction in(nodes_[block.node]->domain());
  made_.add(id, kind_of(block).build(Build(*this, block)));
  if (options_.on_made) options_.on_made(block);
}

void System::offer_services(Node& root) {
  root.offer(*page_table_);
  root.offer<PageLookupIf>(*page_table_);
  root.offer(*placement_);
  root.offer(*transfer_policy_);
  root.offer(transfer_);
  root.offer(packets_);
  stack_.map = stack_map_.get();
  root.offer(stack_);
  raw_bandwidths_ = raw_bandwidths(config_);
  root.offer(raw_bandwidths_);
  uvm_platform_.placement = config_.system.page_placement;
  uvm_platform_.local_channel = [this](SmId sm) { return local_memory(sm); };
  uvm_platform_.allocated = options_.allocated;
  uvm_platform_.allocation = options_.allocation;
  root.offer(uvm_platform_);
  migrator_platform_.channel_of = [this](SmId sm) { return local_memory(sm); };
  migrator_platform_.copy = [this](std::uint64_t from, std::uint64_t to) {
    if (on_page_copied) on_page_copied(from, to);
  };
  root.offer(migrator_platform_);
  homes_.of = [this](std::uint64_t physical) -> HomeAccessIf& {
    const std::uint32_t slice = map_->locate(physical).slice.value;
    return *homes_of_gpus_[slice / config_.system.slices_per_gpu()];
  };
  root.offer(homes_);
}

void System::offer_services_of_gpu(Node& gpu, std::uint32_t number) {
  gpu.offer(*caching_[number]);
  gpu.offer(transfer_.of_gpus[number]);
  if (config_.needs_probes()) gpu.offer(probing_.emplace_back(sms_per_gpu()));
}

/// The blocks of a GPU that the page migrator stops and empties.
MigrationTargets System::migration_targets(std::uint32_t gpu) const {
  MigrationTargets targets;
  for (std::uint32_t i = gpu * sms_per_gpu(); i < (gpu + 1) * sms_per_gpu(); ++i) {
    targets.sms.push_back({local_memory(SmId(i)), sms_.each()[i]->quiesce, l1s_[i]});
  }
  targets.tlbs = made_.offered<TranslationsIf>(gpu);
  const std::vector<const BlockHandle*> slices = made_.of_kind("llc", gpu);
  for (std::size_t i = 0; i < slices.size(); ++i) {
    targets.slices.push_back({slices[i]->block, slices[i]->find<PageDropIf>()});
    if (targets.slices.back().pages != nullptr) continue;
    throw InputError(plan_.path_of(*plan_.of_kind("llc")[gpu * slices.size() + i]) +
                     ": this implementation of the LLC slice cannot drop a page's lines, as "
                     "migration.policy needs");
  }
  return targets;
}

/// The blocks that the platform itself uses.
void System::find_parts() {
  sms_ = SmGroup(made_.offered<SmHandle>());
  l1s_ = l1s_of(plan_, made_);
  if (timeline_) timeline_->observe();
  homes_of_gpus_ = made_.offered<HomeAccessIf>();
  uvm_ = &made_.only<UvmDriver>("UVM driver");
  dispatcher_ = &made_.only<CtaDispatcher>("CTA dispatcher");
  const std::vector<MovesPagesIf*> movers = made_.offered<MovesPagesIf>();
  if (movers.empty()) return;
  migrator_ = movers.front();
  for (std::uint32_t g = 0; g < config_.system.gpus; ++g) {
    migrator_->set_targets(GpuId(g), migration_targets(g));
  }
}

/// The dispatcher flushes the other blocks at kernel ends.
void System::set_flush_stages() {
  const FlushPlanOptions options{caching_.front()->copies(), options_.keep_replicas};
  for (std::uint32_t g = 0; g < config_.system.gpus; ++g) {
    FlushStages stages = flush_stages_of(plan_, made_, g, options);
    if (timeline_) stages = timeline_->splice(std::move(stages));
    dispatcher_->set_flush_stages(GpuId(g), std::move(stages));
  }
  if (plan_.has("hmd") && config_.hierarchy.synchronisation == Synchronisation::kDynamic) {
    dispatcher_->flush_before_kernels();
  }
}

}  // namespace tessera
