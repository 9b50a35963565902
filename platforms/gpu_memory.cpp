// SPDX-License-Identifier: Apache-2.0
// How a GPU's L1s, slices and channels are joined: the three shapes of NUBA figure 1, and the
// multi-chip module of section 7.6.
#include "platforms/gpu.h"

namespace tessera {

namespace {

std::string numbered(const char* kind, std::uint32_t i) { return kind + std::to_string(i); }

}  // namespace

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

/// A network of the topology; `exit_of` says at which port a slice's requests leave.
BlockHandle& Gpu::add_network(const std::string& name,
                              const std::function<unsigned(std::uint32_t slice)>& exit_of,
                              const GpuOptions& options) {
  const NetworkPlan plan = config_.networks().at(name);
  GpuConfig mine = config_;
  mine.noc = instance_config(plan.noc, options.overrides, path_ + name);
  BlockSite site;
  site.name = name;
  site.index = static_cast<std::uint32_t>(networks_.size());
  site.config = &mine;
  site.inputs = plan.entries;
  site.outputs = plan.exits;
  site.routing.by_request = [exit_of](const MemoryRequest& r) {
    return exit_of(r.home().slice.value);
  };
  site.routing.by_address = [exit_of, map = map_.get()](std::uint64_t address) {
    return exit_of(map->locate(address).slice.value);
  };
  return add(networks_, "noc", config_.impl.noc, site);
}

/// Joins all of `from` (in order, the same number in each module) to the slices' ports `to`: one
/// crossbar, or one in each module and planes of switches between the modules. What comes from
/// other modules has a crossbar of its own, to the slices' ports `gates`: behind requests that wait
/// to leave the module, modules that wait for each other would never go on.
void Gpu::join(const std::vector<InitiatorPort*>& from, const std::vector<TargetPort*>& to,
               const std::vector<TargetPort*>& gates, const GpuOptions& options) {
  const std::uint32_t modules = config_.system.modules;
  const auto entries = static_cast<std::uint32_t>(from.size()) / modules;
  const auto exits = static_cast<std::uint32_t>(to.size()) / modules;
  if (modules == 1) {
    BlockHandle& noc = add_network(
        "noc", [](std::uint32_t s) { return s; }, options);
    for (std::uint32_t i = 0; i < entries; ++i) connect(*from[i], *noc.in[i]);
    for (std::uint32_t i = 0; i < exits; ++i) connect(*noc.out[i], *to[i]);
    return;
  }
  const std::uint32_t planes = config_.mcm.ports;
  std::vector<std::vector<InitiatorPort*>> out(planes);  // of each plane's modules
  std::vector<std::vector<TargetPort*>> in(planes);
  for (std::uint32_t m = 0; m < modules; ++m) {
    // The last exits are the gateways, dealt over by the slice's number.
    const auto exit_of = [m, exits, planes](std::uint32_t slice) {
      return slice / exits == m ? slice % exits : exits + slice % planes;
    };
    BlockHandle& gate = add_network(
        numbered("gate", m), [exits](std::uint32_t slice) { return slice % exits; }, options);
    for (std::uint32_t i = 0; i < exits; ++i) connect(*gate.out[i], *gates[m * exits + i]);
    for (std::uint32_t p = 0; p < planes; ++p) in[p].push_back(gate.in[p]);
    BlockHandle& noc = add_network(numbered("noc", m), exit_of, options);
    for (std::uint32_t i = 0; i < entries; ++i) connect(*from[m * entries + i], *noc.in[i]);
    for (std::uint32_t i = 0; i < exits; ++i) connect(*noc.out[i], *to[m * exits + i]);
    for (std::uint32_t p = 0; p < planes; ++p) out[p].push_back(noc.out[exits + p]);
  }
  for (std::uint32_t p = 0; p < planes; ++p) {
    BlockHandle& plane = add_network(
        numbered("mcm", p), [exits](std::uint32_t slice) { return slice / exits; }, options);
    for (std::uint32_t m = 0; m < modules; ++m) {
      connect(*out[p][m], *plane.in[m]);
      connect(*plane.out[m], *in[p][m]);
    }
  }
}

void Gpu::add_channels(std::uint32_t gpu, const GpuOptions& options) {
  const SystemConfig& s = config_.system;
  GpuConfig mine = config_;
  for (std::uint32_t own = 0; own < s.channels / s.gpus; ++own) {
    mine.dram = instance_config(config_.dram, options.overrides, path_ + numbered("dram", own));
    BlockSite site;
    site.name = numbered("dram", own);
    site.index = gpu * (s.channels / s.gpus) + own;
    site.config = &mine;
    site.inputs = s.slices_per_channel;
    site.outputs = 0;
    add(channels_, "dram", config_.impl.dram, site);
  }
}

void Gpu::add_slices(std::uint32_t gpu, const GpuOptions& options) {
  const SystemConfig& s = config_.system;
  GpuConfig mine = config_;
  for (std::uint32_t own = 0; own < slices_per_gpu(); ++own) {
    const std::uint32_t i = gpu * slices_per_gpu() + own;
    mine.llc = instance_config(config_.llc, options.overrides, path_ + numbered("llc", own));
    BlockSite site;
    site.name = numbered("llc", own);
    site.index = i;
    site.config = &mine;
    site.slice.self = SliceId(i);
    site.slice.ports = {LlcSlice::Queue::kLocal};
    if (mover_) site.slice.observers.push_back(mover_.get());
    if (line_sharing_) site.slice.observers.push_back(line_sharing_.get());
    if (s.partitioned()) {
      site.slice.ports.push_back(LlcSlice::Queue::kRemote);
      site.slice.caching = caching_.get();
      if (mdr_ && i == config_.mdr.sampled_slice) site.slice.observers.push_back(mdr_.get());
      site.slice.coherent = s.topology == "uba-sm";
      site.outputs = 2;
    }
    if (s.modules > 1 || s.gpus > 1) site.slice.ports.push_back(LlcSlice::Queue::kRemote);
    site.inputs = static_cast<unsigned>(site.slice.ports.size());
    BlockHandle& slice = add(slices_, "llc", config_.impl.llc, site);
    // Slices of a channel are numbered together.
    connect(*slice.out[0], *channels_[i / s.slices_per_channel].in[i % s.slices_per_channel]);
  }
}

void Gpu::add_l1s(std::uint32_t gpu, const GpuOptions& options) {
  GpuConfig mine = config_;
  for (std::uint32_t own = 0; own < sms_per_gpu(); ++own) {
    mine.l1 = instance_config(config_.l1, options.overrides, path_ + numbered("l1_", own));
    BlockSite site;
    site.name = numbered("l1_", own);
    site.index = gpu * sms_per_gpu() + own;
    site.config = &mine;
    if (config_.system.gpus > 1) site.l1 = l1_role(gpu);
    add(l1s_, "l1", config_.impl.l1, site);
  }
}

void Gpu::build_memory(std::uint32_t gpu, const GpuOptions& options) {
  add_channels(gpu, options);
  add_slices(gpu, options);
  add_l1s(gpu, options);
  const SystemConfig& s = config_.system;
  if (s.gpus > 1) {
    add_rdma(gpu, options);
    return;
  }
  std::vector<InitiatorPort*> l1s;
  for (const BlockHandle& l1 : l1s_) l1s.push_back(l1.out[0]);
  if (!s.partitioned()) {
    join(l1s, slice_ports(0), slice_ports(1), options);
    return;
  }
  join_partitions(l1s, options);
  if (s.topology == "uba-sm") {
    join_twins(options);
    return;
  }
  std::vector<InitiatorPort*> out;
  for (BlockHandle& slice : slices_) out.push_back(slice.out[1]);
  join(out, slice_ports(1), slice_ports(2), options);
}

/// The n-th port of every slice; none where slices have no such port.
std::vector<TargetPort*> Gpu::slice_ports(std::size_t n) const {
  std::vector<TargetPort*> ports;
  for (const BlockHandle& slice : slices_) {
    if (n < slice.in.size()) ports.push_back(slice.in[n]);
  }
  return ports;
}

/// Each partition's L1s to its own slices: by links (nuba), or by a crossbar (uba-sm). A line of
/// another partition goes by the slice that stands where its home does.
void Gpu::join_partitions(const std::vector<InitiatorPort*>& l1s, const GpuOptions& options) {
  const SystemConfig& s = config_.system;
  const bool nuba = s.topology == "nuba";
  const std::uint32_t sms = s.sms_per_partition();
  const std::uint32_t slices = s.slices_per_partition();
  for (std::uint32_t p = 0; p < s.partitions(); ++p) {
    BlockHandle& n = add_network(
        numbered(nuba ? "p2p" : "noc", p), [slices](std::uint32_t slice) { return slice % slices; },
        options);
    for (std::uint32_t i = 0; i < sms; ++i) connect(*l1s[p * sms + i], *n.in[i]);
    for (std::uint32_t i = 0; i < slices; ++i) connect(*n.out[i], *slices_[p * slices + i].in[0]);
  }
}

/// Each slice to the one that holds the same lines for the other side.
void Gpu::join_twins(const GpuOptions& options) {
  const std::uint32_t slices = config_.system.slices();
  for (std::uint32_t i = 0; i < slices; ++i) {
    BlockHandle& link = add_network(
        numbered("link", i), [](std::uint32_t) { return 0U; }, options);
    connect(*slices_[i].out[1], *link.in[0]);
    connect(*link.out[0], *slices_[(i + slices / 2) % slices].in[1]);
  }
}

}  // namespace tessera
