// SPDX-License-Identifier: Apache-2.0
#include "app/explain/resources.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <optional>

#include "app/report/network_use.h"
#include "app/report/wait_list.h"
#include "common/json.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;
using namespace nlohmann::literals;

/// More than any level's traffic.
constexpr const char* kWide = "1024";

class Reader {
 public:
  explicit Reader(const ordered_json& stats) : stats_(stats) {}

  Blocks blocks(const std::string& kind) const { return Blocks(stats_, kind); }
  double cycles() const { return stats_.at("cycles").get<double>(); }
  double setting(const std::string& group, const char* name) const {
    return setting_of(stats_, group, name);
  }
  /// Converts cycles of a group's clock to SM cycles.
  double sm_cycles(double cycles, const std::string& group) const {
    return cycles * ratio(setting("sm", "clock_hz"), setting(group, "clock_hz"));
  }
  const ordered_json& stats() const { return stats_; }

 private:
  const ordered_json& stats_;
};

struct NetworkWords {
  const char* title;
  const char* remedies;
};

/// By NetworkKind::block.
const std::map<std::string, NetworkWords>& network_words() {
  static const std::map<std::string, NetworkWords> kWords = {
      {"p2p", {"partition links", "p2p.link_bytes; fewer SMs a partition; dispatch.scheduler"}},
      {"noc",
       {"crossbar",
        "noc.link_bytes; placement near the SM that reads (system.page_placement lab), copies of "
        "read-only lines (system.remote_caching mdr, full-replication)"}},
      {"link",
       {"links between the sides",
        "side_link.link_bytes; dispatch.scheduler, system.page_placement"}},
      {"mcm",
       {"network between the modules",
        "mcm.link_bytes; system.page_placement, dispatch.scheduler, system.remote_caching"}},
      {"ring",
       {"ring between the modules",
        "ring.link_bytes; system.page_placement, dispatch.scheduler, system.remote_caching"}},
      {"module_ingress_xbar", {"crossbar behind the modules' network", "noc.link_bytes"}},
      {"ingress_xbar",
       {"crossbar behind the RDMA engine", "system.rdma_link_bytes, noc.link_bytes"}}};
  return kWords;
}

/// The busiest port of a slice into the GPU's network can be busier than the network's egress.
void consider_slice_ports(const Reader& r, const NetworkUse& use, Resource& n) {
  const Blocks slices = r.blocks("llc");
  const double sent = slices.sum("bytes_read") + 8 * slices.sum("reads");
  const double crossing = std::min(1.0, ratio(use.blocks.sum("response_bytes"), sent));
  const double port = crossing * (slices.most("bytes_read") + 8 * slices.most("reads")) /
                      std::max(1.0, r.setting(use.group, "link_bytes"));
  const double busy = ratio(r.sm_cycles(port, use.clock), r.cycles());
  if (busy <= n.use) return;
  n.use = busy;
  n.hot = slices.hottest({"bytes_read"});
}

