// SPDX-License-Identifier: Apache-2.0
#include "platforms/system.h"

#include <algorithm>

#include "common/error.h"
#include "modules/host/cpu_core.h"
#include "modules/host/cta_dispatcher.h"
#include "modules/plan/block_kind.h"
#include "platforms/profile/access_profile.h"
#include "platforms/timeline/system_timeline.h"
#include "platforms/topology/shape.h"
#include "platforms/topology/system_facts.h"
#include "platforms/traffic_recorder.h"

namespace tessera {

std::string System::why_values() const {
  const auto blocks = made_.offered<NeedsValuesIf>();
  return blocks.empty() ? "" : blocks.front()->why_values();
}

std::vector<RecordsSignalsIf*> System::recording_blocks() const {
  return made_.offered<RecordsSignalsIf>();
}

std::vector<CpuCore*> System::cpu_cores() const { return made_.offered<CpuCore>(); }

System::System(const GpuConfig& config, TransactionPool& pool, const SystemOptions& options)
    : config_(config),
      plan_(plan_of(config)),
      view_(config_, plan_),
      pool_(pool),
      options_(options),
      policy_context_(facts_of(config)),
      map_(make_address_map(config.system.address_map, policy_context_, config.address_map)),
      placement_(config.page_placement.make(config.system.page_placement, policy_context_)),
      page_table_(std::make_unique<PageTable>(*map_)),
      transfer_policy_(transfer_policy_of(config)),
      transfer_{std::vector<RemoteAccessMode>(config.system.gpus, transfer_policy_->start())},
      nodes_(plan_.nodes.size()),
      made_(plan_) {
  for (std::uint32_t g = 0; g < config_.system.gpus; ++g) {
    caching_.push_back(config_.remote_caching.make(config_.system.remote_caching, policy_context_));
  }
  if (plan_.has("stack")) {
    stack_map_ = make_address_map("gpu-interleave", stack_geometry_of(config_));
  }
  if (options_.timeline) {
    timeline_ =
        std::make_unique<SystemTimeline>(plan_, made_, *options_.timeline, config_.l1.clock_hz);
  }
  if (!options_.traffic.empty()) {
    traffic_ = std::make_unique<TrafficRecorders>(plan_, options_.traffic);
  }
  root_ = std::make_unique<Node>("system", plan_.nodes.front(), nullptr, domain_of(0),
                                 [this](Node& root) { build(root); });
  memory_ = std::make_unique<UntimedMemory>(made_, *map_);
}

System::~System() = default;

void System::finish_traffic(Tick end) {
  if (traffic_) traffic_->finish(end);
}

void System::register_statistics(StatisticsRegistry& registry) const {
  for (const Block* b : blocks_) b->register_statistics(registry);
  const std::string shared = plan_.shared_scope().name + ".";
  registry.counters(shared + AddressMap::kFamily, map_->counters());
  for (std::size_t g = 0; g < caching_.size(); ++g) {
    const std::string gpu = root_->path() + ".gpu" + std::to_string(g) + ".";
    registry.counters(gpu + RemoteCaching::kFamily, caching_[g]->counters());
  }
  registry.counters(shared + TransferPolicy::kFamily, transfer_policy_->counters());
}

bool System::caches_arrays() const { return node_shape_of(config_.system).caches_others; }

void System::check_caching(const CachingByAllocation& by_allocation) const {
  const bool copies = std::any_of(by_allocation.begin(), by_allocation.end(),
                                  [](const auto& c) { return c.has_value() && c->at_requester; });
  if (copies && !caching_.front()->copies()) {
    throw InputError(
        "a launch plan caches an array at its requesters, and system.remote_caching (" +
        config_.system.remote_caching + ") keeps no copies");
  }
}

std::optional<std::string> System::why_one_kernel() const {
  if (config_.migration.policy == "replication") {
    return "migration.policy is replication: the replicas of pages are released at a kernel's end, "
           "when no other kernel uses them";
  }
  return std::nullopt;
}

/// SMs are spread evenly over the memories in which pages are placed (channels or GPUs), neighbours
/// together, like NUBA's partitions. If the GPUs of a coherent hierarchy have partitions, over the
/// stacks of each GPU.
ChannelId System::local_memory(SmId sm) const {
  const std::uint32_t stacks = config_.hierarchy.stacks;
  if (config_.hierarchy.partitioned && config_.system.channels == stacks &&
      map_->page_homes() == stacks) {
    // In each GPU, the stack with the number of a page's channel caches the page.
    return ChannelId(sm.value % sms_per_gpu() / (sms_per_gpu() / stacks));
  }
  return ChannelId(static_cast<std::uint32_t>(std::uint64_t{sm.value} * map_->page_homes() /
                                              config_.system.sms));
}

void System::kernel_ended() {
  for (KernelEndIf* block : made_.offered<KernelEndIf>()) block->kernel_ended();
}

ProfiledPlatform System::profiled(const Allocations& allocations,
                                  const ClockDomain& sm_clock) const {
  ProfiledPlatform p;
  p.plan = &plan_;
  p.made = &made_;
  p.map = map_.get();
  p.pages = page_table_.get();
  p.allocations = &allocations;
  p.sm_clock = &sm_clock;
  p.line_bytes = config_.system.line_bytes;
  return p;
}

void System::settle_statistics() {
  sms_.settle_statistics();
  dispatcher_->settle_statistics();
}

std::vector<CountedLevel> System::levels() {
  std::vector<CountedLevel> all;
  const std::vector<const BlockKind*> kinds = kinds_from_memory();
  std::for_each(kinds.rbegin(), kinds.rend(), [&](const BlockKind* kind) {
    if (kind->level.empty()) return;
    CountedLevel level;
    level.name = kind->level;
    level.is_cache = kind->is_cache;
    for (const BlockHandle* block : made_.of_kind(kind->name)) {
      if (auto* const counts = block->find<LaunchCounts>()) level.blocks.push_back(counts);
    }
    if (!level.blocks.empty()) all.push_back(std::move(level));
  });
  return all;
}

const ProtocolChecker* System::unfinished_checker() const {
  for (const auto& c : checkers_) {
    if (c->outstanding() != 0) return c.get();
  }
  return nullptr;
}

}  // namespace tessera
