// SPDX-License-Identifier: Apache-2.0
#include "app/explain/resources.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>

#include "app/explain/network_resources.h"
#include "app/explain/run_reader.h"
#include "app/report/wait_list.h"
#include "common/json.h"
#include "common/text.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;
using namespace nlohmann::literals;

/// More entries than any cache fills.
constexpr double kMany = 4096;
constexpr double kPages = 65'536;
constexpr double kPorts = 64;
constexpr const char* kWithout = "without it";
/// Lanes of a warp.
constexpr double kWarp = 32;

/// SM cycles of a line that a channel's open row does not have.
double memory_latency(const RunReader& r, const std::string& channel) {
  return r.sm_cycles(r.setting(channel, "t_rcd") + r.setting(channel, "t_cl") +
                         r.setting(channel, "burst_clocks") +
                         r.setting(channel, "pipeline_clocks") + 1,
                     channel);
}

/// Clocks in which a channel had commands on its way, or could send none: the bus, distances of
/// commands and activations, banks, and refreshes.
double busy_clocks(const RunReader& r, const std::string& group, const ordered_json& channel) {
  const auto count = [&](const char* name) { return channel.value(name, 0.0); };
  const auto timing = [&](const char* name) { return r.setting(group, name); };
  const double activates = count("activates");
  return std::max({count("bus_busy_clocks"), (count("reads") + count("writes")) * timing("t_ccd_s"),
                   activates * std::max(timing("t_rrd_s"), timing("t_faw") / 4),
                   activates * ratio(timing("t_rc"), timing("banks"))}) +
         count("refreshes") * timing("t_rfc");
}

/// Channels of the blocks `kind`, whose parameters are those of `group`.
Resource channels_of(const RunReader& r, const char* kind, const std::string& group) {
  const Blocks channels = r.blocks(kind);
  Resource d{"DRAM channels", group};
  const auto busy = r.busy_cycles(
      channels, group, [&](const ordered_json& channel) { return busy_clocks(r, group, channel); });
  d.use = std::min(1.0, ratio(largest_of(busy), r.cycles()));
  d.hot = hottest_of(busy);
  const double lone = memory_latency(r, group) * channels.sum("read_latency", "count");
  d.excess = std::max(0.0, r.sm_cycles(channels.sum("read_latency", "sum"), group) - lone);
  // The latency of a lone access stays.
  d.infinite = faster(r, group, {"t_rcd", "t_cl", "t_wl", "pipeline_clocks"});
  const std::string activation = d.infinite[1].second;
  for (const char* name : {"t_ras", "t_rc"}) {
    d.infinite.emplace_back(parameters_of(group) + name, activation);
  }
  for (const char* name :
       {"t_rp", "t_rtp", "t_wtr_l", "t_wtr_s", "t_wr", "t_rtw", "t_rrd_l", "t_rrd_s", "t_faw"}) {
    d.infinite.emplace_back(parameters_of(group) + name, "0");
  }
  // A column is within a row.
  raise(r, group, "bus_bytes_per_clock", std::min(kWide, r.setting(group, "row_bytes")),
        d.infinite);
  for (const auto& [name, value] :
       {std::pair{"burst_clocks", "1"}, {"t_ccd_l", "1"}, {"t_ccd_s", "1"}, {"refresh", "false"}}) {
    d.infinite.emplace_back(parameters_of(group) + name, value);
  }
  return d;
}

/// The memory's channels, or those of the GPUs' stacks if these are in use for longer.
Resource dram_of(const RunReader& r) {
  Resource stacks = channels_of(r, "stack", "umh/stack");
  Resource d = channels_of(r, "dram", "dram");
  if (stacks.use > d.use) {
    stacks.name += " of the GPUs' stacks";
    stacks.remedies = "umh.stacks, umh.stack.bus_bytes_per_clock; umh.l2.sets";
    return stacks;
  }
  d.remedies = "system.channels, dram.bus_bytes_per_clock" + map_that_spreads(r) +
               (r.blocks("llc").empty() ? "; umh.l2.sets" : "; llc.sets");
  return d;
}

Resource slices_of(const RunReader& r) {
  const Blocks slices = r.blocks("llc");
  Resource s{"lookups of the LLC slices", "llc"};
  const auto busy = r.busy_cycles(slices, "llc", [](const ordered_json& slice) {
    double lookups = 0;
    for (const char* kind : {"reads", "writes", "atomics"}) lookups += slice.value(kind, 0.0);
    return lookups;
  });
  s.use = ratio(largest_of(busy), r.cycles());
  s.hot = hottest_of(busy);
  s.excess = r.sm_cycles(slices.sum("lookup_wait_cycles"), "llc");
  s.infinite = faster(r, "llc", {"latency_cycles"});
  s.remedies = "system.slices_per_channel" + map_that_spreads(r) + policies_for_near_lines(r);
  return s;
}

