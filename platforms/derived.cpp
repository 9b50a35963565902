// SPDX-License-Identifier: Apache-2.0
#include "platforms/derived.h"

#include <string>

#include "policies/page_placement.h"

namespace tessera {

using nlohmann::ordered_json;

namespace {

/// Sums over the modules whose own name is `kind` followed by nothing or a number.
class Sums {
 public:
  explicit Sums(const ordered_json& modules) : modules_(modules) {}

  double operator()(const std::string& kind, const std::string& statistic,
                    const char* field = nullptr) const {
    double total = 0;
    for (const auto& [module, statistics] : modules_.items()) {
      if (!is_kind(module, kind) || !statistics.contains(statistic)) continue;
      const ordered_json& value = statistics.at(statistic);
      total += (field == nullptr ? value : value.at(field)).get<double>();
    }
    return total;
  }

 private:
  static bool is_kind(const std::string& module, const std::string& kind) {
    const std::size_t dot = module.rfind('.');
    const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
    if (module.compare(begin, kind.size(), kind) != 0) return false;
    return module.find_first_not_of("0123456789", begin + kind.size()) == std::string::npos;
  }
  const ordered_json& modules_;
};

double ratio(double a, double b) { return b == 0 ? 0 : a / b; }

}  // namespace

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
  const bool nuba = system.topology == "nuba";
  const double noc_peak = config.noc.bandwidth(nuba ? system.slices() : system.sms);
  const double sm_loads = sum("llc", "sm_loads");
  const double pages = sum("l2_tlb", "pages_of_1_sm") + sum("l2_tlb", "pages_of_2_to_10_sms") +
                       sum("l2_tlb", "pages_of_11_to_25_sms") +
                       sum("l2_tlb", "pages_of_26_or_more_sms");

  const auto bytes = [&sum](const char* kind) {
    return sum(kind, "request_bytes") + sum(kind, "reply_bytes");
  };
  ordered_json d;
  d["ipc"] = ratio(sum("sm", "warp_instructions"), n);
  d["replies_per_cycle"] = ratio(l1_misses, n);
  d["l1_hit_rate"] = ratio(sum("l1_", "load_hits"), loads);
  d["llc_hit_rate"] = ratio(sum("llc", "hits") + sum("llc", "write_allocations"), llc_accesses);
  // In a UBA, every L1 miss crosses the network (NUBA figure 9).
  d["l1_miss_local_fraction"] = nuba ? ratio(sum("llc", "sm_loads_served"), sm_loads) : 0.0;
  // Each byte once: links, gates and the modules' network only pass on what a noc has sent.
  d["noc_bytes"] = bytes("noc");
  d["inter_module_bytes"] = bytes("mcm");
  d["inter_gpu_bytes"] = 0;
  d["host_link_bytes"] = 0;
  d["off_node_fraction"] = ratio(sum("mcm", "request_packets"), llc_accesses);
  d["dram_bytes"] = dram_bytes;
  d["dram_utilisation"] = ratio(dram_bytes, dram_peak * seconds);
  d["avg_load_latency_cycles"] =
      ratio(sum("sm", "load_latency", "sum"), sum("sm", "load_latency", "count"));
  d["avg_remote_load_latency_cycles"] = ratio(sum("l1_", "miss_latency", "sum"), l1_misses);
  d["page_balance"] = normalised_page_balance(pages_per_channel);
  d["page_faults"] = sum("uvm", "faults");
  d["page_sharing"] = {{"1", ratio(sum("l2_tlb", "pages_of_1_sm"), pages)},
                       {"2-10", ratio(sum("l2_tlb", "pages_of_2_to_10_sms"), pages)},
                       {"11-25", ratio(sum("l2_tlb", "pages_of_11_to_25_sms"), pages)},
                       {"26-64", ratio(sum("l2_tlb", "pages_of_26_or_more_sms"), pages)}};
  ordered_json& hops = d["latency_breakdown"];
  for (const char* hop : {"request_network", "llc", "dram", "llc_return", "reply_network"}) {
    hops[hop] = ratio(sum("l1_", std::string(hop) + "_cycles"), l1_misses);
  }
  d["peak_gb_per_s"] = {
      {"noc_request", noc_peak / 1e9},
      {"noc_reply", noc_peak / 1e9},
      {"llc", static_cast<double>(config.llc.clock_hz) * system.line_bytes * system.slices() / 1e9},
      {"dram", dram_peak / 1e9}};
  const auto peak = [&d](const char* kind, double request, double reply) {
    d["peak_gb_per_s"][std::string(kind) + "_request"] = request / 1e9;
    d["peak_gb_per_s"][std::string(kind) + "_reply"] = reply / 1e9;
  };
  // A direction's peak is that of its exits.
  if (nuba) {
    peak("p2p", config.p2p.bandwidth() * system.slices(), config.p2p.bandwidth() * system.sms);
  }
  if (system.topology == "uba-sm") {
    const double links = config.side_link.bandwidth() * system.slices();
    peak("link", links, links);
  }
  if (system.modules > 1) {
    const std::uint32_t gateways = system.modules * config.mcm.ports;
    peak("mcm", config.mcm.plane.bandwidth(gateways), config.mcm.plane.bandwidth(gateways));
    peak("gate", config.noc.bandwidth(system.slices()), config.noc.bandwidth(gateways));
  }
  return d;
}

}  // namespace tessera
