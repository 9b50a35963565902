// SPDX-License-Identifier: Apache-2.0
#include "platforms/derived.h"

#include <algorithm>
#include <string>
#include <vector>

#include "common/json.h"
#include "modules/plan/block_kind.h"
#include "modules/plan/run_figures.h"
#include "platforms/platform_view.h"
#include "platforms/topology/shape.h"
#include "policies/page_placement.h"

namespace tessera {

using nlohmann::ordered_json;

namespace {

/// The figures that all platforms have, in their order, with the values of a platform whose blocks
/// add nothing to them.
ordered_json common_figures() {
  ordered_json d;
  for (const char* name :
       {"ipc", "memory_stall_fraction", "memory_headroom", "replies_per_cycle", "l1_hit_rate"}) {
    d[name] = 0.0;
  }
  d["llc_hit_rate"] = nullptr;
  for (const char* name :
       {"l1_miss_local_fraction", "noc_bytes", "inter_module_bytes", "inter_gpu_bytes"}) {
    d[name] = 0.0;
  }
  d["host_link_bytes"] = 0U;
  for (const char* name :
       {"off_node_fraction", "dram_bytes", "dram_utilisation", "avg_load_latency_cycles",
        "avg_remote_load_latency_cycles", "page_balance", "page_faults"}) {
    d[name] = 0.0;
  }
  for (const char* name : {"page_sharing", "latency_breakdown", "peak_gb_per_s"}) d[name] = nullptr;
  return d;
}

/// Units and descriptions of these, and of the figures that GpuDevice adds.
const std::vector<DerivedInfo>& common_catalogue() {
  static const std::vector<DerivedInfo> all = {
      {"ipc", "instruction/cycle", "warp instructions of all SMs per SM cycle"},
      {"memory_stall_fraction", "",
       "issue slots in which all warps of a scheduler waited for memory, over all slots"},
      {"memory_headroom", "",
       "all issue slots over those that issued or waited for a fixed latency: the speedup that no "
       "memory system can exceed"},
      {"replies_per_cycle", "response/cycle",
       "responses to L1 misses per SM cycle (NUBA figure 8)"},
      {"l1_hit_rate", "", "L1 load hits over loads; merges are no hits"},
      {"llc_hit_rate", "", "LLC hits and write allocations over accesses; null without LLC slices"},
      {"l1_miss_local_fraction", "", "L1 misses served in the SM's own partition or GPU"},
      {"noc_bytes", "byte", "sent by the GPU's network, requests and responses, each once"},
      {"inter_module_bytes", "byte", "sent between modules, requests and responses"},
      {"inter_gpu_bytes", "byte", "sent between GPUs, headers included"},
      {"host_link_bytes", "byte", "sent between host and GPUs"},
      {"runtime_ns", "ns",
       "of the kernels and of the copies of host.copies; null for a window with copies"},
      {"copied_bytes", "byte", "to and from the GPUs, by host.copies"},
      {"copied_back_bytes", "byte", "from the GPUs after the first launch, by host.copies"},
      {"first_read_ns", "ns",
       "from the end of a launch's last CTA until the host program has its first results: a copy, "
       "or a load of the CPU; mean of the launches that a read follows"},
      {"host_access_ns", "ns",
       "of the host program's accesses by the CPU, outside of runtime_ns; null for a window"},
      {"off_node_fraction", "", "requests to another module or GPU over LLC accesses"},
      {"dram_bytes", "byte", "read and written by the DRAM channels"},
      {"dram_utilisation", "",
       "dram_bytes over the channels' peak in the kernels' time and host_access_ns"},
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
      {"latency_breakdown", "cycle",
       "average of an L1 miss at each hop; the sum is the average of the L1s' miss_latency"},
      {"latency_breakdown.request_network", "cycle", "from the L1 to the home slice, or the L2"},
      {"latency_breakdown.llc", "cycle",
       "in the slice, until its request to the channel or its response"},
      {"latency_breakdown.dram", "cycle", "from the slice's request to the channel's response"},
      {"latency_breakdown.llc_return", "cycle", "in the slice after the channel's response"},
      {"latency_breakdown.response_network", "cycle", "from the slice, or the L2, back to the L1"},
      {"latency_breakdown.copy_request_network", "cycle",
       "of misses that a copy in another slice than the home served: from the L1 to this slice"},
      {"latency_breakdown.copy", "cycle",
       "of misses that a copy in another slice than the home served: in this slice"},
      {"latency_breakdown.copy_response_network", "cycle",
       "of misses that a copy in another slice than the home served: from this slice to the L1"},
      {"latency_breakdown.other_l1", "cycle", "of misses that another core's L1 served"},
      {"latency_breakdown.unstamped", "cycle",
       "of misses served by a block that writes no time stamps"},
      {"latency_breakdown.rounding", "cycle",
       "parts of cycles: each L1 rounds the sum of each hop down to whole cycles"},
      {"latency_breakdown.merge", "cycle",
       "coherent L1s: of accesses that waited for another access's block"},
      {"latency_breakdown.l1_wait", "cycle", "coherent L1s: until the request left"},
      {"latency_breakdown.l2", "cycle", "coherent L1s: in the L2"},
      {"latency_breakdown.snoop", "cycle", "coherent L1s: in the L2, for responses of other L1s"},
      {"latency_breakdown.below_l2", "cycle",
       "coherent L1s: in the L2, for the grant of the level below"},
      {"peak_gb_per_s", "GB/s", "peak bandwidth of each level"},
      {"peak_gb_per_s.*", "GB/s", "by level and direction"},
  };
  return all;
}

void add_peak(ordered_json& peaks, const PlannedTraffic& t) {
  if (!t.directions_apart) {
    peaks[t.name] = t.request_peak / 1e9;
    return;
  }
  peaks[t.name + "_request"] = t.request_peak / 1e9;
  peaks[t.name + "_response"] = t.response_peak / 1e9;
}

}  // namespace

std::vector<DerivedInfo> derived_catalogue() {
  std::vector<DerivedInfo> all = common_catalogue();
  for (const auto& [name, kind] : block_kinds()) {
    all.insert(all.end(), kind.derived.begin(), kind.derived.end());
  }
  return all;
}

ordered_json derive(const ordered_json& modules, const GpuConfig& config, std::uint64_t cycles,
                    const std::vector<std::uint64_t>& pages_per_channel,
                    const std::vector<ParameterSetting>& overrides) {
  const PlatformPlan plan = plan_of(config);
  const auto n = static_cast<double>(cycles);
  const PlatformView view(config, plan);
  RunFigures run(plan, view, overrides, modules, n, n / static_cast<double>(config.sm.clock_hz));
  // Networks before the channels, in the order in which the report has them.
  add_peak(run["peak_gb_per_s"], plan.traffic.front());
  const std::vector<const BlockKind*> kinds = kinds_from_memory();
  std::for_each(kinds.rbegin(), kinds.rend(), [&run](const BlockKind* kind) {
    if (kind->derive) kind->derive(run);
  });
  std::for_each(plan.traffic.begin() + 1, plan.traffic.end(),
                [&run](const PlannedTraffic& t) { add_peak(run["peak_gb_per_s"], t); });
  run["noc_bytes"] = run.term("noc_bytes");
  run["inter_module_bytes"] = run.term("inter_module_bytes");
  run["off_node_fraction"] = ratio(run.term("off_node_requests"), run.term("llc_accesses"));
  run["page_balance"] = normalised_page_balance(pages_per_channel);
  ordered_json d = common_figures();
  d.update(run.figures());
  return d;
}

}  // namespace tessera