Resource atomics_of(const RunReader& r) {
  const Blocks slices = r.blocks("llc");
  Resource a{"atomics units of the LLC slices", "llc"};
  const double lanes = r.setting("llc", "atomic_lanes_per_cycle");
  const auto busy = r.busy_cycles(slices, "llc", [lanes](const ordered_json& slice) {
    return ratio(slice.value("atomic_lanes", 0.0), lanes);
  });
  a.use = ratio(largest_of(busy), r.cycles());
  a.hot = hottest_of(busy);
  raise(r, "llc", "atomic_lanes_per_cycle", kWarp, a.infinite);
  raise(r, "llc", "atomic_block_bytes", r.setting("system", "line_bytes"), a.infinite);
  a.remedies = "llc.atomic_lanes_per_cycle; fewer atomics on one line (sums in shared memory)";
  return a;
}

/// Page faults take the place of translation where they are most of its time.
Resource translation_of(const RunReader& r) {
  const Blocks tlb = r.blocks("l2_tlb");
  const double faults_ns = r.blocks("uvm").sum("fault_latency", "sum");
  const double faults = faults_ns * r.setting("sm", "clock_hz") / 1e9;
  if (2 * faults > r.sm_cycles(tlb.sum("miss_latency", "sum"), "l2_tlb") && faults > 0) {
    Resource t{"page faults", "uvm"};
    t.infinite = {{"uvm.mode", "prefaulted"}};
    t.remedies = "uvm.mode prefaulted, uvm.fault_latency_ns, uvm.concurrent_faults";
    return t;
  }
  Resource t{"translation (L2 TLB and page walks)", "l2_tlb"};
  t.hot = tlb.hottest({"misses"});
  t.infinite = {
      {"walker.level_latency_cycles", "1"}, {"walker.levels", "1"}, {"l2_tlb.latency_cycles", "1"}};
  raise(r, "walker", "concurrent_walks", kMany, t.infinite);
  raise(r, "l2_tlb", "mshr_entries", kMany, t.infinite);
  raise(r, "l2_tlb", "ports", kPorts, t.infinite);
  // Sets of the same ways.
  const double ways = std::max(1.0, r.setting("l2_tlb", "ways"));
  raise(r, "l2_tlb", "entries", ways * std::floor(kPages / ways), t.infinite);
  t.remedies = "system.page_bytes, sm.tlb_entries, l2_tlb.entries, walker.concurrent_walks";
  return t;
}

/// Links of coherent hierarchies to the host's memory.
void add_host_links(const RunReader& r, Resources& all) {
  const Blocks links = r.blocks("host_link");
  const auto sum = [&](std::initializer_list<const char*> messages) {
    std::vector<std::string> bytes;
    for (const char* m : messages) bytes.push_back(std::string("bytes_") + m);
    const HotSpots hot = links.hottest(bytes);
    double total = 0;
    for (const std::string& b : bytes) total += links.sum(b);
    return hot.blocks == 0 ? 0 : hot.over_mean * total / static_cast<double>(hot.blocks);
  };
  const double to_host = sum({"read-request", "write-request", "write-back", "snoop-data",
                              "snoop-ack", "grant-ack", "listen"});
  const double from_host =
      sum({"grant", "read-snoop", "invalidate-snoop", "peer-data", "write-back-ack"});
  if (to_host + from_host <= 0) return;
  const bool shared = r.stats().value("/config/umh/link/shared"_json_pointer, false);
  // Each GPU has its link.
  const double bytes =
      shared ? to_host + from_host : std::max(to_host, from_host) / r.setting("system", "gpus");
  Resource l{"links to the host", "umh/link"};
  l.use = ratio(r.sm_cycles(ratio(bytes, r.setting("umh/link", "bytes_per_cycle")), "umh/link"),
                r.cycles());
  l.hot = links.hottest({"bytes_grant", "bytes_write-back"});
  raise(r, "umh/link", "bytes_per_cycle", kWide, l.infinite);
  l.remedies = "umh.link.bytes_per_cycle; umh.l2.sets";
  if (r.blocks("smd").empty()) {
    l.remedies += "; a coherent directory beside the GPU's memory (umh presets)";
  }
  all.host_links = std::move(l);
}

