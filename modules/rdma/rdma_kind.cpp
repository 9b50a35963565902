// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "common/json.h"
#include "modules/llc/llc_config.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"
#include "modules/plan/run_figures.h"
#include "modules/rdma/decision_engine.h"
#include "modules/rdma/rdma_engine.h"
#include "modules/rdma/sites.h"
#include "modules/sm/l1_cache_config.h"
#include "modules/sm/l1_roles/multi_gpu.h"

namespace tessera {

using nlohmann::ordered_json;

namespace {

constexpr auto kCount = &Histogram::count;
constexpr auto kSum = &Histogram::sum;

const BlockFamilyRegistration<RdmaSite> kFamily([](const RdmaSite& s) {
  auto module = std::make_unique<RdmaEngine>(s.name.c_str(), s.config, s.engine);
  RdmaEngine& m = *module;
  BlockHandle h = BlockHandle::of(std::move(module));
  h.add_inputs(m.local_in);
  h.add_inputs(m.fabric_in);
  h.out = {&m.local_out};
  h.add_outputs(m.fabric_out);
  h.offer<HomeAccessIf>(m);
  h.offer<KernelEndIf>(m);
  return h;
});

BlockHandle build(const BlockBuild& b) {
  auto site = b.site<RdmaSite>();
  site.config = b.own<RdmaConfig>("rdma");
  RdmaEngineSite& engine = site.engine;
  engine.self = GpuId(b.block().gpu);
  engine.gpus = b.facts().tree.gpus;
  engine.ports = b.block().inputs - kPacketClasses;
  engine.home_of = [slices = b.facts().slices_per_gpu()](const MemoryRequest& r) {
    return GpuId(r.home().slice.value / slices);
  };
  engine.transfer = &b.get<RemoteAccessMode>();
  engine.packets = &b.get<PacketPool>();
  const HomeAccesses homes = b.get<HomeAccesses>();
  engine.debug_at_home = [homes](tlm::tlm_generic_payload& payload) {
    return homes.of(payload.get_address()).debug_home(payload);
  };
  engine.blocking_at_home = [homes](tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    homes.of(payload.get_address()).blocking_home(payload, delay);
  };
  return b.make(site);
}

/// What the decision engine saw and when it had seen enough (DualOpt figures 10 and 12); without
/// one: zeros, and never.
void derive_decision(ordered_json& d, const RunFigures& run) {
  const auto decisions = run.of_kind<DecisionStats>(DecisionSite::kFamily);
  const std::vector<DecisionStats>& engines = decisions.each();
  const DecisionStats engine = engines.empty() ? DecisionStats{} : engines.front();
  const auto sample = [&](const std::string& name, const TransferSample& s) {
    const auto loads = static_cast<double>(s.remote_loads);
    const double words = loads * run.facts().memory.line_bytes / 4;
    d[name + "_utilisation"] = ratio(static_cast<double>(s.remote_load_words), words);
    d[name + "_hit_rate"] = ratio(static_cast<double>(s.remote_load_hits), loads);
  };
  d["verdict"] = static_cast<double>(engine.verdict);
  d["golden_verdict"] = static_cast<double>(engine.golden_verdict);
  const auto decided_at = static_cast<double>(engine.decided_at_cycle);
  d["decided_at_cycle"] = decided_at;
  const double until =
      decided_at / static_cast<double>(run.config().group<DecisionConfig>("decision").clock_hz);
  d["undecided_fraction"] = engine.decided == 0 ? 1 : ratio(until, run.seconds());
  sample("window", engine.window);
  sample("run", engine.whole_run);
}

/// Where DualOpt's figures 3 to 6, 9, 12 and 17 look.
void derive(RunFigures& run) {
  const auto rdmas = run.of_kind<RdmaStats>(RdmaSite::kFamily);
  run.add("off_node_requests", rdmas.sum(&RdmaStats::requests_in));
  if (run.facts().tree.gpus == 1) return;
  const auto l1s = run.of_level<L1RemoteStats>("l1");
  const ClockDomain l1_clock(run.config().group<L1Config>("l1").clock_hz);
  const auto all = run.of_level<L1Stats>("l1", &l1_clock);
  const auto caches = run.of_level<LlcSliceStats>("remote_cache");
  const auto& config = run.config().group<RdmaConfig>("rdma");
  // A scalar cache's loads count for neither.
  const double accesses = all.sum(&L1Stats::loads) - all.sum(&L1Stats::scalar_loads) +
                          all.sum(&L1Stats::stores) + all.sum(&L1Stats::atomics);
  const double remote_loads = l1s.sum(&L1RemoteStats::loads);
  ordered_json d;
  d["access_fraction"] = ratio(remote_loads + l1s.sum(&L1RemoteStats::stores), accesses);
  d["served_by_l1_fraction"] =
      ratio(l1s.sum(&L1RemoteStats::load_hits) + l1s.sum(&L1RemoteStats::load_merges), accesses);
  d["served_remotely_fraction"] = ratio(rdmas.sum(&RdmaStats::requests_out), accesses);
  // Of the loads that left their GPU, in cycles of the RDMA engines.
  const double to_rdma_cycles =
      static_cast<double>(config.clock_hz) / static_cast<double>(l1_clock.hertz());
  const double latency = l1s.sum(&L1RemoteStats::latency, kSum) * to_rdma_cycles;
  const double link =
      rdmas.sum(&RdmaStats::link_request_cycles) + rdmas.sum(&RdmaStats::link_response_cycles);
  const double before = rdmas.sum(&RdmaStats::pre_link_cycles);
  d["pre_link_latency_share"] = ratio(before, latency);
  d["link_latency_share"] = ratio(link, latency);
  d["post_link_latency_share"] = latency == 0 ? 0 : 1 - (before + link) / latency;
  const double reads = rdmas.sum(&RdmaStats::remote_read_words, kCount);
  double below_4 = 0;
  std::uint64_t most_responses = 0;
  for (const RdmaStats& s : rdmas.each()) {
    // Buckets: none, 1, 2 to 3, ...
    for (std::size_t i = 0; i < 3; ++i) {
      below_4 += static_cast<double>(s.remote_read_words.bucket(i));
    }
    most_responses = std::max(most_responses, s.responses_per_packet.max());
  }
  d["below_4_words_fraction"] = ratio(below_4, reads);
  d["mean_words"] = ratio(rdmas.sum(&RdmaStats::remote_read_words, kSum), reads);
  d["mergeable_fraction"] = config.ideal_coalescing
                                ? ordered_json(ratio(rdmas.sum(&RdmaStats::mergeable_reads),
                                                     rdmas.sum(&RdmaStats::reads_out)))
                                : ordered_json(nullptr);
  const double cached = caches.sum(&LlcSliceStats::reads) + caches.sum(&LlcSliceStats::writes) +
                        caches.sum(&LlcSliceStats::atomics) + caches.sum(&LlcSliceStats::bypasses);
  d["cache_hit_rate"] = ratio(
      caches.sum(&LlcSliceStats::hits) + caches.sum(&LlcSliceStats::write_allocations), cached);
  d["responses_per_packet"] = ratio(rdmas.sum(&RdmaStats::responses_per_packet, kSum),
                                    rdmas.sum(&RdmaStats::responses_per_packet, kCount));
  d["most_responses_per_packet"] = static_cast<double>(most_responses);
  derive_decision(d, run);
  run["remote"] = std::move(d);
}

const BlockKindRegistration kKind([] {
  BlockKind k(RdmaSite::kFamily, RdmaSite::kFamily);
  k.rank = 35;
  k.build = build;
  k.own_config = [](const ConfigView& c, const PlannedBlock&) {
    return AnyConfig(c.group<RdmaConfig>("rdma"));
  };
  k.derive = derive;
  k.derived = {
      {"remote", "", "figures of DualOpt"},
      {"remote.access_fraction", "",
       "L1 accesses of other GPUs' lines, over all L1 accesses; both without accesses of scalar "
       "caches"},
      {"remote.served_by_l1_fraction", "",
       "of all accesses: remote loads that hit or merge in the L1"},
      {"remote.served_remotely_fraction", "", "of all accesses: those that left their GPU"},
      {"remote.pre_link_latency_share", "", "of a remote load: before the engine could send it"},
      {"remote.link_latency_share", "", "of a remote load: between the engines, both ways"},
      {"remote.post_link_latency_share", "", "of a remote load: at its home"},
      {"remote.below_4_words_fraction", "", "remote reads of fewer than four 4-byte words"},
      {"remote.mean_words", "word", "4-byte words of a remote read"},
      {"remote.mergeable_fraction", "",
       "reads that an infinite buffer would merge; null without it"},
      {"remote.cache_hit_rate", "", "remote cache's hits over its accesses"},
      {"remote.responses_per_packet", "response", "in a coalesced packet, on average"},
      {"remote.most_responses_per_packet", "response", "in a coalesced packet, at most"},
      {"remote.verdict", "",
       "decision engine: what it decided: 0 none, 1 whole lines, 2 coalescing, 3 remote cache"},
      {"remote.golden_verdict", "",
       "decision engine: its decision if it had seen the whole run: 0 none, 1 whole lines, 2 "
       "coalescing, 3 remote cache"},
      {"remote.decided_at_cycle", "cycle", "of the decision engine's clock"},
      {"remote.undecided_fraction", "", "of the run's time, before the decision"},
      {"remote.window_utilisation", "", "of remote lines' bytes, in the decision window"},
      {"remote.window_hit_rate", "", "of remote loads, in the decision window"},
      {"remote.run_utilisation", "", "of remote lines' bytes, in the whole run"},
      {"remote.run_hit_rate", "", "of remote loads, in the whole run"}};
  return k;
}());

}  // namespace

}  // namespace tessera
