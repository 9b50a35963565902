// SPDX-License-Identifier: Apache-2.0
#include "platforms/block_factory.h"

#include <map>
#include <utility>

#include "common/error.h"
#include "common/suggest.h"
#include "modules/llc/sharing_profiler.h"
#include "modules/memory/dram_channel.h"
#include "modules/noc/crossbar.h"
#include "modules/noc/gpu_fabric.h"
#include "modules/noc/long_link.h"
#include "modules/noc/mesh.h"
#include "modules/noc/ring.h"
#include "modules/sm/sm_cluster.h"
#include "policies/cta_scheduler.h"

namespace tessera {

namespace {

template <class Module>
BlockHandle handle(std::unique_ptr<Module> module) {
  BlockHandle h;
  h.block = module.get();
  h.module = std::move(module);
  return h;
}

template <class Vector, class Port>
void list(Vector& sockets, std::vector<Port*>& out) {
  for (auto& s : sockets) out.push_back(&s);
}

BlockHandle make_l1(const L1Site& s) {
  auto module = make_l1_cache(s.name.c_str(), s.config, *s.map, s.role);
  L1Cache& m = *module;
  BlockHandle h = handle(std::move(module));
  h.flush = &m;
  h.bytes = &m;
  h.l1_probe = &m.probe_port();
  h.launch_counts = &m.launch_counts();
  h.in = {&m.core};
  h.out = {&m.memory};
  return h;
}

BlockHandle make_probe_engine(const ProbeEngineSite& s) {
  auto module = std::make_unique<ProbeEngine>(s.name.c_str(), s.config, s.probe, s.make_routing());
  ProbeEngine& m = *module;
  BlockHandle h = handle(std::move(module));
  h.in = {&m.core, &m.probes};
  h.out = {&m.network};
  return h;
}

template <class Network>
BlockHandle network(std::unique_ptr<Network> module) {
  Network& m = *module;
  BlockHandle h = handle(std::move(module));
  list(m.in, h.in);
  list(m.out, h.out);
  return h;
}

BlockHandle make_noc(const NocSite& s) {
  return network(
      std::make_unique<Crossbar>(s.name.c_str(), s.config, s.inputs, s.outputs, s.routing));
}

BlockHandle make_ring(const RingSite& s) {
  return network(std::make_unique<Ring>(s.name.c_str(), s.config, s.inputs, s.routing));
}

BlockHandle make_mesh(const MeshSite& s) {
  return network(std::make_unique<Mesh>(s.name.c_str(), s.config, s.inputs, s.outputs, s.routing));
}

BlockHandle make_long_link(const LongLinkSite& s) {
  auto module = std::make_unique<LongLink>(s.name.c_str(), s.config, *s.near, *s.far);
  LongLink& m = *module;
  BlockHandle h = handle(std::move(module));
  h.in = {&m.in};
  h.out = {&m.out};
  return h;
}

BlockHandle make_fabric(const FabricSite& s) {
  return network(std::make_unique<GpuFabric>(s.name.c_str(), s.config, s.gpus, s.domains));
}

/// An LLC slice or a remote cache.
template <class Site>
BlockHandle make_slice(const Site& s) {
  std::unique_ptr<LlcSlice> module =
      make_llc_slice(s.name.c_str(), s.config, *s.map, *s.pool, s.slice);
  LlcSlice& m = *module;
  const bool needs_remote = s.outputs == 2;
  if (m.reaches_slices() != needs_remote) {
    throw InputError(s.path + ": a slice of the role '" + s.slice.role + "' " +
                     (needs_remote
                          ? "has no way to other slices or cores, and this platform needs one"
                          : "needs a way to other slices or cores, and this platform has none"));
  }
  BlockHandle h = handle(std::move(module));
  h.slice_flush = &m;
  h.page_drop = &m;
  h.bytes = &m;
  h.launch_counts = &m.launch_counts();
  list(m.in, h.in);
  h.out = {&m.memory};
  if (needs_remote) h.out.push_back(&m.remote);
  return h;
}

BlockHandle make_dram(const DramSite& s) {
  auto module =
      std::make_unique<DramChannel>(s.name.c_str(), s.config, *s.map, s.channel, s.inputs);
  DramChannel& m = *module;
  BlockHandle h = handle(std::move(module));
  h.launch_counts = &m.launch_counts();
  list(m.in, h.in);
  return h;
}

BlockHandle make_rdma(const RdmaSite& s) {
  auto module = std::make_unique<RdmaEngine>(s.name.c_str(), s.config, s.role);
  RdmaEngine& m = *module;
  BlockHandle h = handle(std::move(module));
  list(m.local_in, h.in);
  list(m.fabric_in, h.in);
  h.out = {&m.local_out};
  list(m.fabric_out, h.out);
  h.rdma.debug_home = [&m](tlm::tlm_generic_payload& payload) { return m.debug_home(payload); };
  h.rdma.blocking_home = [&m](tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    m.blocking_home(payload, delay);
  };
  h.rdma.kernel_ended = [&m] { m.kernel_ended(); };
  return h;
}

BlockHandle make_l2_tlb(const L2TlbSite& s) {
  auto module = std::make_unique<L2Tlb>(s.name.c_str(), s.config, s.page_bytes, *s.pool, s.inputs);
  L2Tlb& m = *module;
  BlockHandle h = handle(std::move(module));
  list(m.in, h.in);
  h.out = {&m.walker};
  h.forget = [&m] { m.invalidate_all(); };
  h.forget_page = [&m](std::uint64_t virtual_page) { m.invalidate_page(virtual_page); };
  return h;
}

BlockHandle make_walker(const WalkerSite& s) {
  auto module = std::make_unique<PageWalker>(s.name.c_str(), s.config, *s.page_table);
  PageWalker& m = *module;
  BlockHandle h = handle(std::move(module));
  h.in = {&m.in};
  h.out = {&m.driver};
  return h;
}

BlockHandle make_uvm(const UvmSite& s) {
  auto module = std::make_unique<UvmDriver>(s.name.c_str(), s.config, *s.page_table, *s.placement,
                                            s.platform);
  UvmDriver& m = *module;
  BlockHandle h = handle(std::move(module));
  h.in = {&m.in};
  h.uvm = &m;
  return h;
}

BlockHandle make_sm(const SmSite& s) {
  auto module =
      std::make_unique<SmCluster>(s.name.c_str(), s.config, *s.pool, s.id, s.sms, s.pages);
  SmCluster& m = *module;
  BlockHandle h = handle(std::move(module));
  h.out = {&m.l1, &m.mmu};
  h.sm.ctas = &m;
  h.sm.quiesce = &m;
  h.sm.bind = [&m](FlushIf& l1, DispatchEventsIf& dispatcher) {
    m.l1_control.bind(l1);
    m.dispatcher.bind(dispatcher);
  };
  h.sm.warp_instructions = [&m]() -> std::uint64_t { return m.stats().warp_instructions; };
  h.sm.settle_statistics = [&m] { m.settle_statistics(); };
  h.sm.thread_instructions = [&m]() -> std::uint64_t { return m.stats().thread_instructions; };
  h.sm.resident_warps = [&m] { return m.resident_warps(); };
  h.sm.take_instructions = [&m](LaunchSlot launch) { return m.take_instructions(launch); };
  return h;
}

BlockHandle make_dispatcher(const DispatcherSite& s) {
  auto module =
      std::make_unique<CtaDispatcher>(s.name.c_str(), s.config, s.make_scheduler, s.place);
  CtaDispatcher& m = *module;
  BlockHandle h = handle(std::move(module));
  h.dispatcher = &m;
  return h;
}

BlockHandle make_page_migrator(const PageMigratorSite& s) {
  auto module = std::make_unique<PageMigrator>(s.name.c_str(), s.config, s.make_policy(),
                                               *s.page_table, s.platform);
  PageMigrator& m = *module;
  BlockHandle h = handle(std::move(module));
  h.slice_observer = &m;
  h.slice_flush = &m;
  h.moving = [&m] { return m.moving(); };
  return h;
}

BlockHandle make_mdr(const MdrSite& s) {
  auto module =
      std::make_unique<MdrEngine>(s.name.c_str(), s.config, s.slice, s.raw, *s.decision, s.scope);
  MdrEngine& m = *module;
  BlockHandle h = handle(std::move(module));
  h.slice_observer = &m;
  h.slice_flush = &m;
  return h;
}

BlockHandle make_line_sharing(const SharingProfilerSite& s) {
  auto profiler = std::make_unique<SharingProfiler>(s.path, s.sms, s.line_bytes);
  BlockHandle h;
  h.block = profiler.get();
  h.slice_observer = profiler.get();
  h.plain = std::move(profiler);
  return h;
}

BlockHandle make_decision(const DecisionSite& s) {
  auto module = std::make_unique<DecisionEngine>(s.name.c_str(), s.config, s.gpus, s.line_bytes,
                                                 s.gpu_of, *s.policy, *s.transfer);
  DecisionEngine& m = *module;
  BlockHandle h = handle(std::move(module));
  h.l1_observer = &m;
  return h;
}

template <class Module>
BlockHandle coherent(std::unique_ptr<Module> module) {
  Module& m = *module;
  BlockHandle h = handle(std::move(module));
  h.bytes = &m;
  list(m.parents, h.parents);
  list(m.children, h.children);
  return h;
}

BlockHandle make_coherent_cache(const CoherentCacheSite& s) {
  auto module =
      std::make_unique<umh::CoherentCacheBlock>(s.name.c_str(), s.config, s.place, s.inputs != 0);
  umh::CoherentCacheBlock& m = *module;
  BlockHandle h = coherent(std::move(module));
  h.flush = &m;
  h.slice_flush = &m;
  h.launch_counts = &m.launch_counts();
  list(m.core, h.in);
  return h;
}

BlockHandle make_smd(const SmdSite& s) {
  auto module = std::make_unique<umh::SmdBlock>(s.name.c_str(), s.config, s.place, *s.pool);
  umh::SmdBlock& m = *module;
  BlockHandle h = coherent(std::move(module));
  h.launch_counts = &m.launch_counts();
  h.slice_flush = &m;
  h.out = {&m.memory};
  return h;
}

BlockHandle make_hmd(const HmdSite& s) {
  auto module = std::make_unique<umh::HmdBlock>(s.name.c_str(), s.config, s.place, *s.pool);
  umh::HmdBlock& m = *module;
  BlockHandle h = coherent(std::move(module));
  h.slice_flush = &m;
  h.out = {&m.memory};
  return h;
}

BlockHandle make_coherence_link(const CoherenceLinkSite& s) {
  return coherent(std::make_unique<umh::CoherenceLink>(s.name.c_str(), s.config, s.place));
}

BlockHandle make_cpu_core(const CpuCoreSite& s) {
  auto module = std::make_unique<CpuCore>(s.name.c_str(), s.config, *s.pool, s.index);
  CpuCore& m = *module;
  BlockHandle h = handle(std::move(module));
  h.cpu_core = &m;
  h.out = {&m.memory};
  return h;
}

using Factories = std::map<std::string, AnyBlockFactory>;

template <class Site>
std::pair<const std::string, Factories> kind(BlockHandle (*make)(const Site&)) {
  return {Site::kKind,
          {{"tlm", [make](const BlockSite& s) { return make(static_cast<const Site&>(s)); }}}};
}

std::map<std::string, Factories>& kinds() {
  static std::map<std::string, Factories> all = {kind(make_l1),
                                                 kind(make_probe_engine),
                                                 kind(make_noc),
                                                 kind(make_ring),
                                                 kind(make_mesh),
                                                 kind(make_slice<LlcSite>),
                                                 kind(make_dram),
                                                 kind(make_slice<RemoteCacheSite>),
                                                 kind(make_rdma),
                                                 kind(make_fabric),
                                                 kind(make_long_link),
                                                 kind(make_l2_tlb),
                                                 kind(make_walker),
                                                 kind(make_uvm),
                                                 kind(make_sm),
                                                 kind(make_mdr),
                                                 kind(make_page_migrator),
                                                 kind(make_decision),
                                                 kind(make_line_sharing),
                                                 kind(make_dispatcher),
                                                 kind(make_coherent_cache),
                                                 kind(make_smd),
                                                 kind(make_hmd),
                                                 kind(make_coherence_link),
                                                 kind(make_cpu_core)};
  return all;
}

Factories& of_kind(const std::string& name) {
  const auto it = kinds().find(name);
  if (it == kinds().end()) {
    throw InputError("unknown kind of block '" + name + "'" +
                     did_you_mean(name, {kBlockKinds.begin(), kBlockKinds.end()}));
  }
  return it->second;
}

}  // namespace

void register_any_block(const std::string& kind, const std::string& name, AnyBlockFactory factory) {
  if (!of_kind(kind).emplace(name, std::move(factory)).second) {
    throw InputError("an implementation of '" + kind + "' named '" + name + "' exists already");
  }
}

std::vector<std::string> block_implementations(const std::string& kind) {
  std::vector<std::string> names;
  for (const auto& f : of_kind(kind)) names.push_back(f.first);
  return names;
}

BlockHandle make_any_block(const std::string& kind, const std::string& name,
                           const BlockSite& site) {
  const Factories& factories = of_kind(kind);
  const auto it = factories.find(name);
  if (it == factories.end()) {
    throw InputError("no implementation of '" + kind + "' is named '" + name + "'" +
                     did_you_mean(name, block_implementations(kind)));
  }
  BlockHandle made = it->second(site);
  if (made.in.size() != site.inputs || made.out.size() != site.outputs) {
    const auto sockets = [](std::size_t in, std::size_t out) {
      return std::to_string(in) + " target and " + std::to_string(out) + " initiator sockets";
    };
    throw InputError(site.name + ": implementation '" + name + "' of '" + kind + "' has " +
                     sockets(made.in.size(), made.out.size()) + ", this platform needs " +
                     sockets(site.inputs, site.outputs));
  }
  return made;
}

}  // namespace tessera
