// SPDX-License-Identifier: Apache-2.0
#include "platforms/derived.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "modules/core/statistics_visitor.h"
#include "modules/llc/llc_config.h"
#include "modules/memory/dram_channel.h"
#include "modules/mmu/page_sharing.h"
#include "modules/mmu/uvm_driver.h"
#include "modules/noc/gpu_fabric_stats.h"
#include "modules/noc/noc_stats.h"
#include "modules/probe/probe_engine.h"
#include "modules/rdma/decision_engine.h"
#include "modules/rdma/rdma_config.h"
#include "modules/sm/l1_cache_config.h"
#include "modules/sm/l1_roles/multi_gpu.h"
#include "modules/sm/load_store_unit.h"
#include "modules/sm/sm_stats.h"
#include "modules/umh/coherence_link.h"
#include "modules/umh/coherent_cache_block.h"
#include "modules/umh/directory_memory.h"
#include "platforms/topology/shape.h"
#include "policies/page_placement.h"

namespace tessera {

using nlohmann::ordered_json;

namespace {

/// The statistics of every block of a kind.
template <class Stats>
class AllOf {
 public:
  AllOf(const PlatformPlan& plan, BlockKind kind, const ordered_json& modules,
        const ClockDomain* clock = nullptr) {
    for (const PlannedBlock* b : plan.of_kind(kind)) {
      all_.push_back(read_statistics<Stats>(modules, plan.path_of(*b), clock));
    }
  }

  const std::vector<Stats>& each() const { return all_; }
  double sum(Counter Stats::*field) const {
    double total = 0;
    for (const Stats& s : all_) total += static_cast<double>(s.*field);
    return total;
  }
  double sum(Histogram Stats::*field, std::uint64_t (Histogram::*part)() const) const {
    double total = 0;
    for (const Stats& s : all_) total += static_cast<double>((s.*field.*part)());
    return total;
  }

 private:
  std::vector<Stats> all_;
};

constexpr auto kCount = &Histogram::count;
constexpr auto kSum = &Histogram::sum;

/// The statistics of a run that derived figures are made of.
struct Run {
  Run(const PlatformPlan& plan, const ordered_json& modules, const GpuConfig& config)
      : l1_clock(config.l1.clock_hz),
        sms(plan, BlockKind::kSm, modules),
        load_stores(plan, BlockKind::kSm, modules),
        l1s(plan, BlockKind::kL1, modules, &l1_clock),
        l1_remotes(plan, BlockKind::kL1, modules),
        slices(plan, BlockKind::kLlc, modules),
        remote_caches(plan, BlockKind::kRemoteCache, modules),
        channels(plan, BlockKind::kDram, modules),
        rdmas(plan, BlockKind::kRdma, modules),
        page_sharings(plan, BlockKind::kL2Tlb, modules),
        uvms(plan, BlockKind::kUvm, modules),
        decisions(plan, BlockKind::kDecision, modules),
        probes(plan, BlockKind::kProbe, modules),
        fabric(config.system.gpus) {
    for (const PlannedBlock* b : plan.of_kind(BlockKind::kFabric)) {
      StatisticsReader reader(modules, plan.path_of(*b));
      describe(reader, fabric);
    }
    for (const PlannedBlock* b : plan.of_kind(BlockKind::kNetwork)) {
      StatisticsReader reader(modules, plan.path_of(*b));
      Network n{b, NocStats(0), NocStats(0)};
      describe(reader, n.requests, NocDirection::kRequests);
      describe(reader, n.responses, NocDirection::kResponses);
      if (b->network.kind == NetworkKind::kMesh) {
        const MeshLayout m = b->network.mesh.layout(b->inputs, b->outputs);
        n.requests.link_busy_cycles.assign(std::size_t{4} * m.routers(), 0);
        n.responses.link_busy_cycles = n.requests.link_busy_cycles;
        describe(reader, n.requests, MeshTraffic{NocDirection::kRequests, m.width, m.height});
        describe(reader, n.responses, MeshTraffic{NocDirection::kResponses, m.width, m.height});
      }
      networks.push_back(std::move(n));
    }
  }

  /// Without the counters of single exits.
  struct Network {
    const PlannedBlock* block;
    NocStats requests;
    NocStats responses;

    double bytes() const { return static_cast<double>(requests.bytes + responses.bytes); }
  };