/// Lookups of the controllers `kind` of a coherent hierarchy: each takes a message a cycle.
Resource lookups_of(const RunReader& r, const char* kind, const std::string& group,
                    const std::string& name) {
  Resource l{"lookups of the " + name, group};
  const auto busy = r.busy_cycles(r.blocks(kind), group, [](const ordered_json& controller) {
    double messages = 0;
    for (const auto& [statistic, value] : controller.items()) {
      if (begins_with(statistic, "received_")) messages += value.get<double>();
    }
    return messages;
  });
  l.use = ratio(largest_of(busy), r.cycles());
  l.hot = hottest_of(busy);
  l.infinite = faster(r, group, {"latency_cycles"});
  l.remedies = parameters_of(group) + "clock_hz; umh.stacks; umh.l2.sets";
  return l;
}

/// A transaction of an HMD lasts until the requester has its block.
Resource hmd_transactions(const RunReader& r) {
  const Blocks hmds = r.blocks("hmd");
  Resource t{"transactions of the HMDs", "umh/hmd"};
  t.use = ratio(hmds.most("pending", "average"), r.setting("umh/hmd", "transactions"));
  t.hot = hmds.hottest({"stalls_transactions"});
  raise(r, "umh/hmd", "transactions", kMany, t.infinite);
  t.remedies = "umh.hmd.transactions; umh.link.latency_ns";
  return t;
}

/// Between a coherent L1 and an L2 that has the line.
std::map<std::string, double> coherent_latency(const RunReader& r) {
  const double request = r.sm_cycles(1 + r.setting("umh/l2", "latency_cycles"), "umh/l2");
  const double beats =
      ratio(r.setting("system", "line_bytes"), r.setting("umh/l1_port", "bytes_per_cycle"));
  const double response =
      r.sm_cycles(1 + std::ceil(beats) + r.setting("l1", "latency_cycles"), "l1");
  return {{"request_network", request}, {"response_network", response}};
}

/// Behind an L2: the GPU's stack, if it has stacks, and for the part of the misses that need it,
/// the link to the host and the host's memory.
double latency_behind_l2(const RunReader& r) {
  const double link = 2 * r.setting("umh/link", "latency_ns") * r.setting("sm", "clock_hz") / 1e9;
  const double host = link + r.sm_cycles(r.setting("umh/hmd", "latency_cycles"), "umh/hmd") +
                      memory_latency(r, "dram");
  if (r.blocks("smd").empty()) return host;
  const double crossing = std::min(1.0, ratio(r.blocks("host_link").sum("messages_grant"),
                                              r.blocks("l2_").sum("received_grant")));
  return r.sm_cycles(r.setting("umh/smd", "latency_cycles"), "umh/smd") +
         memory_latency(r, "umh/stack") + crossing * host;
}

/// Of the waits in slices, those for a lookup; the others are for another request's line, or in a
/// remote cache.
double lookup_share(const RunReader& r) {
  const Blocks llc = r.blocks("llc");
  const Blocks l1 = r.blocks("l1_");
  const double lookups = llc.sum("lookup_wait_cycles");
  const double here = 1 - ratio(l1.sum("remote_cache_cycles"), l1.sum("llc_cycles"));
  return lookups > 0 ? here * lookups / (lookups + llc.sum("merge_wait_cycles")) : here;
}

/// Of the busiest SM's load/store unit, which takes a line or a shared access in each cycle.
double memory_unit_use(const RunReader& r) {
  const Blocks sms = r.blocks("sm");
  return std::min(1.0, ratio(sms.most("line_requests") + sms.most("shared_instructions") +
                                 sms.most("shared_conflict_cycles"),
                             r.cycles()));
}

/// Resources::load_latency: an instruction ends with the last of its lines.
double load_latency(const RunReader& r) {
  const Blocks sms = r.blocks("sm");
  const Blocks l1 = r.blocks("l1_");
  const double lines = ratio(sms.sum("line_requests"), sms.sum("load_instructions"));
  const double hits = ratio(l1.sum("load_hits") + l1.sum("load_merges"),
                            l1.sum("load_hits") + l1.sum("load_merges") + l1.sum("load_misses"));
  const double miss =
      r.sm_cycles(ratio(l1.sum("miss_latency", "sum"), l1.sum("load_misses")), "l1");
  const double latency =
      r.sm_cycles(r.setting("l1", "latency_cycles"), "l1") + (1 - std::pow(hits, lines)) * miss;
  return ratio(sms.most("load_instructions") * latency, sms.most("resident_warps", "average"));
}

