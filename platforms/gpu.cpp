// SPDX-License-Identifier: Apache-2.0
#include "platforms/gpu.h"

#include <algorithm>
#include <utility>

#include "modules/core/huge_pages.h"
#include "platforms/topology/shape.h"

namespace tessera {

Gpu::Gpu(const sc_core::sc_module_name& name, const GpuConfig& config, TransactionPool& pool,
         const GpuOptions& options)
    : sc_module(name),
      config_(config),
      plan_(plan_of(config)),
      pool_(pool),
      check_protocol_(options.check_protocol),
      path_(std::string(this->name()) + "."),
      policy_context_(config.policy_context()),
      map_(make_address_map(config.system.address_map, policy_context_, config.address_map)),
      placement_(config.page_placement.make(config.system.page_placement, policy_context_)),
      page_table_(std::make_unique<PageTable>(*map_)),
      backdoor_(config.system.line_bytes,
                [this](tlm::tlm_generic_payload& p) { return debug_memory(p); }) {
  for (std::uint32_t g = 0; g < config_.system.gpus; ++g) {
    caching_.push_back(config_.remote_caching.make(config_.system.remote_caching, policy_context_));
  }
  if (config_.system.gpus > 1) {
    transfer_policy_ = config_.transfer_policy();
    transfer_ = transfer_policy_->start();
  }
  build(options);
  open_backdoor();
}

void Gpu::register_statistics(StatisticsRegistry& registry) const {
  for (const Block* b : blocks_) b->register_statistics(registry);
  registry.counters(path_ + AddressMap::kFamily, map_->counters());
  for (const auto& caching : caching_) {
    registry.counters(path_ + RemoteCaching::kFamily, caching->counters());
  }
  if (transfer_policy_) {
    registry.counters(path_ + TransferPolicy::kFamily, transfer_policy_->counters());
  }
}

void Gpu::build_page_migrator() {
  const PageMigratorConfig& c = config_.migration;
  std::unique_ptr<PageMigrationPolicy> policy =
      config_.page_migration.make(c.policy, policy_context_);
  const auto channel_of = [this](SmId sm) { return local_memory(sm); };
  page_table_->channel_of_sm = channel_of;
  PageMigratorPlatform platform;
  platform.channel_of = channel_of;
  platform.stop = [this](const std::function<void()>& drained) { stop_memory(drained); };
  platform.settled = [this] {
    return std::all_of(slices_.begin(), slices_.end(),
                       [](const BlockHandle* slice) { return slice->block->idle(); });
  };
  platform.forget = [this] { forget_memory(); };
  platform.resume = [this](const std::vector<ChannelId>& homes) { resume_memory(homes); };
  platform.copy = [this](std::uint64_t from, std::uint64_t to) {
    if (on_page_copied) on_page_copied(from, to);
  };
  platform.drop = [this](std::uint64_t page) {
    for (const BlockHandle* slice : slices_) {
      slice->page_drop->drop_page(page, config_.system.page_bytes);
    }
  };
  migrator_ = std::make_unique<PageMigrator>("mover", c, std::move(policy), *page_table_,
                                             std::move(platform));
}

MdrEngine& Gpu::build_mdr(const PlannedBlock& block) {
  const LlcSliceConfig& llc = config_.llc;
  const std::uint32_t slices = config_.system.slices_per_gpu();
  const std::uint32_t sms = sms_per_gpu();
  mdrs_.push_back(std::make_unique<MdrEngine>(
      block.name.c_str(), config_.mdr,
      SetSampler::Shape{llc.sets, llc.ways, config_.mdr.sampled_sets, llc.install_remote_misses},
      config_.raw_bandwidths(), *caching_[block.gpu]->monitored(),
      MdrEngine::Scope{{SliceId(block.gpu * slices), SliceId((block.gpu + 1) * slices)},
                       {SmId(block.gpu * sms), SmId((block.gpu + 1) * sms)}}));
  return *mdrs_.back();
}

void Gpu::stop_memory(const std::function<void()>& drained) {
  undrained_ = sms_.size();
  for (SmCluster* sm : sms_) {
    sm->quiesce([this, drained] {
      if (--undrained_ == 0) drained();
    });
  }
}

void Gpu::forget_memory() {
  for (L2Tlb* tlb : l2_tlbs_) tlb->invalidate_all();
  for (const BlockHandle* l1 : l1s_) l1->flush->flush();
}

void Gpu::resume_memory(const std::vector<ChannelId>& homes) {
  for (std::uint32_t i = 0; i < sms_.size(); ++i) {
    if (std::find(homes.begin(), homes.end(), local_memory(SmId(i))) != homes.end()) {
      sms_[i]->resume();
    }
  }
}

/// SMs are spread evenly over the channels (or GPUs) that pages are placed in, neighbours together,
/// as NUBA's partitions are.
ChannelId Gpu::local_memory(SmId sm) const {
  return ChannelId(static_cast<std::uint32_t>(std::uint64_t{sm.value} * map_->page_homes() /
                                              config_.system.sms));
}

void Gpu::kernel_ended() {
  for (RdmaEngine* rdma : rdmas_) rdma->kernel_ended();
}

const ProtocolChecker* Gpu::unfinished_checker() const {
  for (const auto& c : checkers_) {
    if (c->outstanding() != 0) return c.get();
  }
  return nullptr;
}

/// Untimed accesses of every block go through the platform's own way, from below to above.
void Gpu::open_backdoor() {
  drams_ = made(BlockKind::kDram);
  for (const BlockKind kind : {BlockKind::kLlc, BlockKind::kRemoteCache, BlockKind::kL1}) {
    for (const BlockHandle* block : made(kind)) {
      if (block->bytes == nullptr) continue;
      backdoor_.add(*block->bytes);
      block->bytes->use(backdoor_);
    }
  }
}

/// Below all that holds bytes: the line's channel, or a home slice that tells nobody what it holds.
unsigned Gpu::debug_memory(tlm::tlm_generic_payload& payload) {
  if (payload.get_address() >= map_->geometry().total_bytes()) return 0;
  const Location where = map_->locate(payload.get_address());
  const BlockHandle& slice = *slices_[where.slice.value];
  const BlockHandle& lowest = slice.bytes == nullptr ? slice : *drams_[where.channel.value];
  return lowest.in.front()->get_base_interface().transport_dbg(payload);
}

void Gpu::debug(tlm::tlm_command command, std::uint64_t physical, void* data, unsigned length) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(physical);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(length);
  payload.set_streaming_width(length);
  if (backdoor_.access_debug(payload) != length) {
    SC_REPORT_FATAL("/tessera/platform/debug_access", "a debug access was not served");
  }
}

void Gpu::start_of_simulation() { move_heap_to_huge_pages(); }

}  // namespace tessera
