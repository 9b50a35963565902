// SPDX-License-Identifier: Apache-2.0
#include "platforms/derived.h"

#include <algorithm>
#include <string>
#include <utility>

#include "platforms/topology/shape.h"
#include "policies/page_placement.h"

namespace tessera {

using nlohmann::ordered_json;

namespace {

/// Sums, and largest values, over the modules whose own name is `kind` followed by nothing or a
/// number.
class Sums {
 public:
  explicit Sums(const ordered_json& modules) : modules_(modules) {}

  double operator()(const std::string& kind, const std::string& statistic,
                    const char* field = nullptr) const {
    return fold(kind, statistic, field, [](double a, double b) { return a + b; });
  }
  /// The largest, of values from 0.
  double most(const std::string& kind, const std::string& statistic, const char* field) const {
    return fold(kind, statistic, field, [](double a, double b) { return std::max(a, b); });
  }

 private:
  template <class Combine>
  double fold(const std::string& kind, const std::string& statistic, const char* field,
              Combine combine) const {
    double total = 0;
    for (const auto& [module, statistics] : modules_.items()) {
      if (!is_kind(module, kind) || !statistics.contains(statistic)) continue;
      const ordered_json& value = statistics.at(statistic);
      total = combine(total, (field == nullptr ? value : value.at(field)).get<double>());
    }
    return total;
  }
  static bool is_kind(const std::string& module, const std::string& kind) {
    const std::size_t dot = module.rfind('.');
    const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
    if (module.compare(begin, kind.size(), kind) != 0) return false;
    return module.find_first_not_of("0123456789", begin + kind.size()) == std::string::npos;
  }
  const ordered_json& modules_;
};

double ratio(double a, double b) { return b == 0 ? 0 : a / b; }

/// Shares of pages by how many SMs touched them.
ordered_json page_sharing(const Sums& sum) {
  const std::pair<const char*, const char*> bands[] = {{"1", "pages_of_1_sm"},
                                                       {"2-10", "pages_of_2_to_10_sms"},
                                                       {"11-25", "pages_of_11_to_25_sms"},
                                                       {"26-64", "pages_of_26_or_more_sms"}};
  double pages = 0;
  for (const auto& band : bands) pages += sum("l2_tlb", band.second);
  ordered_json d;
  for (const auto& [name, statistic] : bands) d[name] = ratio(sum("l2_tlb", statistic), pages);
  return d;
}

/// Bytes from each GPU to each other.
ordered_json traffic_matrix(const ordered_json& fabric, std::uint32_t gpus) {
  ordered_json matrix = ordered_json::array();
  for (std::uint32_t from = 0; from < gpus; ++from) {
    ordered_json row = ordered_json::array();
    for (std::uint32_t to = 0; to < gpus; ++to) {
      const std::string name = "bytes_" + std::to_string(from) + "_" + std::to_string(to);
      row.push_back(from == to ? 0 : fabric.at(name).get<std::uint64_t>());
    }
    matrix.push_back(row);
  }
  return matrix;
}

/// What the decision engine saw and when it had seen enough (DualOpt figures 10 and 12); without
/// one: zeros, and never.
void derive_decision(ordered_json& d, const Sums& sum, const GpuConfig& config, double seconds) {
  const auto sample = [&](const std::string& name) {
    const double loads = sum("decision", name + "_remote_loads");
    const double words = loads * config.system.line_bytes / 4;
    d[name + "_utilisation"] = ratio(sum("decision", name + "_remote_load_pieces"), words);
    d[name + "_hit_rate"] = ratio(sum("decision", name + "_remote_load_hits"), loads);
  };
  d["verdict"] = sum("decision", "verdict");
  d["golden_verdict"] = sum("decision", "golden_verdict");
  d["decided_at_cycle"] = sum("decision", "decided_at_cycle");
  const double until =
      sum("decision", "decided_at_cycle") / static_cast<double>(config.decision.clock_hz);
  d["undecided_fraction"] = sum("decision", "decided") == 0 ? 1 : ratio(until, seconds);
  sample("window");
  sample("run");
}

/// Where DualOpt's figures 3 to 6, 9, 12 and 17 look.
ordered_json derive_remote(const ordered_json& modules, const Sums& sum, const GpuConfig& config,
                           double seconds) {
  const double accesses = sum("l1_", "loads") + sum("l1_", "stores") + sum("l1_", "atomics");
  const double remote_loads = sum("l1_", "remote_loads");
  ordered_json d;
  d["access_fraction"] = ratio(remote_loads + sum("l1_", "remote_stores"), accesses);
  d["served_by_l1_fraction"] =
      ratio(sum("l1_", "remote_load_hits") + sum("l1_", "remote_load_merges"), accesses);
  d["served_remotely_fraction"] = ratio(sum("rdma", "requests_out"), accesses);
  // Of the loads that left their GPU, in cycles of the RDMA engines.
  const double to_rdma_cycles =
      static_cast<double>(config.rdma.clock_hz) / static_cast<double>(config.l1.clock_hz);
  const double latency = sum("l1_", "remote_latency", "sum") * to_rdma_cycles;
  const double link = sum("rdma", "link_request_cycles") + sum("rdma", "link_answer_cycles");
  const double before = sum("rdma", "pre_link_cycles");
  d["pre_link_latency_share"] = ratio(before, latency);
  d["link_latency_share"] = ratio(link, latency);
  d["post_link_latency_share"] = latency == 0 ? 0 : 1 - (before + link) / latency;
  const double reads = sum("rdma", "remote_read_pieces", "count");
  double below_4 = 0;
  for (const auto& [module, statistics] : modules.items()) {
    if (!statistics.contains("remote_read_pieces")) continue;
    // Buckets: none, 1, 2 to 3, ...
    const ordered_json& buckets = statistics.at("remote_read_pieces").at("log2_buckets");
    for (std::size_t i = 0; i < buckets.size() && i < 3; ++i) below_4 += buckets[i].get<double>();
  }
  d["below_4_pieces_fraction"] = ratio(below_4, reads);
  d["mean_pieces"] = ratio(sum("rdma", "remote_read_pieces", "sum"), reads);
  d["mergeable_fraction"] =
      config.rdma.ideal_coalescing
          ? ordered_json(ratio(sum("rdma", "mergeable_reads"), sum("rdma", "reads_out")))
          : ordered_json(nullptr);
  const double cached = sum("rcache", "reads") + sum("rcache", "writes") +
                        sum("rcache", "atomics") + sum("rcache", "bypasses");
  d["cache_hit_rate"] = ratio(sum("rcache", "hits") + sum("rcache", "write_allocations"), cached);
  d["answers_per_packet"] =
      ratio(sum("rdma", "answers_per_packet", "sum"), sum("rdma", "answers_per_packet", "count"));
  d["most_answers_per_packet"] = sum.most("rdma", "answers_per_packet", "max");
  derive_decision(d, sum, config, seconds);
  d["bytes"] = traffic_matrix(modules.at("system.fabric"), config.system.gpus);
  return d;
}

}  // namespace

const std::vector<DerivedInfo>& derived_catalogue() {
  static const std::vector<DerivedInfo> all = {
      {"ipc", "instruction/cycle", "warp instructions of all SMs per SM cycle"},
      {"replies_per_cycle", "reply/cycle", "responses to L1 misses per SM cycle (NUBA figure 8)"},
      {"l1_hit_rate", "", "L1 load hits over loads; merges are no hits"},
      {"llc_hit_rate", "", "LLC hits and write allocations over accesses"},
      {"l1_miss_local_fraction", "", "L1 misses served in the SM's own partition or GPU"},
      {"noc_bytes", "byte", "sent by the GPU's network, requests and responses, each once"},
      {"inter_module_bytes", "byte", "sent between modules, requests and responses"},
      {"inter_gpu_bytes", "byte", "sent between GPUs, headers included"},
      {"host_link_bytes", "byte", "sent between host and GPUs"},
      {"off_node_fraction", "", "requests to another module or GPU over LLC accesses"},
      {"dram_bytes", "byte", "read and written by the DRAM channels"},
      {"dram_utilisation", "", "dram_bytes over the channels' peak in the same time"},
      {"avg_load_latency_cycles", "cycle", "a warp's load, from issue to its last byte"},
      {"avg_remote_load_latency_cycles", "cycle",
       "an L1 miss; of several GPUs, of another GPU's line"},
      {"page_balance", "", "average pages a channel over the most (NUBA section 4)"},
      {"page_faults", "fault", "pages whose first access faulted"},
      {"page_sharing", "", "shares of pages by the number of SMs that touch them"},
      {"page_sharing.1", "", "touched by one SM"},
      {"page_sharing.2-10", "", "touched by 2 to 10 SMs"},
      {"page_sharing.11-25", "", "touched by 11 to 25 SMs"},
      {"page_sharing.26-64", "", "touched by 26 SMs or more"},
      {"latency_breakdown", "cycle", "average of an L1 miss at each hop"},
      {"latency_breakdown.request_network", "cycle", "from the L1 to the home slice"},
      {"latency_breakdown.llc", "cycle",
       "in the slice, until its request to the channel or its response"},
      {"latency_breakdown.dram", "cycle", "from the slice's request to the channel's response"},
      {"latency_breakdown.llc_return", "cycle", "in the slice after the channel's response"},
      {"latency_breakdown.reply_network", "cycle", "from the slice back to the L1"},
      {"peak_gb_per_s", "GB/s", "peak bandwidth of each level"},
      {"peak_gb_per_s.*", "GB/s", "by level and direction"},
      {"remote", "", "figures of DualOpt"},
      {"remote.access_fraction", "", "L1 accesses of other GPUs' lines"},
      {"remote.served_by_l1_fraction", "",
       "of all accesses: remote loads that hit or merge in the L1"},
      {"remote.served_remotely_fraction", "", "of all accesses: those that left their GPU"},
      {"remote.pre_link_latency_share", "", "of a remote load: before the engine could send it"},
      {"remote.link_latency_share", "", "of a remote load: between the engines, both ways"},
      {"remote.post_link_latency_share", "", "of a remote load: at its home"},
      {"remote.below_4_pieces_fraction", "", "remote reads of fewer than four 4-byte pieces"},
      {"remote.mean_pieces", "piece", "4-byte pieces of a remote read"},
      {"remote.mergeable_fraction", "",
       "reads that an infinite buffer would merge; null without it"},
      {"remote.cache_hit_rate", "", "remote cache's hits over its accesses"},
      {"remote.answers_per_packet", "response", "in a coalesced packet, on average"},
      {"remote.most_answers_per_packet", "response", "in a coalesced packet, at most"},
      {"remote.verdict", "", "decision engine: 1 when it chose fine-grained transfer"},
      {"remote.golden_verdict", "", "the same, had it seen the whole run"},
      {"remote.decided_at_cycle", "cycle", "of the decision engine's clock"},
      {"remote.undecided_fraction", "", "of the run's time, before the decision"},
      {"remote.window_utilisation", "", "of remote lines' bytes, in the decision window"},
      {"remote.window_hit_rate", "", "of remote loads, in the decision window"},
      {"remote.run_utilisation", "", "of remote lines' bytes, in the whole run"},
      {"remote.run_hit_rate", "", "of remote loads, in the whole run"},
      {"remote.bytes.*", "byte", "from each GPU to each other"},
  };
  return all;
}

ordered_json derive(const ordered_json& modules, const GpuConfig& config, std::uint64_t cycles,
                    const std::vector<std::uint64_t>& pages_per_channel) {
  const Sums sum(modules);
  const double n = static_cast<double>(cycles);
  const double seconds = n / static_cast<double>(config.sm.clock_hz);
  const double loads = sum("l1_", "loads");
  const double l1_misses = sum("l1_", "miss_latency", "count");
  const double llc_accesses = sum("llc", "reads") + sum("llc", "writes") + sum("llc", "atomics");
  const double dram_bytes = sum("dram", "bytes_read") + sum("dram", "bytes_written");
  const double dram_peak = static_cast<double>(config.dram.clock_hz) *
                           config.dram.bus_bytes_per_clock * config.system.channels;
  const SystemConfig& system = config.system;
  const PlatformPlan plan = plan_of(config);
  const bool several = system.gpus > 1;
  const double sm_loads = sum("llc", "sm_loads");

  const auto bytes = [&sum](const char* kind) {
    return sum(kind, "request_bytes") + sum(kind, "reply_bytes");
  };
  ordered_json d;
  d["ipc"] = ratio(sum("sm", "warp_instructions"), n);
  d["replies_per_cycle"] = ratio(l1_misses, n);
  d["l1_hit_rate"] = ratio(sum("l1_", "load_hits"), loads);
  d["llc_hit_rate"] = ratio(sum("llc", "hits") + sum("llc", "write_allocations"), llc_accesses);
  // In a UBA, every L1 miss crosses the network (NUBA figure 9). Of several GPUs, each counts its
  // own memory's as local.
  const double load_misses = sum("l1_", "load_misses");
  switch (plan.locality) {
    case Locality::kNone:
      d["l1_miss_local_fraction"] = 0.0;
      break;
    case Locality::kPartition:
      d["l1_miss_local_fraction"] = ratio(sum("llc", "sm_loads_served"), sm_loads);
      break;
    case Locality::kGpu:
      d["l1_miss_local_fraction"] =
          ratio(load_misses - sum("l1_", "remote_load_misses"), load_misses);
  }
  // Each byte once: links, gates and the modules' network only pass on what a noc has sent.
  d["noc_bytes"] = bytes("noc");
  const auto between_modules = [&](const char* requests, const char* replies) {
    double total = 0;
    for (const PlannedBlock* b : plan.of_kind(BlockKind::kNetwork)) {
      if (b->network.joins != NodeLevel::kModule) continue;
      const auto network = modules.find(plan.path_of(*b));
      if (network == modules.end()) continue;
      total += network->at(requests).get<double>();
      if (replies != nullptr) total += network->at(replies).get<double>();
    }
    return total;
  };
  d["inter_module_bytes"] = between_modules("request_bytes", "reply_bytes");
  d["inter_gpu_bytes"] = sum("fabric", "bytes_over_time", "total");
  d["host_link_bytes"] = 0;
  d["off_node_fraction"] =
      ratio(between_modules("request_packets", nullptr) + sum("rdma", "requests_in"), llc_accesses);
  d["dram_bytes"] = dram_bytes;
  d["dram_utilisation"] = ratio(dram_bytes, dram_peak * seconds);
  d["avg_load_latency_cycles"] =
      ratio(sum("sm", "load_latency", "sum"), sum("sm", "load_latency", "count"));
  d["avg_remote_load_latency_cycles"] =
      several ? ratio(sum("l1_", "remote_latency", "sum"), sum("l1_", "remote_latency", "count"))
              : ratio(sum("l1_", "miss_latency", "sum"), l1_misses);
  d["page_balance"] = normalised_page_balance(pages_per_channel);
  d["page_faults"] = sum("uvm", "faults");
  // Of several GPUs, each L2 TLB knows its own SMs only.
  d["page_sharing"] = several ? ordered_json(nullptr) : page_sharing(sum);
  ordered_json& hops = d["latency_breakdown"];
  for (const char* hop : {"request_network", "llc", "dram", "llc_return", "reply_network"}) {
    hops[hop] = ratio(sum("l1_", std::string(hop) + "_cycles"), l1_misses);
  }
  ordered_json& peaks = d["peak_gb_per_s"];
  const auto add_traffic = [&peaks](const PlannedTraffic& t) {
    if (!t.directions_apart) {
      peaks[t.name] = t.request_peak / 1e9;
      return;
    }
    peaks[t.name + "_request"] = t.request_peak / 1e9;
    peaks[t.name + "_reply"] = t.reply_peak / 1e9;
  };
  add_traffic(plan.traffic.front());
  peaks["llc"] =
      static_cast<double>(config.llc.clock_hz) * system.line_bytes * system.slices() / 1e9;
  peaks["dram"] = dram_peak / 1e9;
  std::for_each(plan.traffic.begin() + 1, plan.traffic.end(), add_traffic);
  if (several) d["remote"] = derive_remote(modules, sum, config, seconds);
  return d;
}

}  // namespace tessera