/// Adds the networks of one direction. Returns the latency of an average request without
/// contention, in SM cycles.
double add_networks(const Reader& r, const std::string& direction, std::vector<Resource>& out) {
  double idle = 0;
  double entered = 0;  // packets of the network that most enter
  for (const NetworkKind& kind : kNetworkKinds) {
    if (kind.translations) continue;
    const std::optional<NetworkUse> use = network_use(r.stats(), kind, direction);
    if (!use || use->packets <= 0) continue;
    const NetworkWords& words = network_words().at(kind.block);
    const bool mesh = use->group == "mesh";
    // A packet of one flit.
    const double lone = use->packets * (use->idle_latency + 1);
    Resource n;
    n.name = std::string(mesh ? "mesh" : words.title) + " (" + direction + "s)";
    n.group = use->group;
    n.use = ratio(r.sm_cycles(largest_of(use->links), use->clock), r.cycles());
    n.excess = std::max(0.0, r.sm_cycles(use->latency - lone, use->clock));
    n.hot = hottest_of(use->links);
    n.infinite = {{use->width, kWide}};
    n.remedies = mesh ? "mesh.link_bytes, mesh.placement; system.miss_routing" : words.remedies;
    if (std::string(kind.block) == "noc" && direction == "response") {
      consider_slice_ports(r, *use, n);
    }
    idle += r.sm_cycles(lone, use->clock);
    entered = std::max(entered, use->packets);
    out.push_back(std::move(n));
  }
  const Blocks fabric = r.blocks("fabric");
  const auto links = fabric.fabric_links();
  if (const double packets = fabric.sum("packet_latency", "count"); packets > 0) {
    Resource n;
    n.name = "fabric between the GPUs (" + direction + "s)";
    n.group = "fabric";
    n.use = ratio(r.sm_cycles(largest_of(links), "fabric"), r.cycles());
    const double lone = packets * std::ceil(r.setting("fabric", "latency_ns") *
                                            r.setting("fabric", "clock_hz") / 1e9);
    // Both directions together.
    n.excess = std::max(0.0, r.sm_cycles(fabric.sum("packet_latency", "sum") - lone, "fabric")) / 2;
    n.hot = hottest_of(links);
    n.infinite = {{"fabric.flit_bytes", kWide}};
    n.remedies =
        "fabric.flit_bytes; system.transfer (coalesced, fine-grained, decision), "
        "system.page_placement, migration.policy";
    idle += r.sm_cycles(lone, "fabric") / 2;
    out.push_back(std::move(n));
  }
  return ratio(idle, entered);
}

/// SM cycles of a line that a channel's open row does not have.
double memory_latency(const Reader& r, const std::string& channel) {
  return r.sm_cycles(r.setting(channel, "t_rcd") + r.setting(channel, "t_cl") +
                         r.setting(channel, "burst_clocks") +
                         r.setting(channel, "pipeline_clocks") + 1,
                     channel);
}

/// Channels of the blocks `kind`, whose parameters are those of `group`.
Resource channels_of(const Reader& r, const char* kind, const std::string& group) {
  const Blocks channels = r.blocks(kind);
  Resource d{"DRAM channels", group};
  d.use = ratio(r.sm_cycles(channels.most("bus_busy_clocks"), group), r.cycles());
  d.hot = channels.hottest({"bus_busy_clocks"});
  std::string path = group + ".";
  std::replace(path.begin(), path.end(), '/', '.');
  for (const auto& [name, value] : {std::pair{"bus_bytes_per_clock", kWide},
                                    {"burst_clocks", "1"},
                                    {"t_rrd_l", "0"},
                                    {"t_rrd_s", "0"},
                                    {"t_faw", "0"},
                                    {"t_ccd_l", "1"},
                                    {"t_ccd_s", "1"}}) {
    d.infinite.emplace_back(path + name, value);
  }
  return d;
}

/// The memory's channels, or those of the GPUs' stacks if these are in use for longer.
Resource dram_of(const Reader& r) {
  Resource stacks = channels_of(r, "stack", "umh/stack");
  Resource d = channels_of(r, "dram", "dram");
  if (stacks.use > d.use) {
    stacks.name += " of the GPUs' stacks";
    stacks.remedies = "umh.stacks, umh.stack.bus_bytes_per_clock; umh.l2.sets";
    return stacks;
  }
  d.remedies =
      "system.channels, dram.bus_bytes_per_clock; an address map that spreads lines over channels "
      "(system.address_map pae); llc.sets";
  return d;
}

Resource slices_of(const Reader& r) {
  const Blocks slices = r.blocks("llc");
  Resource s{"lookups of the LLC slices", "llc"};
  s.hot = slices.hottest({"reads", "writes", "atomics"});
  const double lookups = ratio(slices.sum("reads") + slices.sum("writes") + slices.sum("atomics"),
                               static_cast<double>(s.hot.blocks)) *
                         s.hot.over_mean;
  s.use = ratio(r.sm_cycles(lookups, "llc"), r.cycles());
  constexpr double kFaster = 16;
  const auto whole = [](double v) { return std::to_string(std::llround(v)); };
  s.infinite = {{"llc.clock_hz", whole(kFaster * r.setting("llc", "clock_hz"))},
                {"llc.latency_cycles", whole(kFaster * r.setting("llc", "latency_cycles"))}};
  s.remedies =
      "system.slices_per_channel; system.address_map pae; copies of read-only lines "
      "(system.remote_caching full-replication, mdr)";
  return s;
}

