// SPDX-License-Identifier: Apache-2.0
#include "app/explain/network_resources.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

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

std::string named(const std::string& direction) { return " (" + direction + "s)"; }

/// The networks `first` and `second` pass the same packets, one after the other. The one that is in
/// use for longer has the excess of both, and without it, packets pass at the other's rate. If
/// their uses are alike, both are one.
void join(const std::string& direction, std::vector<Resource>& networks, std::size_t first,
          std::size_t second) {
  Resource& one = networks[first];
  Resource& two = networks[second];
  const bool alike = std::min(one.use, two.use) >= kAlike * std::max(one.use, two.use);
  if (alike) {
    one.name.resize(one.name.size() - named(direction).size());
    one.name += " and " + two.name;
    one.infinite.insert(one.infinite.end(), two.infinite.begin(), two.infinite.end());
    one.remedies += " with " + two.remedies;
    one.excess += two.excess;
    if (two.use > one.use) {
      one.use = two.use;
      one.hot = two.hot;
    }
    networks.erase(networks.begin() + static_cast<std::ptrdiff_t>(second));
    return;
  }
  Resource& longer = one.use > two.use ? one : two;
  Resource& shorter = one.use > two.use ? two : one;
  longer.excess += std::exchange(shorter.excess, 0);
  longer.next_use = shorter.use;
}

/// The fabric between GPUs counts both directions together.
Resource fabric_of(const RunReader& r, const std::string& direction, const Blocks& fabric,
                   double lone) {
  const auto links = fabric.fabric_links();
  Resource n;
  n.name = "fabric between the GPUs" + named(direction);
  n.group = "fabric";
  n.use = ratio(r.sm_cycles(largest_of(links), "fabric"), r.cycles());
  n.excess = std::max(0.0, r.sm_cycles(fabric.sum("packet_latency", "sum") - lone, "fabric")) / 2;
  n.hot = hottest_of(links);
  n.infinite = faster(r, "fabric", {});
  for (const char* name : {"flit_bytes", "port_packets", "switch_packets"}) {
    raise(r, "fabric", name, kWide, n.infinite);
  }
  n.remedies = "fabric.flit_bytes";
  return n;
}

/// An engine sends a packet of each direction to the fabric, and a request to the home slices, in a
/// cycle. `latency`: of an average packet in the fabric, in SM cycles.
Resource engines_of(const RunReader& r, const std::string& direction, double latency) {
  const Blocks engines = r.blocks("rdma");
  const std::string sent = "packets_out_" + direction;
  const double received = direction == "request" ? engines.most("requests_in") : 0;
  Resource n;
  n.name = "RDMA engines" + named(direction);
  n.group = "rdma";
  n.use = ratio(r.sm_cycles(std::max(engines.most(sent), received), "rdma"), r.cycles());
  n.excess = std::max(0.0, r.sm_cycles(engines.sum("link_" + direction + "_cycles"), "rdma") -
                               engines.sum("remote_reads_served") * latency);
  n.hot = engines.hottest({received > engines.most(sent) ? "requests_in" : sent});
  n.infinite = faster(r, "rdma", {"latency_cycles", "timeout_cycles"});
  for (const char* name : network_parameters().at("rdma").buffers) {
    raise(r, "rdma", name, kWide, n.infinite);
  }
  n.remedies = "rdma.clock_hz";
  return n;
}

/// The fabric between GPUs and the engines before and behind it, which pass the same packets.
LonePackets add_fabric(const RunReader& r, const std::string& direction,
                       std::vector<Resource>& out) {
  const Blocks fabric = r.blocks("fabric");
  const double packets = fabric.sum("packet_latency", "count");
  if (packets <= 0) return {};
  const double lone = packets * std::ceil(r.setting("fabric", "latency_ns") *
                                          r.setting("fabric", "clock_hz") / 1e9);
  const double latency = r.sm_cycles(ratio(fabric.sum("packet_latency", "sum"), packets), "fabric");
  const std::size_t first = out.size();
  out.push_back(fabric_of(r, direction, fabric, lone));
  out.push_back(engines_of(r, direction, latency));
  join(direction, out, first, first + 1);
  for (std::size_t i = first; i < out.size(); ++i) out[i].remedies += policies_between_gpus(r);
  // Through the engines of both GPUs.
  const double through = 2 * r.sm_cycles(r.setting("rdma", "latency_cycles"), "rdma");
  return {packets / 2, r.sm_cycles(ratio(lone, packets), "fabric") + through};
}

}  // namespace

std::vector<LonePackets> add_networks(const RunReader& r, const std::string& direction,
                                      std::vector<Resource>& out) {
  std::vector<LonePackets> all;
  std::pair<std::size_t, double> between_modules;  // of the network: its place and its packets
  for (const NetworkKind& kind : kNetworkKinds) {
    const std::string block = kind.block;
    if (block == "module_ingress_xbar") {
      all.push_back(add_fabric(r, direction, out));
    }
    if (kind.translations) continue;
    const std::optional<NetworkUse> use = network_use(r.stats(), kind, direction);
    if (!use || use->packets <= 0) continue;
    const NetworkWords& words = network_words().at(block);
    const bool mesh = use->group == "mesh";
    // A packet of one flit.
    const double lone = use->packets * (use->idle_latency + 1);
    Resource n;
    n.name = (mesh ? "mesh" : words.title) + named(direction);
    n.group = use->group;
    n.use = ratio(r.sm_cycles(largest_of(use->links), use->clock), r.cycles());
    n.excess = std::max(0.0, r.sm_cycles(use->latency - lone, use->clock));
    n.hot = hottest_of(use->links);
    n.infinite = infinite_network(r, *use);
    n.remedies = mesh ? "mesh.link_bytes, mesh.placement; system.miss_routing" : words.remedies;
    const bool inner = block == "noc";
    if (inner && !mesh) n.remedies += policies_for_near_lines(r);
    if (inner && direction == "response") consider_slice_ports(r, *use, n);
    all.push_back({use->packets, r.sm_cycles(ratio(lone, use->packets), use->clock)});
    out.push_back(std::move(n));
    if (block == "mcm" || block == "ring") {
      between_modules = {out.size() - 1, use->packets};
    } else if (block == "module_ingress_xbar" && between_modules.second == use->packets) {
      join(direction, out, between_modules.first, out.size() - 1);
    }
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