/// Time in which an average cache took no access for want of one of `number`: each is free again
/// after the latency of a miss.
double time_without(const RunReader& r, const Blocks& caches, const char* group, const char* stalls,
                    const char* number) {
  const double latency =
      ratio(caches.sum("miss_latency", "sum"), caches.sum("miss_latency", "count"));
  const auto blocks = static_cast<double>(caches.hottest({stalls}).blocks);
  const double cycles = ratio(caches.sum(stalls), blocks) * latency;
  return ratio(r.sm_cycles(cycles, group), r.setting(group, number));
}

/// MSHRs of the caches, whose parameters are those of `group`.
Resource mshrs_of(const RunReader& r, const Blocks& caches, const std::string& group,
                  const std::string& name) {
  Resource m{"miss registers (MSHRs) of the " + name, group};
  m.hot = caches.hottest({"stalls_mshr"});
  raise(r, group, "mshr_entries", kMany, m.infinite);
  raise(r, group, "mshr_targets", kWarp, m.infinite);
  m.remedies = group + ".mshr_entries, " + group + ".mshr_targets; " + group + ".sets";
  return m;
}

/// What misses need: MSHRs and frames of the L1s, and MSHRs of the slices.
void add_misses(const RunReader& r, Resources& all) {
  const Blocks l1 = r.blocks("l1_");
  all.miss_cycles = r.sm_cycles(l1.sum("miss_latency", "sum"), "l1");
  all.without_mshr = time_without(r, l1, "l1", "stalls_mshr", "mshr_entries");
  all.without_frame = time_without(r, l1, "l1", "stalls_frames", "ways");
  all.mshrs = mshrs_of(r, l1, "l1", "L1s");
  all.frames = {"lines of the L1s' sets that misses reserve", "l1"};
  all.frames.hot = l1.hottest({"stalls_frames"});
  all.frames.infinite = {{"l1.reserve_frames", "false"}};
  all.frames.remedies = "l1.sets, l1.ways, l1.reserve_frames";

  const Blocks llc = r.blocks("llc");
  const double lookups = llc.sum("reads") + llc.sum("writes") + llc.sum("atomics");
  all.slice_mshr_stalls = ratio(llc.sum("stalls_mshr"), lookups);
  all.slice_output_stalls = ratio(llc.sum("stalls_output"), lookups);
  all.slices_without_mshr = time_without(r, llc, "llc", "stalls_mshr", "mshr_entries");
  all.slice_mshrs = mshrs_of(r, llc, "llc", "LLC slices");
}

void add_balance(const RunReader& r, Resources& all) {
  const Blocks sms = r.blocks("sm");
  const double ctas = sms.sum("ctas");
  double most = 0;  // of the critical SMs
  for (const ordered_json& part : r.stats().at("critical_path")) {
    most += part.at("issue_slots").at("issued").get<double>();
  }
  if (ctas <= 0 || most <= 0) return;
  const double loads = ratio(sms.sum("load_instructions"), sms.sum("warp_instructions"));
  const double latency =
      r.setting("sm", "alu_latency") + loads * r.sm_cycles(r.setting("l1", "latency_cycles"), "l1");
  double balanced = 0;  // instructions of an SM with its share of each kernel's CTAs
  double share = 0;     // of CTAs
  for (const ordered_json& k : r.stats().value("kernels", ordered_json::array())) {
    double count = 1;
    double threads = 1;
    for (const ordered_json& n : k.at("grid")) count *= n.get<double>();
    for (const ordered_json& n : k.at("block")) threads *= n.get<double>();
    const double warps = count * std::ceil(threads / 32);
    const double own = std::ceil(count / r.setting("system", "sms"));
    share += own;
    balanced += own * ratio(k.at("instructions").get<double>(), count);
    all.warp_latency += ratio(k.at("instructions").get<double>(), warps) * latency;
  }
  // CTAs of different lengths cannot be spread better.
  if (balanced > 0 && sms.most("ctas") > share) all.balanced_work = std::min(1.0, balanced / most);
  all.balance = {"balance of CTAs between SMs", "dispatch"};
  all.balance.hot = sms.hottest({"warp_instructions"});
  const bool distributed =
      r.stats().value("/config/dispatch/scheduler"_json_pointer, "") == "distributed";
  all.balance.infinite = {{"dispatch.planner", "immediate"},
                          {"dispatch.scheduler", distributed ? "round-robin" : "distributed"}};
  all.balance.condition = "with as many CTAs on each SM";
  all.balance.remedies = "dispatch.planner, dispatch.scheduler, more or smaller CTAs";
}

