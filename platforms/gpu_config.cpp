// SPDX-License-Identifier: Apache-2.0
#include "platforms/gpu_config.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <typeinfo>
#include <utility>

#include "common/error.h"
#include "common/legal_values.h"
#include "modules/llc/llc_slice.h"
#include "modules/plan/block_kind.h"
#include "modules/protocol/page_entry.h"
#include "platforms/topology/shape.h"
#include "policies/address_map.h"
#include "policies/page_placement.h"
#include "policies/remote_caching.h"
#include "policies/transfer_policy.h"

namespace tessera {

MemoryGeometry GpuConfig::geometry() const {
  MemoryGeometry g;
  g.gpus = node_shape_of(system).host_memory ? 1 : system.gpus;
  g.channels = system.channels;
  g.slices_per_channel = system.slices_per_channel;
  g.banks_per_channel = dram.banks;
  g.row_bytes = dram.row_bytes;
  g.line_bytes = system.line_bytes;
  g.page_bytes = system.page_bytes;
  g.channel_bytes = system.channel_bytes;
  return g;
}

MemoryGeometry GpuConfig::stack_geometry() const {
  MemoryGeometry g = geometry();
  g.gpus = g.channels = g.slices_per_channel = 1;
  g.banks_per_channel = hierarchy.stack.banks;
  g.row_bytes = hierarchy.stack.row_bytes;
  g.channel_bytes = hierarchy.stack_bytes;
  return g;
}

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

std::string SystemConfig::default_topology() { return shapes().front().name; }

SystemFacts GpuConfig::facts() const {
  SystemFacts c;
  c.tree.gpus = system.gpus;
  c.tree.modules = system.gpus * system.modules;
  c.tree.partitions = system.gpus * system.partitions();
  c.tree.channels = system.channels;
  c.tree.sms = system.sms;
  c.memory = geometry();
  return c;
}

std::unique_ptr<TransferPolicy> GpuConfig::transfer_policy() const {
  return transfer.make(system.transfer, policy_context());
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

bool GpuConfig::needs_mdr() const {
  // An unknown name is reported by validate().
  return PolicyRegistry<RemoteCaching>::instance().has(system.remote_caching) &&
         remote_caching.make(system.remote_caching, policy_context())->monitored() != nullptr;
}

std::uint32_t SystemConfig::partitions() const { return node_shape_of(*this).partitions(*this); }

MdrBandwidths GpuConfig::raw_bandwidths() const {
  const double slices = system.slices_per_gpu();
  const double modules = system.modules;
  const std::uint32_t channels = system.channels / system.gpus;
  MdrBandwidths raw;
  // A slice gives a line a cycle; its SMs' links take less.
  raw.llc =
      slices * std::min(static_cast<double>(llc.clock_hz) * system.line_bytes, p2p.bandwidth());
  raw.memory = channels * static_cast<double>(dram.clock_hz) * dram.bus_bytes_per_clock;
  const std::uint32_t slices_per_gpu = system.slices_per_gpu();
  raw.noc = noc.bandwidth(slices_per_gpu);
  if (noc_kind == NetworkKind::kMesh) {
    // The bound of its links under evenly spread accesses, of a module's slices. Ports to other
    // modules or GPUs are left out, and with them a given size and placement.
    const std::uint32_t nodes = slices_per_gpu / system.modules;
    MeshConfig m = mesh;
    m.shared_nodes = true;
    if (system.gpus > 1 || system.modules > 1) {
      m.width = m.height = 0;
      m.placement = MeshConfig{}.placement;
    }
    raw.noc = system.modules * m.uniform_bandwidth(nodes, nodes);
  }
  if (system.modules > 1) {
    // Of evenly spread remote accesses, all but one module's share cross between modules.
    const Tree tree = tree_of(system);
    const double between = find_level(tree, NodeLevel::kModule)->network == "ring"
                               ? ring.ports * ring.ring.uniform_bandwidth(system.modules)
                               : modules * mcm.plane.bandwidth(mcm.ports);
    raw.noc = std::min(raw.noc, between * modules / (modules - 1));
  }
  return raw;
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
  if (migration.policy != "none") l2_tlb.sms_per_view = system.sms / system.partitions();
}

std::vector<std::string> GpuConfig::validate() const {
  std::vector<std::string> errors;
  // Blocks can find the same fault, such as that of a line's size.
  const auto add = [&errors](const std::vector<std::string>& more, const std::string& before = "") {
    for (const std::string& e : more) {
      if (std::find(errors.begin(), errors.end(), e) == errors.end()) errors.push_back(before + e);
    }
  };
  // GPUs of unequal size are reported by validate_shape().
  const std::uint32_t sharing = node_shape_of(system).host_memory ? 1 : system.gpus;
  if (sharing != 0 && system.channels % sharing == 0) validate_policies(errors);
  add(sm.validate());
  add(l1.validate());
  if (needs_probes()) add(probe.validate());
  add(validate_shape());
  add(host.validate());
  add(llc.validate());
  add(dram.validate(), "dram.");
  add(l2_tlb.validate());
  add(walker.validate());
  add(uvm.validate());
  add(migration.validate());
  // The outermost shape's: among GPUs, pages move from GPU to GPU.
  if (migration.policy != "none" && !shapes_in(system).front()->moves_pages) {
    const Shape& outermost = *shapes_in(system).front();
    const bool modules = outermost.level == NodeLevel::kModule;
    errors.push_back("migration.policy (" + migration.policy +
                     ") needs pages that move between the nodes of the tree's outermost level, as "
                     "of topologies " +
                     shapes_with(&Shape::moves_pages) + ": here it is " +
                     (modules ? "the modules of one GPU (system.modules is " +
                                    std::to_string(system.modules) + ")"
                              : outermost.name));
  }
  if (migration.policy != "none" && migration.stop == MoveStop::kUsers && system.gpus < 2) {
    errors.emplace_back(
        "migration.stop users needs system.gpus of 2 at least: partitions of one GPU share its "
        "TLB");
  }
  if (migration.policy != "none" && sm.ideal_translation) {
    errors.push_back("sm.ideal_translation excludes migration.policy (" + migration.policy +
                     "): the MMU would not know which SMs to notify of a moved page");
  }
  if (migration.policy != "none" && system.address_map == "pae") {
    errors.emplace_back("migration.policy needs an address map under which a page has one home");
  }
  add(power.validate());
  for (const auto& [name, config] : of_kinds) add(config.validate(), name + ".");
  if (sm.clock_hz != l1.clock_hz) {
    errors.push_back("l1.clock_hz (" + std::to_string(l1.clock_hz) + ") must equal sm.clock_hz (" +
                     std::to_string(sm.clock_hz) + "): an SM and its L1 share a clock");
  }
  return errors;
}

/// Whether each chosen policy takes this system and its own parameters.
void GpuConfig::validate_policies(std::vector<std::string>& errors) const {
  const auto check = [&errors](const auto& make) {
    try {
      make();
    } catch (const InputError& e) {
      errors.emplace_back(e.what());
    }
  };
  const PolicyContext context = policy_context();
  check([&] { make_address_map(system.address_map, context, address_map); });
  check([&] { page_placement.make(system.page_placement, context); });
  check([&] { page_migration.make(migration.policy, context); });
  check([&] { launch_planner.make(dispatch.planner, context); });
  check([&] { cta_scheduler.make(dispatch.scheduler, context); });
  check([&] { kernel_scheduler.make(dispatch.kernel_scheduler, context); });
  check([&] { remote_caching.make(system.remote_caching, context); });
  check([&] { transfer.make(system.transfer, context); });
  check([&] {
    MissRouting::Context cores = MissRouting::example_context();
    cores.cores = system.sms / system.gpus;
    miss_routing.make(system.miss_routing, cores);
  });
  for (const auto* cache : {&llc, &remote_cache}) {
    if (!cache->role.empty()) check([&] { PolicyRegistry<LlcSlice>::instance().get(cache->role); });
    check([&] { cache->replacement.make({cache->sets, cache->ways}); });
  }
  check([&] { l1.replacement.make({l1.sets, l1.ways}); });
  check([&] { sm.warp_scheduler.make({sm.schedulers}); });
  check([&] { noc.arbitration.make({noc.radix}); });
  check([&] { mcm.plane.arbitration.make({mcm.plane.radix}); });
  check([&] { ring.ring.arbitration.make({3}); });
  check([&] { llc.arbitration.make({2}); });
  DramCommandCounts counts;
  if (!dram.validate().empty()) return;
  check([&] { dram.scheduler.make({&dram, system.line_bytes, &counts}); });
}

/// Networks of one kind of traffic are alike: one of each is checked.
void GpuConfig::check_networks(std::vector<std::string>& errors) const {
  const PlatformPlan plan = plan_of(*this);
  std::set<std::string> checked;
  for (const PlannedBlock* b : networks_of(plan)) {
    const PlannedNetwork& network = network_of(*b);
    const std::string& traffic = network.traffic;
    if (network.of_links || !checked.insert(traffic).second) continue;
    if (network.kind == NetworkKind::kRing) {
      for (const std::string& f : network.ring.validate(b->inputs, b->outputs)) {
        errors.push_back(traffic + ": " + f);
      }
      continue;
    }
    if (network.kind == NetworkKind::kMesh) {
      for (const std::string& f : network.mesh.validate(b->inputs, b->outputs)) {
        errors.push_back("mesh." + f);
      }
      continue;
    }
    // Ingress crossbars have the settings of the GPU's network.
    const std::string settings =
        traffic == "ingress_xbar" || traffic == "module_ingress_xbar" ? "noc" : traffic;
    for (const std::string& f : network.noc.validate(b->inputs, b->outputs, settings)) {
      errors.push_back(traffic + ": " + f);
    }
  }
}

bool GpuConfig::check_tree(std::vector<std::string>& errors) const {
  const SystemConfig& s = system;
  bool sound = must_divide("system.modules", s.modules, "system.channels", s.channels, errors);
  if (!node_shape_of(s).host_memory) {
    sound = must_divide("system.gpus", s.gpus, "system.channels", s.channels, errors) && sound;
  }
  sound = must_divide("system.gpus", s.gpus, "system.sms", s.sms, errors) && sound;
  sound = must_divide("system.modules", s.modules, "system.sms", s.sms, errors) && sound;
  if (sound && s.gpus > 1 && s.modules > 1) {
    sound = must_divide("system.modules", s.modules, "channels of a GPU", s.channels / s.gpus,
                        errors) &&
            must_divide("system.modules", s.modules, "SMs of a GPU", s.sms / s.gpus, errors);
  }
  const std::vector<const Shape*> levels = shapes_in(s);
  const Shape& node = *levels.back();
  for (const auto& [count, what] :
       {std::pair{s.modules, "system.modules"}, std::pair{s.gpus, "system.gpus"}}) {
    if (count == 1 || node.alone_because.empty()) continue;
    errors.push_back(std::string(what) + " must be 1 where topology is " + node.name + ": " +
                     node.alone_because);
    sound = false;
  }
  if (!levels.front()->several_gpus) {
    const std::string several = shapes_with(&Shape::several_gpus);
    if (s.gpus != 1 && !node.joins_gpus) {
      errors.push_back("system.gpus must be 1 unless topology is " + several + " or one of " +
                       shapes_with(&Shape::joins_gpus));
      sound = false;
    }
    if (s.transfer != "line") {
      errors.push_back("system.transfer (" + s.transfer + ") needs several GPUs (system.topology " +
                       several + ", or a tree with a level gpu): this platform has one");
    }
  }
  for (const Shape* shape : levels) {
    if (sound && shape->divides != nullptr) sound = shape->divides(*this, errors);
  }
  return sound;
}

/// Whether SMs, slices, channels and modules divide as the tree wants, and networks fit them.
std::vector<std::string> GpuConfig::validate_shape() const {
  std::vector<std::string> errors;
  const SystemConfig& s = system;
  bool sound = check_tree(errors);
  if (geometry().total_bytes() > std::uint64_t{1} << PageEntry::kPhysicalBits) {
    const std::uint64_t most = std::uint64_t{1} << PageEntry::kPhysicalBits;
    errors.push_back("system.channels (" + std::to_string(s.channels) +
                     ") x system.channel_bytes (" + std::to_string(s.channel_bytes) +
                     ") must not exceed 2^48 bytes: system.channel_bytes of " +
                     near_powers_of_two(most / std::max(1U, s.channels) + 1, 1,
                                        most / std::max(1U, s.channels)) +
                     ", or system.channels of " +
                     std::to_string(std::max<std::uint64_t>(
                         1, most / std::max<std::uint64_t>(1, s.channel_bytes))) +
                     " at most");
  }
  if (!node_shape_of(s).caches_others && s.remote_caching != "home") {
    errors.push_back("system.remote_caching (" + s.remote_caching +
                     ") needs partitions as the tree's innermost level, as of topology " +
                     shapes_with(&Shape::caches_others) + ": here it is " + node_shape_of(s).name);
  }
  if (needs_probes() && (!node_shape_of(s).probes_cores || s.modules > 1)) {
    errors.push_back("system.miss_routing (" + s.miss_routing +
                     ") needs one network of all L1s of a GPU, as of topology " +
                     shapes_with(&Shape::probes_cores) + " without modules");
    sound = false;
  }
  if (host.copies != HostCopies::kNone &&
      (!node_shape_of(s).joins_gpus || node_shape_of(s).host_memory)) {
    errors.push_back(
        "host.copies needs GPUs with memories of their own at a link to the host: "
        "topology " +
        s.topology + " has none");
  }
  if (needs_mdr() && s.gpus != 0) {
    for (const std::string& e : mdr.validate(llc.sets, s.slices_per_gpu())) errors.push_back(e);
  }
  if (sound && s.modules > 1 && (mcm.ports == 0 || ring.ports == 0)) {
    errors.emplace_back("mcm.ports and ring.ports must be at least 1");
    sound = false;
  }
  for (const SystemConfig::Insert& i : s.inserts) {
    GpuConfig without = *this;
    without.system.inserts = {i};
    try {
      if (sound) plan_of(without);
    } catch (const InputError& e) {
      errors.push_back("insert (" + i.origin + "): " + e.what());
      sound = false;
    }
  }
  if (sound) check_networks(errors);
  for (const Shape* shape : shapes_in(s)) {
    if (sound && shape->validate != nullptr) shape->validate(*this, errors);
  }
  return errors;
}

void describe(ParameterVisitor& v, SystemConfig& c) {
  v.text("topology", c.topology, "how the blocks are wired (NUBA figure 1, DualOpt figure 1)",
         shape_names());
  v.integer("gpus", c.gpus, "GPU",
            "GPUs, each with its part of SMs and channels "
            "(DualOpt section 3)",
            1, SystemConfig::kMostGpus);
  v.integer("modules", c.modules, "module", "chiplets of a GPU (NUBA section 7.6)", 1,
            SystemConfig::kMostModules);
  v.integer("sms", c.sms, "SM", "streaming multiprocessors, of all GPUs (NUBA Table 1)", 1, 1024);
  v.integer("channels", c.channels, "channel", "DRAM channels, of all GPUs (NUBA section 6)", 1,
            1024);
  v.integer("slices_per_channel", c.slices_per_channel, "slice",
            "LLC slices in front of a channel (NUBA section 6)", 1, 64);
  v.integer("line_bytes", c.line_bytes, "byte", "cache line (NUBA Table 1)", 32, kMaxLineBytes);
  v.integer("page_bytes", c.page_bytes, "byte", "page (NUBA section 6)", 4096, 1 << 30);
  v.integer("channel_bytes", c.channel_bytes, "byte",
            "memory of a channel (ours: 16 GiB over 32 channels)", 1 << 20, std::uint64_t{1} << 40);
  v.text("address_map", c.address_map, "address -> slice, channel, bank, row (NUBA section 2)",
         policy_names<AddressMap>());
  v.text("page_placement", c.page_placement,
         "where a page lives (NUBA names no policy for UBA; ours)", policy_names<PagePlacement>());
  v.text(
      "remote_caching", c.remote_caching,
      "of partitions: which lines of other partitions a slice may keep (NUBA sections 5 and 7.3)",
      policy_names<RemoteCaching>());
  v.text("transfer", c.transfer,
         "of several GPUs: how other GPUs' lines are read (DualOpt section 4)",
         policy_names<TransferPolicy>());
  v.text("miss_routing", c.miss_routing,
         "where a core's read misses go: to the line's slice, or to other cores' L1s (remote-core "
         "section III)",
         policy_names<MissRouting>());
  v.integer(
      "rdma_ports", c.rdma_ports, "port",
      "of several GPUs: ports of a GPU's L1s to its RDMA engine, and banks of its remote cache "
      "(ours: as many as the L2 has)",
      1, 64);
  v.integer(
      "rdma_link_bytes", c.rdma_link_bytes, "byte",
      "of several GPUs: width of the links of ingress_xbar, from the RDMA engine to the slices "
      "and back, at rdma.clock_hz; 0: those of noc (ours)",
      0, 4096);
  v.flag("line_sharing", c.line_sharing,
         "measure at lines' homes how SMs share lines and how much of a line they use; needs host "
         "memory (ours)");
  v.integer("watchdog_cycles", c.watchdog_cycles, "cycle",
            "cycles without any progress after which a run is stopped (ours)", 1000,
            std::uint64_t{1} << 40);
  v.integer("cycle_limit", c.cycle_limit, "cycle",
            "cycles of one kernel after which a run is stopped; 0 = none (ours)", 0,
            std::uint64_t{1} << 50);
  v.integer(
      "loop_limit", c.loop_limit, "instruction",
      "instructions per resident warp without the end of a CTA, after which a run is stopped; "
      "0 = none (ours)",
      0, std::uint64_t{1} << 50);
}

void describe(ParameterVisitor& v, ModuleNetworkConfig& c) {
  v.integer("ports", c.ports, "port",
            "links of a module to each of the planes that join the modules (ours: 16 of 16 B make "
            "NUBA section 7.6's 720 GB/s, both directions together)",
            1, 64);
  describe(v, c.plane);
}

void describe(ParameterVisitor& v, ModuleRingConfig& c) {
  v.integer("ports", c.ports, "ring", "rings, on each of which every module is a node (ours)", 1,
            64);
  describe(v, c.ring);
}

void describe(ParameterVisitor& v, ImplementationConfig& c) {
  for (const BlockFamily& f : block_families()) {
    std::vector<std::string> aliases;
    if (!f.alias.empty()) aliases.push_back(f.alias);
    v.text(f.name, c.by_kind.try_emplace(f.name, "tlm").first->second,
           "implementation of blocks of the kind " + f.name, block_implementations(f.name),
           std::move(aliases));
  }
}

std::string implementation_of(const ImplementationConfig& config, const std::string& kind,
                              const std::vector<ParameterSetting>& overrides,
                              const std::string& path) {
  const auto common = config.by_kind.find(kind);
  std::string name = common == config.by_kind.end() ? "tlm" : common->second;
  for (const ParameterSetting& s : overrides) {
    if (s.path != path + kImplSetting) continue;
    if (!s.value.is_string()) throw InputError(s.origin + ": " + s.path + " must be a text");
    name = s.value.get<std::string>();
  }
  return name;
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

std::string GpuConfig::value(const std::string& parameter) const {
  GpuConfig copy = *this;
  ParameterLister lister;
  describe(lister, copy);
  for (const ListedParameter& p : lister.parameters()) {
    if (p.info.name != parameter) continue;
    return p.value.is_string() ? p.value.get<std::string>() : p.value.dump();
  }
  throw std::logic_error("no parameter '" + parameter + "'");
}

bool GpuConfig::has_blocks(const std::string& kind) const { return plan_of(*this).has(kind); }

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
