// SPDX-License-Identifier: Apache-2.0
#include "platforms/gpu_config.h"

#include <stdexcept>
#include <vector>

#include "modules/plan/block_kind.h"
#include "platforms/policy_families.h"

namespace tessera {

LlcSliceConfig GpuConfig::remote_cache_defaults() {
  LlcSliceConfig c;
  c.clock_hz = 1'000'000'000;
  c.sets = 96;
  c.ways = 16;
  c.line_bytes = 64;
  c.latency_cycles = 20;
  c.mshr_entries = 64;
  return c;
}

bool GpuConfig::needs_probes() const {
  return PolicyRegistry<MissRouting>::instance().has(system.miss_routing) &&
         system.miss_routing != "home";
}

std::string GpuConfig::forwarding_role() const {
  // An unknown name is reported by validate().
  if (!PolicyRegistry<MissRouting>::instance().has(system.miss_routing)) return {};
  return miss_routing.make(system.miss_routing, MissRouting::example_context())->slice_role();
}

void GpuConfig::propagate() {
  sm.line_bytes = l1.line_bytes = llc.line_bytes = remote_cache.line_bytes = probe.line_bytes =
      system.line_bytes;
  sm.page_bytes = system.page_bytes;
  l1.replacement.settings = llc.replacement.settings = remote_cache.replacement.settings =
      cache_replacement;
  dram.scheduler.settings = hierarchy.stack.scheduler.settings = dram_scheduler;
  sm.warp_scheduler.settings = warp_scheduler;
  noc.arbitration.settings = mcm.plane.arbitration.settings = ring.ring.arbitration.settings =
      llc.arbitration.settings = remote_cache.arbitration.settings = arbiter;
}

namespace {

/// Calls f(name, description, config) for each group of parameters, in the order in which they are
/// listed.
template <class Config, class F>
void for_each_group(Config& c, F&& f) {
  f("system", "shape of the GPU, and parameters of more than one block", c.system);
  f("impl", "which implementation is used for a kind of block", c.impl);
  f("sm", "streaming multiprocessors", c.sm);
  f("l1", "L1 data caches", c.l1);
  f("probe", "engines that send an L1's misses to other cores", c.probe);
  f("noc", "network between L1s and LLC slices, or between slices of partitions", c.noc);
  f("mesh", "the same network, where noc.kind is mesh", c.mesh);
  f("p2p", "links between the SMs and the slices of a partition", c.p2p);
  f("side_link", "links between peer slices of the two sides", c.side_link);
  f("mcm", "network between modules, where it is of switches", c.mcm);
  f("ring", "network between modules, where it is of rings", c.ring);
  f("fabric", "links and switch between GPUs", c.fabric);
  f("iommu", "links from the L2 TLBs of several GPUs to the shared walker", c.iommu);
  f("rdma", "RDMA engines", c.rdma);
  f("llc", "LLC slices", c.llc);
  f("remote_cache", "a bank of a GPU's cache of other GPUs' lines", c.remote_cache);
  f("decision", "the decision engine of system.transfer decision-engine", c.decision);
  f("dram", "DRAM channels", c.dram);
  f("l2_tlb", "shared L2 TLB", c.l2_tlb);
  f("walker", "page-table walkers", c.walker);
  f("uvm", "unified-memory driver", c.uvm);
  f("migration", "pages that move after their placement", c.migration);
  f("mdr", "model-driven replication", c.mdr);
  f("dispatch", "CTA dispatcher", c.dispatch);
  f("power", "energy and area of events, wires and storage", c.power);
  f("umh", "coherent caches and directories over the host's memory", c.hierarchy);
  f("host", "accesses of the host program to the GPUs' memories", c.host);
  for_each_family(c, [&f](const std::vector<ChosenPolicy>&, auto& settings) {
    f(family_of(settings), "parameters of the policies themselves", settings);
  });
}

}  // namespace

std::map<std::string, AnyConfig> GpuConfig::groups_of_kinds() {
  std::map<std::string, AnyConfig> all;
  for (const auto& [name, kind] : block_kinds()) {
    for (const ConfigGroup& g : kind.groups) all.emplace(g.name, g.defaults);
  }
  return all;
}

const void* GpuConfig::find_group(const std::string& name, const std::type_info& type) const {
  const void* found = nullptr;
  for_each_group(*this, [&](const char* group, const char*, const auto& config) {
    if (name == group && type == typeid(config)) found = &config;
  });
  if (const auto g = of_kinds.find(name); g != of_kinds.end() && g->second.type() == type) {
    found = g->second.get();
  }
  if (found == nullptr) {
    throw std::logic_error("no group of parameters '" + name + "' of the type " + type.name());
  }
  return found;
}

void describe(ParameterVisitor& v, GpuConfig& c) {
  // A plugin can have added kinds since.
  std::map<std::string, AnyConfig> known = GpuConfig().of_kinds;
  c.of_kinds.merge(known);
  for_each_group(c, [&](const std::string& name, const char* description, auto& config) {
    v.enter(name, description);
    if (name == "noc") {
      v.choice("kind", c.noc_kind,
               "a crossbar, with the parameters of this group (NUBA section 6), or a 2D mesh, with "
               "those of mesh (remote-core section III-A)",
               {{"crossbar", NetworkKind::kCrossbar}, {"mesh", NetworkKind::kMesh}});
    }
    describe(v, config);
    v.leave();
  });
  for (const auto& [name, kind] : block_kinds()) {
    for (const ConfigGroup& g : kind.groups) {
      v.enter(g.name, g.description);
      c.of_kinds.at(g.name).visit(v);
      v.leave();
    }
  }
}

}  // namespace tessera