  const ClockDomain l1_clock;
  AllOf<SmStats> sms;
  AllOf<LoadStoreStats> load_stores;
  AllOf<L1Stats> l1s;
  AllOf<L1RemoteStats> l1_remotes;
  AllOf<LlcSliceStats> slices;
  AllOf<LlcSliceStats> remote_caches;
  AllOf<DramStats> channels;
  AllOf<RdmaStats> rdmas;
  AllOf<PageSharingStats> page_sharings;
  AllOf<UvmDriverStats> uvms;
  AllOf<DecisionStats> decisions;
  AllOf<ProbeStats> probes;
  GpuFabricStats fabric;
  std::vector<Network> networks;
};

double ratio(double a, double b) { return b == 0 ? 0 : a / b; }

/// Shares of pages by how many SMs touched them.
ordered_json page_sharing(const Run& run) {
  const char* const bands[PageSharing::kBands] = {"1", "2-10", "11-25", "26-64"};
  std::array<double, PageSharing::kBands> pages{};
  double all = 0;
  for (const PageSharingStats& s : run.page_sharings.each()) {
    for (std::size_t i = 0; i < PageSharing::kBands; ++i) {
      pages[i] += static_cast<double>(s.pages[i]);
      all += static_cast<double>(s.pages[i]);
    }
  }
  ordered_json d;
  for (std::size_t i = 0; i < PageSharing::kBands; ++i) d[bands[i]] = ratio(pages[i], all);
  return d;
}

/// Bytes from each GPU to each other.
ordered_json traffic_matrix(const GpuFabricStats& fabric, std::uint32_t gpus) {
  ordered_json matrix = ordered_json::array();
  for (std::uint32_t from = 0; from < gpus; ++from) {
    ordered_json row = ordered_json::array();
    for (std::uint32_t to = 0; to < gpus; ++to) row.push_back(fabric.bytes[from * gpus + to]);
    matrix.push_back(row);
  }
  return matrix;
}

/// What the decision engine saw and when it had seen enough (DualOpt figures 10 and 12); without
/// one: zeros, and never.
void derive_decision(ordered_json& d, const Run& run, const GpuConfig& config, double seconds) {
  const std::vector<DecisionStats>& engines = run.decisions.each();
  const DecisionStats engine = engines.empty() ? DecisionStats{} : engines.front();
  const auto sample = [&](const std::string& name, const TransferSample& s) {
    const auto loads = static_cast<double>(s.remote_loads);
    const double words = loads * config.system.line_bytes / 4;
    d[name + "_utilisation"] = ratio(static_cast<double>(s.remote_load_words), words);
    d[name + "_hit_rate"] = ratio(static_cast<double>(s.remote_load_hits), loads);
  };
  d["verdict"] = static_cast<double>(engine.verdict);
  d["golden_verdict"] = static_cast<double>(engine.golden_verdict);
  const auto decided_at = static_cast<double>(engine.decided_at_cycle);
  d["decided_at_cycle"] = decided_at;
  const double until = decided_at / static_cast<double>(config.decision.clock_hz);
  d["undecided_fraction"] = engine.decided == 0 ? 1 : ratio(until, seconds);
  sample("window", engine.window);
  sample("run", engine.whole_run);
}

/// Where DualOpt's figures 3 to 6, 9, 12 and 17 look.
ordered_json derive_remote(const Run& run, const GpuConfig& config, double seconds) {
  const AllOf<L1RemoteStats>& l1s = run.l1_remotes;
  const AllOf<RdmaStats>& rdmas = run.rdmas;
  const AllOf<LlcSliceStats>& caches = run.remote_caches;
  // A scalar cache's loads count for neither.
  const double accesses = run.l1s.sum(&L1Stats::loads) - run.l1s.sum(&L1Stats::scalar_loads) +
                          run.l1s.sum(&L1Stats::stores) + run.l1s.sum(&L1Stats::atomics);
  const double remote_loads = l1s.sum(&L1RemoteStats::loads);
  ordered_json d;
  d["access_fraction"] = ratio(remote_loads + l1s.sum(&L1RemoteStats::stores), accesses);
  d["served_by_l1_fraction"] =
      ratio(l1s.sum(&L1RemoteStats::load_hits) + l1s.sum(&L1RemoteStats::load_merges), accesses);
  d["served_remotely_fraction"] = ratio(rdmas.sum(&RdmaStats::requests_out), accesses);
  // Of the loads that left their GPU, in cycles of the RDMA engines.
  const double to_rdma_cycles =
      static_cast<double>(config.rdma.clock_hz) / static_cast<double>(config.l1.clock_hz);
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
  d["mergeable_fraction"] = config.rdma.ideal_coalescing
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
  derive_decision(d, run, config, seconds);
  d["bytes"] = traffic_matrix(run.fabric, config.system.gpus);
  return d;
}

/// Mean utilisation of the links between routers in the meshes of a traffic class (remote-core
/// paper, figure 16). Null without a mesh.
ordered_json derive_mesh(const Run& run, const std::string& traffic, double seconds) {
  double cycles = 0;
  double requests = 0;
  double responses = 0;
  const auto busy = [](const NocStats& s) {
    return std::accumulate(s.link_busy_cycles.begin(), s.link_busy_cycles.end(), 0.0);
  };
  for (const Run::Network& n : run.networks) {
    const PlannedNetwork& network = n.block->network;
    if (network.kind != NetworkKind::kMesh || network.traffic != traffic) continue;
    const MeshLayout m = network.mesh.layout(n.block->inputs, n.block->outputs);
    const std::uint32_t links = 2 * ((m.width - 1) * m.height + m.width * (m.height - 1));
    cycles += links * seconds * static_cast<double>(network.mesh.clock_hz);
    requests += busy(n.requests);
    responses += busy(n.responses);
  }
  if (cycles == 0) return nullptr;
  return {{"request_link_utilisation", requests / cycles},
          {"response_link_utilisation", responses / cycles}};
}

/// Figures 3, 4, 13 and 14a of the remote-core paper, and timeouts (section III-F). `requests`:
/// packets of the GPU's request network.
ordered_json derive_probing(const Run& run, const GpuConfig& config, double cycles,
                            double requests) {
  const AllOf<ProbeStats>& engines = run.probes;
  const double supplied = engines.sum(&ProbeStats::supplied);
  const double probed = engines.sum(&ProbeStats::predicted);
  ordered_json d;
  d["remote_hit_rate"] = ratio(supplied, engines.sum(&ProbeStats::read_misses));
  const double shared = engines.sum(&ProbeStats::shared);
  const double hits = engines.sum(&ProbeStats::predicted_shared);
  d["shared_fraction"] = ratio(shared, engines.sum(&ProbeStats::read_misses));
  d["probed_fraction"] = ratio(probed, engines.sum(&ProbeStats::read_misses));
  // Cores that leave the prediction to slices do not know which of their misses are forwarded.
  const bool predict = !config.forwards_hits();
  d["precision"] = predict ? ordered_json(ratio(hits, probed)) : ordered_json();
  d["recall"] = predict ? ordered_json(ratio(hits, shared)) : ordered_json();
  d["supplied_fraction"] = ratio(supplied, probed);
  d["failed_fraction"] = ratio(engines.sum(&ProbeStats::failed), probed);
  d["timeout_fraction"] = ratio(engines.sum(&ProbeStats::timeouts), probed);
  d["remote_replies_per_cycle"] = ratio(supplied, cycles);
  d["requests_per_cycle"] = ratio(requests, cycles);
  return d;
}

/// Sections 3, 5.1 and 6 of the UMH paper, and its figure 14.
ordered_json derive_hierarchy(const PlatformPlan& plan, const ordered_json& modules) {
  const auto index = [](umh::MessageType type) { return static_cast<std::size_t>(type); };
  const AllOf<umh::CoherenceBlockStats> hmds(plan, BlockKind::kHmd, modules);
  const auto requests_of = [&](const std::array<Counter, umh::kMessageTypes>& messages) {
    return static_cast<double>(messages[index(umh::MessageType::kReadRequest)] +
                               messages[index(umh::MessageType::kWriteRequest)]);
  };
  double requests = 0;
  for (const umh::CoherenceBlockStats& s : hmds.each()) requests += requests_of(s.received);
  double control_bytes = 0;
  double control_messages = 0;
  const AllOf<umh::CoherenceLinkStats> links(plan, BlockKind::kCoherenceLink, modules);
  for (const umh::CoherenceLinkStats& s : links.each()) {
    for (std::size_t i = 0; i < umh::kMessageTypes; ++i) {
      if (umh::carries_bytes(static_cast<umh::MessageType>(i))) continue;
      control_bytes += static_cast<double>(s.bytes[i]);
      control_messages += static_cast<double>(s.messages[i]);
    }
  }
  double of_l1s = 0;
  const AllOf<umh::CoherenceBlockStats> upper(plan, BlockKind::kL1, modules);
  for (const umh::CoherenceBlockStats& s : upper.each()) of_l1s += requests_of(s.sent);
  double to_other_partitions = 0;
  const AllOf<umh::CoherenceLinkStats> partition_links(plan, BlockKind::kPartitionLink, modules);
  for (const umh::CoherenceLinkStats& s : partition_links.each()) {
    to_other_partitions += requests_of(s.messages);
  }
  using Flush = umh::CoherentFlushStats;
  const AllOf<Flush> l1s(plan, BlockKind::kL1, modules);
  const AllOf<Flush> l2s(plan, BlockKind::kCoherentCache, modules);
  const AllOf<Flush> smds(plan, BlockKind::kSmd, modules);
  ordered_json d;
  d["home_requests"] = requests;
  d["home_lines_read"] = AllOf<umh::DirectoryMemoryStats>(plan, BlockKind::kHmd, modules)
                             .sum(&umh::DirectoryMemoryStats::lines_read);
  d["control_bytes"] = control_bytes;
  d["control_messages"] = control_messages;
  d["flushed_bytes"] = l1s.sum(&Flush::flushed_bytes) + l2s.sum(&Flush::flushed_bytes);
  d["smd_flushed_bytes"] = smds.sum(&Flush::flushed_bytes);
  d["remote_request_fraction"] = ratio(to_other_partitions, of_l1s);
  d["smd_replacements"] = smds.sum(&Flush::replacements);
  return d;
}

}  // namespace

ordered_json derive(const ordered_json& modules, const GpuConfig& config, std::uint64_t cycles,
                    const std::vector<std::uint64_t>& pages_per_channel) {
  const PlatformPlan plan = plan_of(config);
  const Run run(plan, modules, config);
  const AllOf<L1Stats>& l1s = run.l1s;
  const AllOf<LlcSliceStats>& slices = run.slices;
  const double n = static_cast<double>(cycles);
  const double seconds = n / static_cast<double>(config.sm.clock_hz);
  const double loads = l1s.sum(&L1Stats::loads);
  const double l1_misses = l1s.sum(&L1Stats::miss_latency, kCount);
  const double llc_accesses = slices.sum(&LlcSliceStats::reads) +
                              slices.sum(&LlcSliceStats::writes) +
                              slices.sum(&LlcSliceStats::atomics);
  const double dram_bytes =
      run.channels.sum(&DramStats::bytes_read) + run.channels.sum(&DramStats::bytes_written);
  const double dram_peak = static_cast<double>(config.dram.clock_hz) *
                           config.dram.bus_bytes_per_clock * config.system.channels;
  const SystemConfig& system = config.system;
  const bool several = system.gpus > 1;

  ordered_json d;
  d["ipc"] = ratio(run.sms.sum(&SmStats::warp_instructions), n);
  const double slots = n * system.sms * config.sm.schedulers;
  d["memory_stall_fraction"] = ratio(run.sms.sum(&SmStats::memory_slots), slots);
  d["memory_headroom"] =
      ratio(slots, run.sms.sum(&SmStats::issued_slots) + run.sms.sum(&SmStats::dependency_slots));
  d["replies_per_cycle"] = ratio(l1_misses, n);
  d["l1_hit_rate"] = ratio(l1s.sum(&L1Stats::load_hits), loads);
  const bool has_slices = plan.has(BlockKind::kLlc);
  d["llc_hit_rate"] = nullptr;
  if (has_slices) {
    d["llc_hit_rate"] =
        ratio(slices.sum(&LlcSliceStats::hits) + slices.sum(&LlcSliceStats::write_allocations),
              llc_accesses);
  }
  // In a UBA, every L1 miss crosses the network (NUBA figure 9). Of several GPUs, each counts its
  // own memory's as local.
  const double load_misses = l1s.sum(&L1Stats::load_misses);
  switch (plan.locality) {
    case Locality::kNone:
      d["l1_miss_local_fraction"] = 0.0;
      break;
    case Locality::kPartition:
      d["l1_miss_local_fraction"] =
          ratio(slices.sum(&LlcSliceStats::sm_loads_served), slices.sum(&LlcSliceStats::sm_loads));
      break;
    case Locality::kGpu:
      d["l1_miss_local_fraction"] =
          ratio(load_misses - run.l1_remotes.sum(&L1RemoteStats::load_misses), load_misses);
  }
  double noc_bytes = 0;
  double noc_requests = 0;
  double module_bytes = 0;
  double module_requests = 0;
  for (const Run::Network& network : run.networks) {
    // Each byte once: all other networks only pass on what these have sent.
    if (network.block->network.traffic == plan.traffic.front().name) {
      noc_bytes += network.bytes();
      noc_requests += static_cast<double>(network.requests.packets);
    }
    if (network.block->network.joins != NodeLevel::kModule) continue;
    module_bytes += network.bytes();
    module_requests += static_cast<double>(network.requests.packets);
  }
  d["noc_bytes"] = noc_bytes;
  d["inter_module_bytes"] = module_bytes;
  d["inter_gpu_bytes"] = static_cast<double>(run.fabric.series.total());
  std::uint64_t host_bytes = 0;
  for (const PlannedBlock* b : plan.of_kind(BlockKind::kCoherenceLink)) {
    const auto s = read_statistics<umh::CoherenceLinkStats>(modules, plan.path_of(*b));
    host_bytes += s.bandwidth.total();
  }
  d["host_link_bytes"] = host_bytes;
  d["off_node_fraction"] =
      ratio(module_requests + run.rdmas.sum(&RdmaStats::requests_in), llc_accesses);
  d["dram_bytes"] = dram_bytes;
  d["dram_utilisation"] = ratio(dram_bytes, dram_peak * seconds);
  d["avg_load_latency_cycles"] = ratio(run.load_stores.sum(&LoadStoreStats::load_latency, kSum),
                                       run.load_stores.sum(&LoadStoreStats::load_latency, kCount));
  d["avg_remote_load_latency_cycles"] =
      several ? ratio(run.l1_remotes.sum(&L1RemoteStats::latency, kSum),
                      run.l1_remotes.sum(&L1RemoteStats::latency, kCount))
              : ratio(l1s.sum(&L1Stats::miss_latency, kSum), l1_misses);
  d["page_balance"] = normalised_page_balance(pages_per_channel);
  d["page_faults"] = run.uvms.sum(&UvmDriverStats::faults);
  // Of several GPUs, each L2 TLB knows its own SMs only.
  d["page_sharing"] = several ? ordered_json(nullptr) : page_sharing(run);
  ordered_json& hops = d["latency_breakdown"];
  const std::pair<const char*, Tick L1Stats::*> all_hops[] = {
      {"request_network", &L1Stats::request_network},
      {"llc", &L1Stats::llc},
      {"dram", &L1Stats::dram},
      {"llc_return", &L1Stats::llc_return},
      {"response_network", &L1Stats::response_network}};
  for (const auto& [hop, field] : all_hops) {
    double hop_cycles = 0;
    for (const L1Stats& l1 : l1s.each()) {
      hop_cycles += static_cast<double>(run.l1_clock.cycle_at(l1.*field));
    }
    hops[hop] = ratio(hop_cycles, l1_misses);
  }
  ordered_json& peaks = d["peak_gb_per_s"];
  const auto add_traffic = [&peaks](const PlannedTraffic& t) {
    if (!t.directions_apart) {
      peaks[t.name] = t.request_peak / 1e9;
      return;
    }
    peaks[t.name + "_request"] = t.request_peak / 1e9;
    peaks[t.name + "_response"] = t.response_peak / 1e9;
  };
  add_traffic(plan.traffic.front());
  if (has_slices) {
    peaks["llc"] =
        static_cast<double>(config.llc.clock_hz) * system.line_bytes * system.slices() / 1e9;
  }
  peaks["dram"] = dram_peak / 1e9;
  std::for_each(plan.traffic.begin() + 1, plan.traffic.end(), add_traffic);
  if (several) d["remote"] = derive_remote(run, config, seconds);
  if (ordered_json mesh = derive_mesh(run, plan.traffic.front().name, seconds); !mesh.is_null()) {
    d["mesh"] = std::move(mesh);
  }
  if (plan.has(BlockKind::kHmd)) d["hierarchy"] = derive_hierarchy(plan, modules);
  if (plan.has(BlockKind::kProbe)) d["probing"] = derive_probing(run, config, n, noc_requests);
  return d;
}

}  // namespace tessera