Resource atomics_of(const Reader& r) {
  const Blocks slices = r.blocks("llc");
  Resource a{"atomics units of the LLC slices", "llc"};
  a.use = ratio(
      r.sm_cycles(ratio(slices.most("atomic_lanes"), r.setting("llc", "atomic_lanes_per_cycle")),
                  "llc"),
      r.cycles());
  a.hot = slices.hottest({"atomic_lanes"});
  a.infinite = {
      {"llc.atomic_lanes_per_cycle", "32"},
      {"llc.atomic_block_bytes", std::to_string(std::llround(r.setting("system", "line_bytes")))}};
  a.remedies = "llc.atomic_lanes_per_cycle; fewer atomics on one line (sums in shared memory)";
  return a;
}

/// Page faults take the place of translation where they are most of its time.
Resource translation_of(const Reader& r) {
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
  t.infinite = {{"walker.level_latency_cycles", "1"}, {"walker.levels", "1"},
                {"walker.concurrent_walks", "4096"},  {"l2_tlb.entries", "65536"},
                {"l2_tlb.mshr_entries", "4096"},      {"l2_tlb.ports", "64"},
                {"l2_tlb.latency_cycles", "1"}};
  t.remedies = "system.page_bytes, sm.tlb_entries, l2_tlb.entries, walker.concurrent_walks";
  return t;
}

/// Links of coherent hierarchies to the host's memory.
void add_host_links(const Reader& r, Resources& all) {
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
  l.infinite = {{"umh.link.bytes_per_cycle", kWide}};
  l.remedies =
      "umh.link.bytes_per_cycle; a coherent directory beside the GPU's memory (umh presets) "
      "instead "
      "of zero-copy; umh.stack_bytes";
  all.host_links = std::move(l);
}

/// Between a coherent L1 and an L2 that has the line.
std::map<std::string, double> coherent_latency(const Reader& r) {
  const double request = r.sm_cycles(1 + r.setting("umh/l2", "latency_cycles"), "umh/l2");
  const double beats =
      ratio(r.setting("system", "line_bytes"), r.setting("umh/l1_port", "bytes_per_cycle"));
  const double response =
      r.sm_cycles(1 + std::ceil(beats) + r.setting("l1", "latency_cycles"), "l1");
  return {{"request_network", request}, {"response_network", response}};
}

