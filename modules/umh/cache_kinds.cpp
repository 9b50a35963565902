// SPDX-License-Identifier: Apache-2.0
// The caches of a coherent hierarchy: a GPU's L1s and L2s, the CPU's L1s, L2s and LLC.
#include "common/json.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"
#include "modules/plan/run_figures.h"
#include "modules/power/energy_report.h"
#include "modules/sm/l1_cache_config.h"
#include "modules/umh/coherent_cache_block.h"
#include "modules/umh/sites.h"
#include "modules/umh/umh_config.h"

namespace tessera::cache_kinds {

namespace {

using umh::CoherentCacheBlockConfig;

const BlockFamilyRegistration<CoherentCacheSite> kFamily([](const CoherentCacheSite& s) {
  auto module = std::make_unique<umh::CoherentCacheBlock>(s.name.c_str(), s.config, s.coherence,
                                                          s.inputs != 0);
  umh::CoherentCacheBlock& m = *module;
  BlockHandle h = coherent_handle(std::move(module));
  h.offer(m);
  h.offer<FlushIf>(m);
  h.offer<SliceFlushIf>(m);
  h.offer(m.launch_counts());
  h.add_inputs(m.core);
  return h;
});

const UmhConfig& hierarchy(const ConfigView& c) { return c.group<UmhConfig>("umh"); }

/// An L1 has the sets, the ways and the timing of "l1.".
CoherentCacheBlockConfig l1_config(const ConfigView& c, const L1Config& l1) {
  CoherentCacheBlockConfig config;
  config.timing.clock_hz = l1.clock_hz;
  config.timing.latency_cycles = l1.latency_cycles;
  config.timing.transactions = l1.mshr_entries;
  config.timing.port = hierarchy(c).l1_port;
  config.cache.sets = l1.sets;
  config.cache.ways = l1.ways;
  config.cache.mask_granularity = hierarchy(c).mask_granularity;
  config.cache.owned_read = hierarchy(c).owned_read;
  config.input_depth = l1.input_depth;
  config.memory_bytes = c.facts().memory.total_bytes();
  return config;
}

BlockHandle build(const BlockBuild& b, const CoherentCacheBlockConfig& config) {
  auto site = b.site<CoherentCacheSite>();
  site.config = config;
  site.coherence = b.block().as<umh::CoherenceSite>();
  return b.make(site);
}

/// Reads and writes of a line of the array: hits and stores of its core, and messages with bytes,
/// which are written on arrival or read before they leave.
CacheActivity activity(const CoherentCacheBlockConfig& c, const umh::CoherentAccessStats& core,
                       const umh::CoherenceBlockStats& s) {
  const Counter of_core = core.load_hits + core.stores + core.coherent_stores + core.atomics;
  Counter messages = 0;
  for (std::size_t i = 0; i < umh::kMessageTypes; ++i) {
    if (umh::carries_bytes(static_cast<umh::MessageType>(i))) messages += s.received[i] + s.sent[i];
  }
  return {static_cast<double>(of_core + messages), umh::kLineBytes,
          cache_bytes(c.cache.sets, c.cache.ways, umh::kLineBytes)};
}

/// `config`: of a block.
template <class F>
void add_energy(const RunFigures& run, const char* kind, const char* group, F config,
                EnergyReport& report) {
  const auto& power = run.config().group<PowerConfig>("power");
  for (const PlannedBlock* b : run.plan().of_kind(kind)) {
    const CacheActivity a = activity(config(*b), run.of_block<umh::CoherentAccessStats>(*b),
                                     run.of_block<umh::CoherenceBlockStats>(*b));
    report.add(group, b->index, cache_energy(power, a, run.seconds()));
  }
}

/// The parts of an average miss of the L1s.
void derive_l1s(RunFigures& run) {
  if (!run.plan().has("coherent_l1")) return;
  const auto l1s = run.of_level<umh::CoherentAccessStats>("l1");
  using S = umh::CoherentAccessStats;
  const double misses = l1s.sum(&S::miss_latency, &Histogram::count);
  nlohmann::ordered_json& hops = run["latency_breakdown"];
  // Those that all platforms have.
  for (const char* hop : {"request_network", "llc", "dram", "llc_return", "response_network"}) {
    hops.emplace(hop, 0.0);
  }
  const std::pair<const char*, Counter S::*> all_hops[] = {
      {"merge", &S::merge_cycles},
      {"l1_wait", &S::l1_wait_cycles},
      {"request_network", &S::request_network_cycles},
      {"l2", &S::l2_cycles},
      {"snoop", &S::snoop_cycles},
      {"below_l2", &S::below_l2_cycles},
      {"response_network", &S::response_network_cycles},
      {"unstamped", &S::unstamped_cycles}};
  for (const auto& [hop, field] : all_hops) hops[hop] = ratio(l1s.sum(field), misses);
}

const BlockKindRegistration kL1([] {
  BlockKind k("coherent_l1", CoherentCacheSite::kFamily);
  k.level = "l1";
  k.is_cache = true;
  k.rank = 60;
  k.flush = FlushAtKernelEnd::kCoherent;
  k.ingress = {"l1", 2};
  k.build = [](const BlockBuild& b) {
    return build(b, l1_config(b.config(), b.own<L1Config>("l1")));
  };
  k.own_config = [](const ConfigView& c, const PlannedBlock&) {
    return AnyConfig(c.group<L1Config>("l1"));
  };
  k.derive = derive_l1s;
  k.energy = [](const RunFigures& run, EnergyReport& report) {
    const auto config = [&run](const PlannedBlock& b) {
      return l1_config(run.config(), run.own(b, run.config().group<L1Config>("l1")));
    };
    add_energy(run, "coherent_l1", "l1", config, report);
  };
  return k;
}());

/// A cache whose configuration `of` makes.
BlockKind cache_kind(const char* name, int rank, CoherentCacheBlockConfig (*of)(const UmhConfig&)) {
  BlockKind k(name, CoherentCacheSite::kFamily);
  k.rank = rank;
  k.build = [of](const BlockBuild& b) { return build(b, of(hierarchy(b.config()))); };
  k.energy = [name, of](const RunFigures& run, EnergyReport& report) {
    const CoherentCacheBlockConfig config = of(hierarchy(run.config()));
    const std::string group = std::string(name) == "coherent_cache" ? "l2" : name;
    add_energy(
        run, name, group.c_str(), [&config](const PlannedBlock&) { return config; }, report);
  };
  return k;
}

const BlockKindRegistration kL2([] {
  BlockKind k = cache_kind("coherent_cache", 40, [](const UmhConfig& h) { return h.l2_config(); });
  k.level = "l2";
  k.flush = FlushAtKernelEnd::kCoherent;
  k.is_cache = true;
  return k;
}());

BlockKind cpu_cache_kind(const char* name, int rank,
                         CoherentCacheBlockConfig (*of)(const UmhConfig&)) {
  BlockKind k = cache_kind(name, rank, of);
  k.of_cpu = true;
  return k;
}

const BlockKindRegistration kCpuL1(cpu_cache_kind("cpu_l1", 15, [](const UmhConfig& h) {
  return h.cpu_cache_config(h.cpu.l1);
}));
const BlockKindRegistration kCpuL2(cpu_cache_kind("cpu_l2", 14, [](const UmhConfig& h) {
  return h.cpu_cache_config(h.cpu.l2);
}));
const BlockKindRegistration kCpuLlc(cpu_cache_kind("cpu_llc", 13, [](const UmhConfig& h) {
  return h.cpu_cache_config(h.cpu.llc);
}));

}  // namespace

}  // namespace tessera::cache_kinds
