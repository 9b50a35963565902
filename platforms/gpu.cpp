// SPDX-License-Identifier: Apache-2.0
#include "platforms/gpu.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "modules/core/huge_pages.h"
#include "policies/cta_scheduler.h"

namespace tessera {

namespace {

std::string numbered(const char* kind, std::uint32_t i) { return kind + std::to_string(i); }

}  // namespace

Gpu::Gpu(const sc_core::sc_module_name& name, const GpuConfig& config, TransactionPool& pool,
         const GpuOptions& options)
    : sc_module(name),
      config_(config),
      pool_(pool),
      check_protocol_(options.check_protocol),
      path_(std::string(this->name()) + "."),
      map_(make_address_map(config.system.address_map, config.geometry(),
                            config.system.address_map_seed)),
      placement_(make_page_placement(config.system.page_placement, {config.system.lab_threshold})),
      caching_(make_remote_caching(config.system.remote_caching)),
      page_table_(std::make_unique<PageTable>(*map_)) {
  build_page_mover();
  build_mdr();
  if (config_.system.line_sharing) {
    line_sharing_ = std::make_unique<LineSharing>(std::string(this->name()) + ".line_sharing",
                                                  config_.system.sms, config_.system.line_bytes);
    blocks_.push_back(line_sharing_.get());
  }
  // Statistics are listed in the order in which blocks are made. Those of a GPU among several can
  // be made only while its module is.
  if (config_.system.gpus == 1) {
    build_one(0, options);
    build_mmu(options);
    add_sms(0, options);
    build_dispatcher(options);
  } else {
    build_several(options);
    build_mmu(options);
    build_dispatcher(options);
  }
  dispatch_to_sms();
  for (const BlockHandle& slice : slices_) {
    if (mover_ && slice.page_drop == nullptr) {
      throw InputError("implementation '" + config_.impl.llc +
                       "' of the LLC slice cannot drop a page's lines, as migration.policy needs");
    }
  }
}

/// What a GPU has of its own, but for its SMs.
void Gpu::build_one(std::uint32_t gpu, const GpuOptions& options) {
  build_memory(gpu, options);
  l2_tlbs_.push_back(std::make_unique<L2Tlb>("l2_tlb", config_.l2_tlb, config_.system.page_bytes,
                                             pool_, sms_per_gpu()));
  blocks_.push_back(l2_tlbs_.back().get());
}

void Gpu::build_mmu(const GpuOptions& options) {
  walker_ = std::make_unique<PageWalker>("walker", config_.walker, *page_table_);
  UvmPlatform platform;
  platform.local_channel = [this](SmId sm) { return local_memory(sm); };
  platform.allocated = options.allocated;
  platform.allocation = options.allocation;
  uvm_ = std::make_unique<UvmDriver>("uvm", config_.uvm, *page_table_, *placement_,
                                     std::move(platform));
  if (l2_tlbs_.size() == 1) {
    connect(l2_tlbs_[0]->walker, walker_->in);
  } else {
    BlockHandle& iommu = add_network(
        "iommu", [](std::uint32_t) { return 0U; }, options);
    for (std::size_t g = 0; g < l2_tlbs_.size(); ++g) connect(l2_tlbs_[g]->walker, *iommu.in[g]);
    connect(*iommu.out[0], walker_->in);
  }
  connect(walker_->driver, uvm_->in);
  blocks_.insert(blocks_.end(), {walker_.get(), uvm_.get()});
}

void Gpu::build_dispatcher(const GpuOptions& options) {
  // Copies of other partitions' lines are good for one kernel (NUBA section 5.3).
  std::vector<SliceFlushIf*> flushed;
  const auto flush_each = [this, &flushed](const std::vector<BlockHandle>& slices,
                                           const char* needs) {
    for (const BlockHandle& slice : slices) {
      if (slice.slice_flush == nullptr) {
        throw InputError("implementation '" + config_.impl.llc +
                         "' of the LLC slice cannot be flushed, as " + needs + " needs");
      }
      flushed.push_back(slice.slice_flush);
    }
  };
  if (config_.system.remote_caching != "home" && !options.keep_replicas) {
    flush_each(slices_, "system.remote_caching");
  }
  // So is what a GPU holds of other GPUs' memory (DualOpt section 4.4).
  if (!options.keep_replicas) flush_each(remote_caches_, "system.transfer");
  if (mover_) flushed.push_back(mover_.get());
  if (mdr_ && !options.keep_replicas) flushed.push_back(mdr_.get());
  dispatcher_ = std::make_unique<CtaDispatcher>(
      "dispatcher", config_.dispatch,
      make_cta_scheduler(config_.dispatch.scheduler, {config_.system.gpus}), config_.system.sms,
      flushed.size());
  for (std::size_t i = 0; i < flushed.size(); ++i) dispatcher_->slices[i].bind(*flushed[i]);
  blocks_.push_back(dispatcher_.get());
}

void Gpu::add_sms(std::uint32_t gpu, const GpuOptions& options) {
  for (std::uint32_t own = 0; own < sms_per_gpu(); ++own) {
    const std::uint32_t i = gpu * sms_per_gpu() + own;
    const std::string name_of = numbered("sm", own);
    sms_.push_back(std::make_unique<SmCluster>(
        name_of.c_str(), instance_config(config_.sm, options.overrides, path_ + name_of), pool_,
        SmId(i), config_.system.sms));
    SmCluster& sm = *sms_.back();
    connect(sm.l1, *l1s_[i].in[0]);
    connect(sm.mmu, l2_tlbs_[gpu]->in[own]);
    sm.l1_control.bind(*l1s_[i].flush);
    blocks_.push_back(&sm);
  }
}

void Gpu::dispatch_to_sms() {
  for (std::size_t i = 0; i < sms_.size(); ++i) {
    sms_[i]->dispatcher.bind(dispatcher_->events);
    dispatcher_->sms[i].bind(sms_[i]->ctas);
    dispatcher_->caches[i].bind(*l1s_[i].flush);
  }
}

void Gpu::build_page_mover() {
  const PageMoverConfig& c = config_.migration;
  std::unique_ptr<PageMovePolicy> policy = make_page_moves(c.policy, c.options);
  if (policy == nullptr) return;
  const auto channel_of = [this](SmId sm) { return local_memory(sm); };
  page_table_->channel_of_sm = channel_of;
  PageMoverPlatform platform;
  platform.channel_of = channel_of;
  platform.stop = [this](const std::function<void()>& drained) { stop_memory(drained); };
  platform.settled = [this] {
    return std::all_of(slices_.begin(), slices_.end(),
                       [](const BlockHandle& slice) { return slice.block->idle(); });
  };
  platform.forget = [this] { forget_memory(); };
  platform.resume = [this](const std::vector<ChannelId>& homes) { resume_memory(homes); };
  platform.copy = [this](std::uint64_t from, std::uint64_t to) {
    if (on_page_copied) on_page_copied(from, to);
  };
  platform.drop = [this](std::uint64_t page) {
    for (const BlockHandle& slice : slices_) {
      slice.page_drop->drop_page(page, config_.system.page_bytes);
    }
  };
  mover_ =
      std::make_unique<PageMover>("mover", c, std::move(policy), *page_table_, std::move(platform));
  blocks_.push_back(mover_.get());
}

void Gpu::build_mdr() {
  if (config_.system.remote_caching != "mdr") return;
  const LlcSliceConfig& llc = config_.llc;
  mdr_ = std::make_unique<MdrEngine>(
      "mdr", config_.mdr,
      SetSampler::Shape{llc.sets, llc.ways, config_.mdr.sampled_sets, llc.install_remote_misses},
      config_.raw_bandwidths(), dynamic_cast<ReplicationSwitch&>(*caching_));
  blocks_.push_back(mdr_.get());
}

void Gpu::stop_memory(const std::function<void()>& drained) {
  undrained_ = sms_.size();
  for (const auto& sm : sms_) {
    sm->close_memory([this, drained] {
      if (--undrained_ == 0) drained();
    });
  }
}

void Gpu::forget_memory() {
  for (const auto& tlb : l2_tlbs_) tlb->invalidate_all();
  for (const BlockHandle& l1 : l1s_) l1.flush->flush();
}

void Gpu::resume_memory(const std::vector<ChannelId>& homes) {
  for (std::uint32_t i = 0; i < sms_.size(); ++i) {
    if (std::find(homes.begin(), homes.end(), local_memory(SmId(i))) != homes.end()) {
      sms_[i]->open_memory();
    }
  }
}

/// SMs are spread evenly over the channels (or GPUs) that pages are placed in, neighbours together,
/// as NUBA's partitions are.
ChannelId Gpu::local_memory(SmId sm) const {
  return ChannelId(static_cast<std::uint32_t>(std::uint64_t{sm.value} * map_->page_homes() /
                                              config_.system.sms));
}

const ProtocolChecker* Gpu::unfinished_checker() const {
  for (const auto& c : checkers_) {
    if (c->outstanding() != 0) return c.get();
  }
  return nullptr;
}

void Gpu::debug(tlm::tlm_command command, std::uint64_t physical, void* data, unsigned length) {
  // A write goes in by every partition, whose slice may hold a copy of another's line. Of several
  // GPUs, the line's own serves.
  const SystemConfig& s = config_.system;
  const std::uint32_t ways = command == tlm::TLM_WRITE_COMMAND ? s.partitions() : 1;
  const std::uint32_t first = s.gpus == 1 ? 0 : map_->page_home(physical).value * sms_per_gpu();
  for (std::uint32_t p = 0; p < ways; ++p) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(physical);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    SmCluster& sm = *sms_[first + p * s.sms_per_partition()];
    if (sm.l1->transport_dbg(payload) != length) {
      SC_REPORT_FATAL("/tessera/platform/debug_access", "a debug access was not served");
    }
  }
}

void Gpu::start_of_simulation() { move_heap_to_huge_pages(); }

}  // namespace tessera