/// Behind an L2: the GPU's stack, if it has stacks, and for the part of the misses that need it,
/// the link to the host and the host's memory.
double latency_behind_l2(const Reader& r) {
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
double lookup_share(const Reader& r) {
  const Blocks llc = r.blocks("llc");
  const Blocks l1 = r.blocks("l1_");
  const double lookups = llc.sum("lookup_wait_cycles");
  const double here = 1 - ratio(l1.sum("remote_cache_cycles"), l1.sum("llc_cycles"));
  return lookups > 0 ? here * lookups / (lookups + llc.sum("merge_wait_cycles")) : here;
}

/// Of the busiest SM's load/store unit, which takes a line or a shared access in each cycle.
double memory_unit_use(const Reader& r) {
  const Blocks sms = r.blocks("sm");
  return std::min(1.0, ratio(sms.most("line_requests") + sms.most("shared_instructions") +
                                 sms.most("shared_conflict_cycles"),
                             r.cycles()));
}

void add_balance(const Reader& r, Resources& all) {
  const Blocks sms = r.blocks("sm");
  const double ctas = sms.sum("ctas");
  const double most = sms.most("warp_instructions");
  if (ctas <= 0 || most <= 0) return;
  const double loads = ratio(sms.sum("load_instructions"), sms.sum("warp_instructions"));
  const double latency =
      r.setting("sm", "alu_latency") + loads * r.sm_cycles(r.setting("l1", "latency_cycles"), "l1");
  double balanced = 0;  // instructions of an SM with its share of each kernel's CTAs
  for (const ordered_json& k : r.stats().value("kernels", ordered_json::array())) {
    double count = 1;
    double threads = 1;
    for (const ordered_json& n : k.at("grid")) count *= n.get<double>();
    for (const ordered_json& n : k.at("block")) threads *= n.get<double>();
    const double warps = count * std::ceil(threads / 32);
    balanced += std::ceil(count / r.setting("system", "sms")) *
                ratio(k.at("instructions").get<double>(), count);
    all.warp_latency += ratio(k.at("instructions").get<double>(), warps) * latency;
  }
  if (balanced > 0) all.balanced_work = std::min(1.0, balanced / most);
  all.balance = {"balance of CTAs between SMs", "dispatch"};
  all.balance.hot = sms.hottest({"warp_instructions"});
  const bool distributed =
      r.stats().value("/config/dispatch/scheduler"_json_pointer, "") == "distributed";
  all.balance.infinite = {{"dispatch.scheduler", distributed ? "round-robin" : "distributed"}};
  all.balance.remedies = "dispatch.scheduler, more or smaller CTAs";
}

void add_stops(const Reader& r, Resources& all) {
  const Blocks migrator = r.blocks("page_migrator");
  if (const double stopped = migrator.sum("stopped_cycles"); stopped > 0) {
    Stop s{{"page migration, with the SMs stopped", "migration"}, 0};
    s.cycles = r.sm_cycles(stopped, "migration");
    s.resource.infinite = {{"migration.cache_flush_ns", "0"},
                           {"migration.pipeline_flush_ns", "0"},
                           {"migration.shootdown_ns", "0"},
                           {"migration.transfer_gb_per_s", "1000000"}};
    s.resource.remedies = "migration.policy, migration.stop, migration.drain, migration.max_moves";
    all.stops.push_back(std::move(s));
  }
  if (const double flush = r.blocks("dispatcher").sum("flush_cycles"); flush > 0) {
    Stop s{{kFlush, "dispatch"}, 0};
    s.cycles = r.sm_cycles(flush, "dispatch");
    if (r.stats().value("/config/llc/flush"_json_pointer, "") == "all") {
      s.resource.infinite = {{"llc.flush", "copies"}};
    }
    s.resource.remedies = "llc.flush, umh.synchronisation; a smaller LLC has fewer lines to flush";
    all.stops.push_back(std::move(s));
  }
  if (const double launch = r.setting("dispatch", "launch_cycles"); launch > 0) {
    Stop s{{"launches of kernels", "dispatch"}, 0};
    s.cycles = r.sm_cycles(launch * r.blocks("dispatcher").sum("kernels"), "dispatch");
    s.resource.infinite = {{"dispatch.launch_cycles", "0"}, {"dispatch.fetch_cycles", "0"}};
    s.resource.remedies = "dispatch.launch_cycles; fewer and larger kernels";
    all.stops.push_back(std::move(s));
  }
}

}  // namespace

Resources resources_of(const ordered_json& stats) {
  const Reader r(stats);
  Resources all;
  const double request = add_networks(r, "request", all.request_networks);
  const double response = add_networks(r, "response", all.response_networks);
  const Blocks l1 = r.blocks("l1_");
  const double lookups = l1.sum("loads") + l1.sum("stores") + l1.sum("atomics");
  all.mshr_stalls = ratio(l1.sum("stalls_mshr") + l1.sum("stalls_frames"), lookups);
  all.mshrs = {"miss registers (MSHRs) of the L1s", "l1"};
  all.mshrs.hot = l1.hottest({"stalls_mshr", "stalls_frames"});
  all.mshrs.infinite = {{"l1.mshr_entries", "4096"}, {"l1.mshr_targets", "32"}};
  all.mshrs.remedies = "l1.mshr_entries, l1.mshr_targets; l1.sets";
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
  to_llc = {{"request_network", request},
            {"llc", r.sm_cycles(r.setting("llc", "latency_cycles"), "llc")},
            {"response_network", response}};
  all.coherent = l1.has("below_l2_cycles");
  if (all.coherent) to_llc = coherent_latency(r);
  dram = to_llc;
  dram["dram"] = all.coherent ? latency_behind_l2(r) : memory_latency(r, "dram");
  return all;
}

}  // namespace tessera::app
