// SPDX-License-Identifier: Apache-2.0
#include "platforms/topology/planner.h"

#include <algorithm>
#include <set>
#include <utility>

#include "common/error.h"
#include "common/suggest.h"
#include "common/text.h"
#include "modules/llc/sites.h"
#include "modules/plan/block_kind.h"
#include "modules/sm/planned_l1.h"
#include "platforms/topology/shape.h"
#include "platforms/topology/system_facts.h"

namespace tessera {

std::string numbered(const char* kind, std::uint32_t i) { return kind + std::to_string(i); }

Planner::Planner(const GpuConfig& config) : config_(config), tree_(tree_of(config.system)) {
  plan_.nodes.push_back({"system", NodeLevel::kSystem, 0});
}

bool Planner::gateways() const {
  const TreeLevel* const gpus = find_level(tree_, NodeLevel::kGpu);
  return gpus != nullptr && !gpus->gateway.empty();
}

std::uint32_t Planner::add_node(NodeLevel level, std::uint32_t parent, std::uint32_t number) {
  plan_.nodes.push_back(
      {plan_.nodes[parent].name + "." + numbered(name_of(level), number), level, parent});
  return static_cast<std::uint32_t>(plan_.nodes.size()) - 1;
}

Planner::Gpu Planner::add_gpu(std::uint32_t number) {
  const SystemConfig& s = config_.system;
  const std::uint32_t partitions = partitions_of(s);
  Gpu gpu;
  gpu.number = number;
  gpu.node = add_node(NodeLevel::kGpu, 0, number);
  gpu.sms = s.sms / s.gpus;
  gpu.slices = s.slices() / s.gpus;
  gpu.channels = s.channels / s.gpus;
  for (std::uint32_t m = 0; m < s.modules; ++m) {
    const std::uint32_t module =
        s.modules == 1 ? gpu.node : add_node(NodeLevel::kModule, gpu.node, m);
    const std::uint32_t own = partitions / s.modules;
    if (own < 2) gpu.leaves.push_back(module);
    for (std::uint32_t p = 0; own >= 2 && p < own; ++p) {
      gpu.leaves.push_back(add_node(NodeLevel::kPartition, module, m * own + p));
    }
  }
  return gpu;
}

std::uint32_t Planner::common_node() const {
  const auto is_gpu = [](const PlannedNode& n) { return n.level == NodeLevel::kGpu; };
  const auto begin = plan_.nodes.begin();
  const auto gpu = std::find_if(begin, plan_.nodes.end(), is_gpu);
  if (std::any_of(gpu + 1, plan_.nodes.end(), is_gpu)) return gpu->parent;
  return static_cast<std::uint32_t>(gpu - begin);
}

/// Node of the i-th of `of` blocks that are spread evenly over a GPU's nodes.
std::uint32_t Planner::leaf(const Gpu& gpu, std::uint32_t i, std::uint32_t of) const {
  return gpu.leaves[static_cast<std::size_t>(std::uint64_t{i} * gpu.leaves.size() / of)];
}

PlannedBlockId Planner::add(const std::string& kind, const std::string& name, std::uint32_t node,
                            std::uint32_t gpu, unsigned inputs, unsigned outputs) {
  PlannedBlock b;
  b.kind = kind;
  b.name = name;
  b.node = node;
  b.gpu = gpu;
  b.index = of_kind_[kind]++;
  b.inputs = inputs;
  b.outputs = outputs;
  plan_.blocks.push_back(std::move(b));
  return static_cast<PlannedBlockId>(plan_.blocks.size()) - 1;
}

PlannedBlockId Planner::add_network(
    const std::string& name, std::uint32_t node, std::uint32_t gpu, PlannedNetwork network,
    unsigned entries, unsigned exits,
    const std::function<std::uint32_t(std::uint32_t slice)>& exit_of) {
  const PlannedBlockId id = add(block_kind_of(network.kind), name, node, gpu, entries, exits);
  if (exit_of) {
    for (std::uint32_t s = 0; s < config_.system.slices(); ++s) {
      network.exits.push_back(exit_of(s));
    }
  }
  plan_.blocks[id].details = std::move(network);
  return id;
}

PlannedNetwork Planner::gpu_network(bool shared_nodes) const {
  PlannedNetwork network;
  network.kind = config_.noc_kind;
  network.traffic = "noc";
  network.noc = config_.noc;
  network.mesh = config_.mesh;
  network.mesh.shared_nodes = shared_nodes;
  return network;
}

void Planner::add_engines(std::uint32_t node) {
  const SystemConfig& s = config_.system;
  if (config_.migration.policy != "none") add("page_migrator", "page_migrator", node, 0, 0, 0);
  if (needs_mdr(config_) && plan_.nodes[node].level == NodeLevel::kGpu) {
    add("mdr", "mdr", node, 0, 0, 0);
  }
  if (s.line_sharing) add("line_sharing", "line_sharing", node, 0, 0, 0);
}

void Planner::add_gpu_engines(const Gpu& gpu) {
  if (needs_mdr(config_) && gpu.node != common_node()) {
    add("mdr", "mdr", gpu.node, gpu.number, 0, 0);
  }
}

void Planner::add_memory(Gpu& gpu, const Slices& slices) {
  const std::uint32_t per_channel = config_.system.slices_per_channel;
  for (std::uint32_t i = 0; i < gpu.channels; ++i) {
    gpu.drams.push_back(
        add("dram", numbered("dram", i), leaf(gpu, i, gpu.channels), gpu.number, per_channel, 0));
  }
  for (std::uint32_t i = 0; i < gpu.slices; ++i) {
    const PlannedBlockId id = add("llc", numbered("llc", i), leaf(gpu, i, gpu.slices), gpu.number,
                                  1 + slices.remote_inputs, slices.to_others ? 2 : 1);
    plan_.blocks[id].details = PlannedSlice{slices.role, slices.remote_inputs};
    gpu.llcs.push_back(id);
    // Slices of a channel are numbered together.
    link({id, 0}, {gpu.drams[i / per_channel], i % per_channel});
  }
  for (std::uint32_t i = 0; i < gpu.sms; ++i) {
    gpu.l1s.push_back(add("l1", numbered("l1_", i), leaf(gpu, i, gpu.sms), gpu.number, 1, 1));
    PlannedL1 l1;
    if (gateways()) l1 = {"multi_gpu", config_.rdma.transfer_bytes};
    plan_.blocks[gpu.l1s.back()].details = l1;
  }
  for (std::uint32_t i = 0; config_.needs_probes() && i < gpu.sms; ++i) {
    gpu.probes.push_back(
        add("probe", numbered("probe", i), leaf(gpu, i, gpu.sms), gpu.number, 2, 1));
    link({gpu.l1s[i], 0}, {gpu.probes[i], 0});
  }
}

void Planner::add_l2_tlb(Gpu& gpu) {
  gpu.l2_tlb = add("l2_tlb", "l2_tlb", gpu.node, gpu.number, gpu.sms, 1);
  if (!gateways()) return;
  gpu.iommu_link = add("long_link", "iommu_link", gpu.node, gpu.number, 1, 1);
  link({gpu.l2_tlb, 0}, {gpu.iommu_link, 0});
}

void Planner::add_sms(Gpu& gpu) {
  for (std::uint32_t i = 0; i < gpu.sms; ++i) {
    const PlannedBlockId sm = add("sm", numbered("sm", i), leaf(gpu, i, gpu.sms), gpu.number, 0, 2);
    link({sm, 0}, {gpu.l1s[i], 0});
    link({sm, 1}, {gpu.l2_tlb, i});
  }
}

void Planner::add_page_tables(std::uint32_t node, const std::vector<Gpu>& gpus) {
  std::vector<Socket> from;
  for (const Gpu& gpu : gpus) from.push_back({gateways() ? gpu.iommu_link : gpu.l2_tlb, 0});
  if (gpus.size() > 1) {
    PlannedNetwork network;
    network.traffic = "iommu";
    network.noc = config_.noc;
    const PlannedBlockId iommu = add_network("iommu", node, 0, std::move(network),
                                             static_cast<unsigned>(gpus.size()), 1, nullptr);
    for (std::uint32_t g = 0; g < gpus.size(); ++g) link(from[g], {iommu, g});
    from = {{iommu, 0}};
  }
  const PlannedBlockId walker = add("walker", "walker", node, 0, 1, 1);
  const PlannedBlockId uvm = add("uvm", "uvm", node, 0, 1, 0);
  link(from.front(), {walker, 0});
  link({walker, 0}, {uvm, 0});
}

void Planner::add_dispatcher(std::uint32_t node) { add("dispatcher", "dispatcher", node, 0, 0, 0); }

std::function<std::uint32_t(std::uint32_t)> Planner::exit_of(const Gpu& gpu, Exits exits) const {
  return [exits, slices = gpu.slices, number = gpu.number](std::uint32_t slice) {
    const std::uint32_t here = slice % slices;
    if (slice / slices != number) return exits.own + exits.beyond + here % exits.egress;
    if (here - exits.first < exits.own) return here - exits.first;
    return exits.own + here % exits.beyond;
  };
}

std::uint32_t Planner::module_node(const Gpu& gpu, std::uint32_t module) const {
  std::uint32_t node = leaf(gpu, module, config_.system.modules);
  while (plan_.nodes[node].level > NodeLevel::kModule) node = plan_.nodes[node].parent;
  return node;
}

void Planner::join(Gpu& gpu, const std::vector<Socket>& from, unsigned input) {
  if (modules()) {
    shape_at(NodeLevel::kModule).join(*this, gpu, from, input);
    return;
  }
  const std::uint32_t egress = gateways() ? config_.system.rdma_ports : 0;
  // Slices that forward reads to cores are sources, too.
  std::vector<Socket> sources = from;
  if (config_.forwards_hits()) {
    for (const PlannedBlockId slice : gpu.llcs) sources.push_back({slice, 1});
  }
  const auto entries = static_cast<unsigned>(sources.size());
  // Of partitions, the sources are the slices.
  const bool shared_nodes = from.front().block == gpu.llcs.front();
  const auto cores = static_cast<std::uint32_t>(gpu.probes.size());
  PlannedNetwork network = gpu_network(shared_nodes);
  network.mesh.core_exits = cores;
  network.mesh.memory_entries = static_cast<std::uint32_t>(sources.size() - from.size());
  const PlannedBlockId noc =
      add_network("noc", gpu.node, gpu.number, std::move(network), entries,
                  gpu.slices + egress + cores, exit_of(gpu, {0, gpu.slices, 0, egress}));
  // Cores follow the slices in the numbers by which the network routes. Other GPUs' have no exit.
  std::vector<std::uint32_t>& exits = this->network(noc).exits;
  for (std::uint32_t c = 0; cores != 0 && c < config_.system.sms; ++c) {
    const bool own = c / gpu.sms == gpu.number;
    exits.push_back(own ? gpu.slices + egress + c % gpu.sms : plan_.blocks[noc].outputs);
  }
  for (unsigned i = 0; i < entries; ++i) link(sources[i], {noc, i});
  for (std::uint32_t i = 0; i < gpu.slices; ++i) link({noc, i}, {gpu.llcs[i], input});
  for (std::uint32_t i = 0; i < egress; ++i) gpu.egress.push_back({noc, gpu.slices + i});
  for (std::uint32_t i = 0; i < cores; ++i)
    link({noc, gpu.slices + egress + i}, {gpu.probes[i], 1});
}

void Planner::report(const std::string& traffic, bool by_entries) {
  PlannedTraffic t;
  t.name = traffic;
  for (const PlannedBlock* b : networks_of(plan_)) {
    const PlannedNetwork& network = network_of(*b);
    if (network.traffic != traffic) continue;
    // Responses do not leave by the slices' own entries.
    const std::uint32_t entries = b->inputs - network.mesh.memory_entries;
    t.request_peak += network.bandwidth(by_entries ? entries : b->outputs);
    t.response_peak += network.bandwidth(entries);
  }
  plan_.traffic.push_back(std::move(t));
}

void Planner::report_fabric(double bytes_per_second) {
  plan_.traffic.push_back({"fabric", bytes_per_second, bytes_per_second, false});
}

void Planner::insert(const std::string& traffic, const std::string& kind) {
  if (!kind_of(kind).in_links) {
    std::vector<std::string> known;
    for (const auto& [name, k] : block_kinds()) {
      if (k.in_links) known.push_back(name);
    }
    throw InputError("blocks of the kind '" + kind + "' do not fit into a link" +
                     (known.empty() ? "" : "; kinds that do: " + joined(known)));
  }
  std::set<std::string> classes;
  std::map<std::uint32_t, std::uint32_t> of_gpu;
  const std::vector<PlannedLink> before = plan_.links;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::string found = plan_.traffic_of(before[i]);
    classes.insert(found);
    if (found != traffic) continue;
    // Of a link between GPUs, in the sender's.
    const PlannedBlock from = plan_.blocks[before[i].from];
    const PlannedBlockId id =
        add(kind, numbered((kind + "_").c_str(), of_gpu[from.gpu]++), from.node, from.gpu, 1, 1);
    plan_.blocks[id].details = PlannedInLink{traffic};
    plan_.links[i].to = id;
    plan_.links[i].input = 0;
    plan_.links.push_back({id, 0, before[i].to, before[i].input});
  }
  if (classes.count(traffic) != 0) return;
  throw InputError("there is no link of the traffic '" + traffic + "'" +
                   did_you_mean(traffic, {classes.begin(), classes.end()}) +
                   "; this platform has " + joined({classes.begin(), classes.end()}));
}

}  // namespace tessera
