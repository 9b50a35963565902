// SPDX-License-Identifier: Apache-2.0
#include "platforms/gpu.h"

#include <utility>

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
      map_(make_address_map(config.system.address_map, config.geometry(),
                            config.system.address_map_seed)),
      placement_(make_page_placement(config.system.page_placement)),
      page_table_(std::make_unique<PageTable>(*map_)) {
  build_memory(options);
  build_mmu(options);
  build_sms(options);
}

BlockHandle& Gpu::add(std::vector<BlockHandle>& list, const std::string& kind,
                      const std::string& impl, BlockSite site) {
  site.map = map_.get();
  site.pool = &pool_;
  list.push_back(make_block(kind, impl, site));
  blocks_.push_back(list.back().block);
  return list.back();
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

void Gpu::build_memory(const GpuOptions& options) {
  const SystemConfig& s = config_.system;
  const std::string path = std::string(name()) + ".";

  BlockSite noc;
  noc.name = "noc";
  noc.config = &config_;
  noc.inputs = s.sms;
  noc.outputs = s.slices();
  noc.routing.by_request = [](const MemoryRequest& r) { return r.home.slice.value; };
  noc.routing.by_address = [map = map_.get()](std::uint64_t address) {
    return map->locate(address).slice.value;
  };
  GpuConfig mine = config_;
  mine.noc = instance_config(config_.noc, options.overrides, path + "noc");
  noc.config = &mine;
  add(noc_, "noc", config_.impl.noc, noc);

  for (std::uint32_t i = 0; i < s.channels; ++i) {
    mine.dram = instance_config(config_.dram, options.overrides, path + numbered("dram", i));
    BlockSite site;
    site.name = numbered("dram", i);
    site.index = i;
    site.config = &mine;
    site.inputs = s.slices_per_channel;
    site.outputs = 0;
    add(channels_, "dram", config_.impl.dram, site);
  }
  for (std::uint32_t i = 0; i < s.slices(); ++i) {
    mine.llc = instance_config(config_.llc, options.overrides, path + numbered("llc", i));
    BlockSite site;
    site.name = numbered("llc", i);
    site.index = i;
    site.config = &mine;
    site.slice.ports = {LlcSlice::Queue::kLocal};
    site.slice.self = SliceId(i);
    BlockHandle& slice = add(slices_, "llc", config_.impl.llc, site);
    connect(*noc_[0].out[i], *slice.in[0]);
    // Slices of a channel are numbered together.
    connect(*slice.out[0], *channels_[i / s.slices_per_channel].in[i % s.slices_per_channel]);
  }
  for (std::uint32_t i = 0; i < s.sms; ++i) {
    mine.l1 = instance_config(config_.l1, options.overrides, path + numbered("l1_", i));
    BlockSite site;
    site.name = numbered("l1_", i);
    site.index = i;
    site.config = &mine;
    BlockHandle& l1 = add(l1s_, "l1", config_.impl.l1, site);
    connect(*l1.out[0], *noc_[0].in[i]);
  }
}

void Gpu::build_mmu(const GpuOptions& options) {
  l2_tlb_ = std::make_unique<L2Tlb>("l2_tlb", config_.l2_tlb, config_.system.page_bytes, pool_,
                                    config_.system.sms);
  walker_ = std::make_unique<PageWalker>("walker", config_.walker, *page_table_);
  UvmPlatform platform;
  platform.local_channel = [this](SmId sm) { return local_channel(sm); };
  platform.allocated = options.allocated;
  uvm_ = std::make_unique<UvmDriver>("uvm", config_.uvm, *page_table_, *placement_,
                                     std::move(platform));
  connect(l2_tlb_->walker, walker_->in);
  connect(walker_->driver, uvm_->in);
  blocks_.insert(blocks_.end(), {l2_tlb_.get(), walker_.get(), uvm_.get()});
}

void Gpu::build_sms(const GpuOptions& options) {
  const std::string path = std::string(name()) + ".";
  dispatcher_ = std::make_unique<CtaDispatcher>("dispatcher", config_.dispatch,
                                                make_cta_scheduler(config_.dispatch.scheduler),
                                                config_.system.sms);
  for (std::uint32_t i = 0; i < config_.system.sms; ++i) {
    const std::string name_of = numbered("sm", i);
    sms_.push_back(std::make_unique<SmCluster>(
        name_of.c_str(), instance_config(config_.sm, options.overrides, path + name_of), pool_,
        SmId(i), config_.system.sms));
    SmCluster& sm = *sms_.back();
    connect(sm.l1, *l1s_[i].in[0]);
    connect(sm.mmu, l2_tlb_->in[i]);
    sm.l1_control.bind(*l1s_[i].flush);
    sm.dispatcher.bind(dispatcher_->events);
    dispatcher_->sms[i].bind(sm.ctas);
    dispatcher_->caches[i].bind(*l1s_[i].flush);
    blocks_.push_back(&sm);
  }
  blocks_.push_back(dispatcher_.get());
}

/// SMs are spread evenly over the channels, neighbours together, as NUBA's partitions are.
ChannelId Gpu::local_channel(SmId sm) const {
  return ChannelId(static_cast<std::uint32_t>(std::uint64_t{sm.value} * config_.system.channels /
                                              config_.system.sms));
}

const ProtocolChecker* Gpu::unfinished_checker() const {
  for (const auto& c : checkers_) {
    if (c->outstanding() != 0) return c.get();
  }
  return nullptr;
}

void Gpu::debug(tlm::tlm_command command, std::uint64_t physical, void* data, unsigned length) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(physical);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(length);
  payload.set_streaming_width(length);
  const unsigned done = sms_[0]->l1->transport_dbg(payload);
  if (done != length) {
    SC_REPORT_FATAL("/tessera/platform/debug_access", "a debug access was not served");
  }
}

}  // namespace tessera
