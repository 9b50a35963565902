// SPDX-License-Identifier: Apache-2.0
#include "platforms/gpu.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "modules/kernel/huge_pages.h"
#include "platforms/topology/shape.h"

namespace tessera {

Gpu::Gpu(const sc_core::sc_module_name& name, const GpuConfig& config, TransactionPool& pool,
         const GpuOptions& options)
    : sc_module(name),
      config_(config),
      plan_(plan_of(config)),
      pool_(pool),
      options_(options),
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
  transfer_.of_gpus.resize(config_.system.gpus);
  if (config_.system.gpus > 1) {
    transfer_policy_ = config_.transfer_policy();
    for (RemoteAccessMode& mode : transfer_.of_gpus) mode = transfer_policy_->start();
  }
  if (plan_.has("stack")) {
    stack_map_ = make_address_map("gpu-interleave", config_.stack_geometry());
  }
  build();
  open_backdoor();
}

void Gpu::register_statistics(StatisticsRegistry& registry) const {
  for (const Block* b : blocks_) b->register_statistics(registry);
  registry.counters(path_ + AddressMap::kFamily, map_->counters());
  for (std::size_t g = 0; g < caching_.size(); ++g) {
    const std::string gpu = caching_.size() == 1 ? "" : "gpu" + std::to_string(g) + ".";
    registry.counters(path_ + gpu + RemoteCaching::kFamily, caching_[g]->counters());
  }
  if (transfer_policy_) {
    registry.counters(path_ + TransferPolicy::kFamily, transfer_policy_->counters());
  }
}

std::vector<CpuCore*> Gpu::cpu_cores() const { return offered<CpuCore>(); }

std::vector<FlushIf*> Gpu::l1s(std::optional<std::uint32_t> gpu) const {
  std::vector<FlushIf*> all;
  for (std::size_t i = 0; i < made_.size(); ++i) {
    const PlannedBlock& b = plan_.blocks[i];
    if (kind_of(b).level != "l1" || (gpu && b.gpu != *gpu)) continue;
    all.push_back(made_[i].find<FlushIf>());
  }
  return all;
}

bool Gpu::caches_arrays() const { return node_shape_of(config_.system).caches_others; }

void Gpu::check_caching(const CachingByAllocation& by_allocation) const {
  const bool copies = std::any_of(by_allocation.begin(), by_allocation.end(),
                                  [](const auto& c) { return c.has_value() && c->at_requester; });
  if (copies && !caching_.front()->copies()) {
    throw InputError(
        "a launch plan caches an array at its requesters, and system.remote_caching (" +
        config_.system.remote_caching + ") keeps no copies");
  }
}

std::optional<std::string> Gpu::why_one_kernel() const {
  if (config_.migration.policy == "replication") {
    return "migration.policy is replication: the replicas of pages are released at a kernel's end, "
           "when no other kernel uses them";
  }
  return std::nullopt;
}

/// SMs are spread evenly over the memories in which pages are placed (channels or GPUs), neighbours
/// together, like NUBA's partitions. If the GPUs of a coherent hierarchy have partitions, over the
/// stacks of each GPU.
ChannelId Gpu::local_memory(SmId sm) const {
  const std::uint32_t stacks = config_.hierarchy.stacks;
  if (config_.hierarchy.partitioned && config_.system.channels == stacks &&
      map_->page_homes() == stacks) {
    // In each GPU, the stack with the number of a page's channel caches the page.
    return ChannelId(sm.value % sms_per_gpu() / (sms_per_gpu() / stacks));
  }
  return ChannelId(static_cast<std::uint32_t>(std::uint64_t{sm.value} * map_->page_homes() /
                                              config_.system.sms));
}

void Gpu::kernel_ended() {
  for (KernelEndIf* block : offered<KernelEndIf>()) block->kernel_ended();
}

std::uint64_t Gpu::warp_instructions() const {
  std::uint64_t sum = 0;
  for (const SmHandle* sm : sms_) sum += sm->warp_instructions();
  return sum;
}

std::uint64_t Gpu::thread_instructions() const {
  std::uint64_t sum = 0;
  for (const SmHandle* sm : sms_) sum += sm->thread_instructions();
  return sum;
}

void Gpu::settle_statistics() {
  for (const SmHandle* sm : sms_) {
    if (sm->settle_statistics) sm->settle_statistics();
  }
  dispatcher_->settle_statistics();
}

std::uint64_t Gpu::resident_warps() const {
  std::uint64_t sum = 0;
  for (const SmHandle* sm : sms_) sum += sm->resident_warps();
  return sum;
}

std::uint64_t Gpu::take_instructions(LaunchSlot launch) {
  std::uint64_t sum = 0;
  for (const SmHandle* sm : sms_) {
    if (sm->take_instructions) sum += sm->take_instructions(launch);
  }
  return sum;
}

std::vector<CountedLevel> Gpu::levels() {
  std::vector<CountedLevel> all;
  const std::vector<const BlockKind*> kinds = kinds_from_memory();
  std::for_each(kinds.rbegin(), kinds.rend(), [&](const BlockKind* kind) {
    if (kind->level.empty()) return;
    CountedLevel level;
    level.name = kind->level;
    level.is_cache = kind->is_cache;
    for (const BlockHandle* block : made(kind->name)) {
      if (auto* const counts = block->find<LaunchCounts>()) level.blocks.push_back(counts);
    }
    if (!level.blocks.empty()) all.push_back(std::move(level));
  });
  return all;
}

const ProtocolChecker* Gpu::unfinished_checker() const {
  for (const auto& c : checkers_) {
    if (c->outstanding() != 0) return c.get();
  }
  return nullptr;
}

/// Adds the blocks that hold bytes to the backdoor, from the memory side to the SM side, and makes
/// their untimed accesses use it.
void Gpu::open_backdoor() {
  drams_ = made("dram");
  for (const BlockHandle* slice : slices_) {
    hidden_bytes_.push_back(slice->find<HoldsBytes>() == nullptr ? slice : nullptr);
  }
  for (const BlockKind* kind : kinds_from_memory()) {
    for (const BlockHandle* block : made(kind->name)) {
      auto* const bytes = block->find<HoldsBytes>();
      if (bytes == nullptr) continue;
      backdoor_.add(*bytes);
      bytes->use(backdoor_);
    }
  }
}

/// Debug access below all blocks of the backdoor: to the line's channel, or to a home slice that
/// does not expose its bytes.
unsigned Gpu::debug_memory(tlm::tlm_generic_payload& payload) {
  if (payload.get_address() >= map_->geometry().total_bytes()) return 0;
  const Location where = map_->locate(payload.get_address());
  const BlockHandle* lowest = drams_[where.channel.value];
  if (!hidden_bytes_.empty() && hidden_bytes_[where.slice.value] != nullptr) {
    lowest = hidden_bytes_[where.slice.value];
  }
  return lowest->in.front()->get_base_interface().transport_dbg(payload);
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
