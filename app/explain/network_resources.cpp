// SPDX-License-Identifier: Apache-2.0
#include "app/explain/network_resources.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "app/report/network_use.h"

namespace tessera::app {
namespace {

/// Parameters of a group of networks.
struct NetworkParameters {
  const char* latency;  ///< cycles of a lone packet; null: the clock is not made faster
  std::vector<const char*> buffers;
};

const std::map<std::string, NetworkParameters>& network_parameters() {
  static const std::map<std::string, NetworkParameters> kParameters = {
      {"p2p", {"latency", {"buffer_flits"}}},
      {"noc", {"stage_latency", {"input_buffer_flits", "output_buffer_flits"}}},
      {"mesh", {nullptr, {"vc_flits"}}},
      {"side_link", {"latency", {"buffer_flits"}}},
      {"mcm", {"stage_latency", {"input_buffer_flits", "output_buffer_flits"}}},
      {"ring", {"hop_latency", {"buffer_packets"}}},
      {"rdma", {"latency_cycles", {"port_depth", "outgoing_depth"}}}};
  return kParameters;
}

struct NetworkWords {
  const char* title;
  const char* remedies;
};

/// By NetworkKind::block.
const std::map<std::string, NetworkWords>& network_words() {
  static const std::map<std::string, NetworkWords> kWords = {
      {"p2p", {"partition links", "p2p.link_bytes; fewer SMs a partition; dispatch.scheduler"}},
      {"noc", {"crossbar", "noc.link_bytes"}},
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
void consider_slice_ports(const RunReader& r, const NetworkUse& use, Resource& n) {
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

/// Links and buffers that hold back no packet.
Settings infinite_network(const RunReader& r, const NetworkUse& use) {
  Settings settings;
  const NetworkParameters& p = network_parameters().at(use.clock);
  if (p.latency != nullptr) settings = faster(r, use.clock, {p.latency});
  const std::size_t dot = use.width.find('.');
  raise(r, use.width.substr(0, dot), use.width.c_str() + dot + 1, kWide, settings);
  for (const char* name : p.buffers) raise(r, use.clock, name, kWide, settings);
  return settings;
}

/// The fabric between GPUs counts both directions together.
LonePackets add_fabric(const RunReader& r, const std::string& direction,
                       std::vector<Resource>& out) {
  const Blocks fabric = r.blocks("fabric");
  const double packets = fabric.sum("packet_latency", "count");
  if (packets <= 0) return {};
  const auto links = fabric.fabric_links();
  Resource n;
  n.name = "fabric between the GPUs (" + direction + "s)";
  n.group = "fabric";
  n.use = ratio(r.sm_cycles(largest_of(links), "fabric"), r.cycles());
  const double lone = packets * std::ceil(r.setting("fabric", "latency_ns") *
                                          r.setting("fabric", "clock_hz") / 1e9);
  n.excess = std::max(0.0, r.sm_cycles(fabric.sum("packet_latency", "sum") - lone, "fabric")) / 2;
  n.hot = hottest_of(links);
  n.infinite = faster(r, "fabric", {});
  for (const char* name : {"flit_bytes", "port_packets", "switch_packets"}) {
    raise(r, "fabric", name, kWide, n.infinite);
  }
  n.remedies =
      "fabric.flit_bytes; system.transfer (coalesced, fine-grained, decision-engine), "
      "system.page_placement, migration.policy";
  out.push_back(std::move(n));
  // Through the engines of both GPUs.
  const double engines = 2 * r.sm_cycles(r.setting("rdma", "latency_cycles"), "rdma");
  return {packets / 2, r.sm_cycles(ratio(lone, packets), "fabric") + engines};
}

}  // namespace

std::vector<LonePackets> add_networks(const RunReader& r, const std::string& direction,
                                      std::vector<Resource>& out) {
  std::vector<LonePackets> all;
  for (const NetworkKind& kind : kNetworkKinds) {
    if (std::string(kind.block) == "module_ingress_xbar") {
      all.push_back(add_fabric(r, direction, out));
    }
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
    n.infinite = infinite_network(r, *use);
    n.remedies = mesh ? "mesh.link_bytes, mesh.placement; system.miss_routing" : words.remedies;
    const bool inner = std::string(kind.block) == "noc";
    if (inner && !mesh) n.remedies += policies_for_near_lines(r);
    if (inner && direction == "response") consider_slice_ports(r, *use, n);
    all.push_back({use->packets, r.sm_cycles(ratio(lone, use->packets), use->clock)});
    out.push_back(std::move(n));
  }
  if (direction == "response") std::reverse(out.begin(), out.end());
  return all;
}

double lone_latency(const std::vector<LonePackets>& networks, double rest) {
  double entered = 0;  // packets of the network that most enter
  for (const LonePackets& n : networks) entered = std::max(entered, n.count);
  for (const LonePackets& n : networks) rest += ratio(n.count * n.latency, entered);
  double latency = 0;
  for (const LonePackets& n : networks) {
    const double crossing = ratio(n.count, entered);
    const double without = rest - crossing * n.latency;
    latency += ratio(crossing * (without + n.latency), without + crossing * n.latency) * n.latency;
  }
  return latency;
}

}  // namespace tessera::app
