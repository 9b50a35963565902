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
      options_(options),
      path_(std::string(this->name()) + "."),
      map_(make_address_map(config.system.address_map, config.geometry(),
                            config.system.address_map_seed)),
      placement_(make_page_placement(config.system.page_placement, {config.system.lab_threshold})),
      page_table_(std::make_unique<PageTable>(*map_)) {
  for (std::uint32_t g = 0; g < config_.system.gpus; ++g) {
    caching_.push_back(make_remote_caching(config_.system.remote_caching));
  }
  if (config_.system.gpus > 1) {
    const std::uint32_t slices = config_.system.slices_per_gpu();
    for (std::uint32_t g = 0; g < config_.system.gpus; ++g) {
      caching_within_.push_back(
          make_caching_within(*caching_[g], SliceId(g * slices), SliceId((g + 1) * slices)));
    }
    transfer_policy_ = make_transfer_policy(config_.system.transfer, config_.decision.thresholds);
    transfer_ = transfer_policy_->start();
  }
  build();
}

void Gpu::stop_memory(const std::function<void()>& drained) {
  undrained_ = sms_.size();
  for (BlockHandle* sm : sms_) {
    sm->sm.quiesce->quiesce([this, drained] {
      if (--undrained_ == 0) drained();
    });
  }
}

void Gpu::forget_memory() {
  for (BlockHandle* tlb : made(BlockKind::kL2Tlb)) tlb->forget();
  for (const BlockHandle* l1 : l1s_) l1->flush->flush();
}

void Gpu::resume_memory(const std::vector<ChannelId>& homes) {
  for (std::uint32_t i = 0; i < sms_.size(); ++i) {
    if (std::find(homes.begin(), homes.end(), local_memory(SmId(i))) != homes.end()) {
      sms_[i]->sm.quiesce->resume();
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
  for (BlockHandle* rdma : rdmas_) rdma->rdma.kernel_ended();
}

std::uint64_t Gpu::warp_instructions() const {
  std::uint64_t sum = 0;
  for (const BlockHandle* sm : sms_) sum += sm->sm.warp_instructions();
  return sum;
}

std::uint64_t Gpu::resident_warps() const {
  std::uint64_t sum = 0;
  for (const BlockHandle* sm : sms_) sum += sm->sm.resident_warps();
  return sum;
}

const ProtocolChecker* Gpu::unfinished_checker() const {
  for (const auto& c : checkers_) {
    if (c->outstanding() != 0) return c.get();
  }
  return nullptr;
}

void Gpu::debug(tlm::tlm_command command, std::uint64_t physical, void* data, unsigned length) {
  // A write goes in by every partition, whose slice may hold a copy of another's line. Of several
  // GPUs, the line's own serves: no other keeps copies between kernels.
  const SystemConfig& s = config_.system;
  const std::uint32_t ways = command == tlm::TLM_WRITE_COMMAND ? s.partitions() : 1;
  const std::uint32_t first = s.gpus == 1 ? 0 : gpu_of(physical) * sms_per_gpu();
  for (std::uint32_t p = 0; p < ways; ++p) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(physical);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    InitiatorPort& to_l1 = *sms_[first + p * s.sms_per_partition()]->out.front();
    if (to_l1.get_base_port()->transport_dbg(payload) != length) {
      SC_REPORT_FATAL("/tessera/platform/debug_access", "a debug access was not served");
    }
  }
}

void Gpu::start_of_simulation() { move_heap_to_huge_pages(); }

}  // namespace tessera
