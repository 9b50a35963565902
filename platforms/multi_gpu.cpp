// SPDX-License-Identifier: Apache-2.0
// What several GPUs have beside what each has of its own: RDMA engines, remote caches, the fabric
// (DualOpt figures 1 and 7).
#include <functional>
#include <utility>

#include "platforms/gpu.h"

namespace tessera {

namespace {

std::string numbered(const char* kind, std::uint32_t i) { return kind + std::to_string(i); }

/// A level of the hierarchy, for names: what `build` makes stands in it.
class Room final : public sc_core::sc_module {
 public:
  Room(const sc_core::sc_module_name& name, const std::function<void()>& build) : sc_module(name) {
    build();
  }
};

}  // namespace

void Gpu::build_several(const GpuOptions& options) {
  transfer_policy_ = make_transfer_policy(config_.system.transfer, config_.decision.thresholds);
  transfer_ = transfer_policy_->start();
  if (transfer_policy_->decides()) {
    decision_ = std::make_unique<DecisionEngine>(
        "decision", config_.decision, config_.system.gpus, config_.system.line_bytes,
        [this](SmId sm) { return GpuId(sm.value / sms_per_gpu()); }, *transfer_policy_, transfer_);
    blocks_.push_back(decision_.get());
  }
  const std::string own_path = path_;
  for (std::uint32_t g = 0; g < config_.system.gpus; ++g) {
    const std::string name = numbered("gpu", g);
    path_ = own_path + name + ".";
    rooms_.push_back(std::make_unique<Room>(name.c_str(), [this, g, &options] {
      build_one(g, options);
      add_sms(g, options);
    }));
  }
  path_ = own_path;
  build_fabric();
}

L1Role Gpu::l1_role(std::uint32_t gpu) {
  L1Role role;
  role.transfer = &transfer_;
  const std::uint64_t bytes = config_.geometry().total_bytes() / config_.system.gpus;
  role.local_begin = gpu * bytes;
  role.local_end = (gpu + 1) * bytes;
  role.transfer_bytes = config_.rdma.transfer_bytes;
  role.observer = decision_.get();
  return role;
}

/// A GPU's crossbars, and its way to other GPUs.
void Gpu::add_rdma(std::uint32_t gpu, const GpuOptions& options) {
  const std::uint32_t slices = slices_per_gpu();
  const std::uint32_t ports = config_.system.rdma_ports;
  RdmaEngine::Role role;
  role.self = GpuId(gpu);
  role.gpus = config_.system.gpus;
  role.ports = ports;
  role.home_of = [slices](const MemoryRequest& r) { return GpuId(r.home().slice.value / slices); };
  role.transfer = &transfer_;
  role.packets = &packets_;
  const auto at_home = [this](const tlm::tlm_generic_payload& payload) -> RdmaEngine& {
    return *rdmas_[map_->page_home(payload.get_address()).value];
  };
  role.debug_at_home = [at_home](tlm::tlm_generic_payload& payload) {
    return at_home(payload).debug_home(payload);
  };
  role.blocking_at_home = [at_home](tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    at_home(payload).blocking_home(payload, delay);
  };
  rdmas_.push_back(std::make_unique<RdmaEngine>(
      "rdma", instance_config(config_.rdma, options.overrides, path_ + "rdma"), std::move(role)));
  RdmaEngine& rdma = *rdmas_.back();
  blocks_.push_back(&rdma);

  // A line of another GPU leaves by the port that its home slice's number names.
  BlockHandle& noc = add_network(
      "noc",
      [gpu, slices, ports](std::uint32_t slice) {
        return slice / slices == gpu ? slice % slices : slices + slice % slices % ports;
      },
      options);
  for (std::uint32_t i = 0; i < sms_per_gpu(); ++i) {
    connect(*l1s_[gpu * sms_per_gpu() + i].out[0], *noc.in[i]);
  }
  for (std::uint32_t i = 0; i < slices; ++i) {
    connect(*noc.out[i], *slices_[gpu * slices + i].in[0]);
  }
  for (std::uint32_t i = 0; i < ports; ++i) {
    if (!may_use_remote_cache(*transfer_policy_)) {
      connect(*noc.out[slices + i], rdma.local_in[i]);
      continue;
    }
    GpuConfig mine = config_;
    mine.llc =
        instance_config(config_.remote_cache, options.overrides, path_ + numbered("rcache", i));
    BlockSite site;
    site.name = numbered("rcache", i);
    site.index = gpu * ports + i;
    site.config = &mine;
    site.slice.ports = {LlcSlice::Queue::kLocal};
    site.slice.remote_cache = &transfer_;
    site.slice.remote_banks = ports;
    BlockHandle& cache = add(remote_caches_, "llc", config_.impl.llc, site);
    connect(*noc.out[slices + i], *cache.in[0]);
    connect(*cache.out[0], rdma.local_in[i]);
  }
  BlockHandle& gate = add_network(
      "gate", [slices](std::uint32_t slice) { return slice % slices; }, options);
  connect(rdma.local_out, *gate.in[0]);
  for (std::uint32_t i = 0; i < slices; ++i) {
    connect(*gate.out[i], *slices_[gpu * slices + i].in[1]);
  }
}

void Gpu::kernel_ended() {
  for (const auto& rdma : rdmas_) rdma->kernel_ended();
}

void Gpu::build_fabric() {
  fabric_ = std::make_unique<GpuFabric>("fabric", config_.fabric, config_.system.gpus);
  blocks_.push_back(fabric_.get());
  for (std::uint32_t g = 0; g < config_.system.gpus; ++g) {
    for (unsigned c = 0; c < kPacketClasses; ++c) {
      connect(rdmas_[g]->fabric_out[c], fabric_->in[g * kPacketClasses + c]);
      connect(fabric_->out[g * kPacketClasses + c], rdmas_[g]->fabric_in[c]);
    }
  }
}

}  // namespace tessera