void add_stops(const RunReader& r, Resources& all) {
  const Blocks migrator = r.blocks("page_migrator");
  if (const double stopped = migrator.sum("stopped_cycles"); stopped > 0) {
    Stop s{{"page migration, with the SMs stopped", "migration"}, 0};
    s.resource.condition = kWithout;
    s.cycles = r.sm_cycles(stopped, "migration");
    s.resource.infinite = {{"migration.policy", "none"}};
    s.resource.remedies = "migration.policy, migration.stop, migration.drain, migration.max_moves";
    all.stops.push_back(std::move(s));
  }
  if (const double flush = r.blocks("dispatcher").sum("flush_cycles"); flush > 0) {
    Stop s{{kFlush, "dispatch"}, 0};
    s.resource.condition = kWithout;
    s.cycles = r.sm_cycles(flush, "dispatch");
    if (all.coherent) {
      s.resource.remedies = "umh.link.bytes_per_cycle";
      // The directories of a GPU's memory can do without it, beside CPUs.
      if (!r.blocks("smd").empty() && r.setting("umh/cpu", "cores") > 0) {
        s.resource.infinite = {{"umh.synchronisation", "dynamic"}};
        s.resource.remedies = "umh.synchronisation, umh.flushed; " + s.resource.remedies;
      }
    } else {
      s.resource.remedies = "llc.flush; a smaller LLC has fewer lines to flush";
      // Between GPUs, there are always copies to flush.
      if (r.setting("system", "gpus") == 1 &&
          r.stats().value("/config/llc/flush"_json_pointer, "") == "all") {
        s.resource.infinite = {{"llc.flush", "copies"}};
      }
    }
    all.stops.push_back(std::move(s));
  }
  if (const double launch = r.setting("dispatch", "launch_cycles"); launch > 0) {
    Stop s{{"launches of kernels", "dispatch"}, 0};
    s.resource.condition = kWithout;
    s.cycles = r.sm_cycles(launch * r.blocks("dispatcher").sum("kernels"), "dispatch");
    s.resource.infinite = {{"dispatch.launch_cycles", "0"}, {"dispatch.fetch_cycles", "0"}};
    s.resource.remedies = "dispatch.launch_cycles; fewer and larger kernels";
    all.stops.push_back(std::move(s));
  }
}

/// Of the latency of packets, the part that is excess.
double excess_share(const std::vector<LonePackets>& packets,
                    const std::vector<Resource>& networks) {
  double lone = 0;
  for (const LonePackets& n : packets) lone += n.count * n.latency;
  double excess = 0;
  for (const Resource& n : networks) excess += n.excess;
  return lone > 0 ? excess / (lone + excess) : 1;
}

}  // namespace

Resources resources_of(const ordered_json& stats) {
  const RunReader r(stats);
  Resources all;
  const std::vector<LonePackets> request = add_networks(r, "request", all.request_networks);
  const std::vector<LonePackets> response = add_networks(r, "response", all.response_networks);
  all.request_excess = excess_share(request, all.request_networks);
  all.response_excess = excess_share(response, all.response_networks);
  all.coherent = r.blocks("l1_").has("below_l2_cycles");
  add_misses(r, all);
  all.load_latency = load_latency(r);
  all.memory_unit_use = memory_unit_use(r);
  all.translation = translation_of(r);
  add_host_links(r, all);
  add_balance(r, all);
  add_stops(r, all);
  all.slices = slices_of(r);
  all.lookup_share = lookup_share(r);
  all.atomics = atomics_of(r);
  all.has_atomics = r.blocks("llc").sum("atomics") > 0;
  all.dram = dram_of(r);

  all.stage_latency["l1"] = {{"l1_hit", r.sm_cycles(r.setting("l1", "latency_cycles"), "l1")}};
  auto& to_llc = all.stage_latency["llc"];
  auto& dram = all.stage_latency["dram"];
  const double slice = r.sm_cycles(r.setting("llc", "latency_cycles"), "llc");
  to_llc = {{"request_network", lone_latency(request, slice)},
            {"llc", slice},
            {"response_network", lone_latency(response, slice)}};
  if (all.coherent) {
    to_llc = coherent_latency(r);
    all.behind_l2_cycles = r.sm_cycles(r.blocks("l1_").sum("below_l2_cycles"), "l1");
    all.l2_lookups = lookups_of(r, "l2_", "umh/l2", "L2s");
    all.smd_lookups = lookups_of(r, "smd", "umh/smd", "SMDs");
    all.hmd_lookups = lookups_of(r, "hmd", "umh/hmd", "HMDs");
    all.hmd_transactions = hmd_transactions(r);
  }
  dram = to_llc;
  dram["dram"] = all.coherent ? latency_behind_l2(r) : memory_latency(r, "dram");
  return all;
}

}  // namespace tessera::app
