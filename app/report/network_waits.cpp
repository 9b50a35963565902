// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "app/report/text.h"
#include "app/report/wait_list.h"

namespace tessera::app {
namespace {

struct NetworkKind {
  const char* block;
  const char* title;
  const char* config;  ///< its group of parameters
  bool switched;       ///< true: switches with `radix` ports; false: a link
  bool translations = false;
};

/// `way`: direction, "request" or "response".
void add_network(WaitList& list, const NetworkKind& kind, const std::string& way) {
  const Blocks blocks = list.blocks(kind.block);
  if (blocks.empty()) return;
  // A GPU's network can be a mesh.
  const bool mesh = blocks.sum(way + "_hop_bytes") > 0;
  const std::string group = mesh ? "mesh" : kind.config;
  // The crossbar from the RDMA engine can have links of its own, at the engine's clock.
  const bool own_links =
      std::string(kind.block) == "ingress_xbar" && list.setting("system", "rdma_link_bytes") > 0;
  const std::string clock = own_links ? "rdma" : group;
  const std::string width = own_links ? "system.rdma_link_bytes" : group + ".link_bytes";
  const std::string level = std::string(kind.title) + " " + way;
  const std::string prefix = way + "_";
  const double packets = blocks.sum(prefix + "packets");
  const double flits = blocks.sum(prefix + "flits");
  const auto links = blocks.egress_links(prefix);
  const HotSpots egress = hottest_of(links);

  // Zero-load latency of a packet of n flits: stages x L + n cycles.
  const std::size_t ports =
      std::max(blocks.egress_links("request_").size(), blocks.egress_links("response_").size());
  const bool two_stages =
      kind.switched && !mesh && static_cast<double>(ports) > list.setting(group, "radix");
  const bool ring = group == "ring";
  const double stage =
      mesh ? list.setting(group, "router_latency") + list.setting(group, "link_latency")
           : list.setting(group, ring            ? "hop_latency"
                                 : kind.switched ? "stage_latency"
                                                 : "latency");
  // On a ring and a mesh, hops in place of stages.
  const double hops = ring || mesh
                          ? ratio(blocks.sum(prefix + (mesh ? "hop_bytes" : "segment_bytes")),
                                  blocks.sum(prefix + "bytes"))
                          : (two_stages ? 2 : 1);
  const double lone = packets * hops * stage + flits;
  const std::string buffers = mesh ? "vc_flits" : ring ? "buffer_packets" : "input_buffer_flits";
  const double waited = blocks.sum(prefix + "ingress_wait_cycles");
  Wait at_ingress{WaitKind::kQueueFull, level, "ingress ports", "room in the first switch",
                  width + ", " + buffers};
  at_ingress.hot = blocks.hottest({prefix + "ingress_wait_cycles"});
  list.add_time(at_ingress, list.l1_cycles(waited, clock));
  Wait inside{WaitKind::kNetworkTransfer, level, "switch buffers", "a link, or room behind it",
              width};
  inside.hot = egress;
  const double time = blocks.sum(prefix + "latency", "sum");
  // The time of translation requests is a part of the time of the L2 TLBs' misses.
  if (!kind.translations) list.add_block_time(list.l1_cycles(time, clock));
  list.add_time(inside, list.l1_cycles(time - lone - waited, clock));

  const double full = blocks.sum(prefix + "buffer_full_cycles");
  Wait blocked{WaitKind::kQueueFull, level, "switch outputs", "the full buffer behind a link",
               group + "." + buffers};
  blocked.amount = short_number(ratio(full, packets)) + " blocked link cycles a packet";
  blocked.share = {full, full + flits, "blocked or busy link cycles"};
  blocked.hot = egress;
  list.add(blocked, full > 0);
  Wait busiest{WaitKind::kBandwidth, level, "egress ports", "the bandwidth of the busiest egress",
               width};
  busiest.hot = egress;
  list.add_busiest(busiest, largest_of(links), list.elapsed(clock));
}

}  // namespace

void add_network_waits(WaitList& list) {
  const NetworkKind kinds[] = {{"p2p", "P2P", "p2p", false},
                               {"noc", "NoC", "noc", true},
                               {"link", "Side link", "side_link", false},
                               {"mcm", "Module", "mcm", true},
                               {"ring", "Ring", "ring", false},
                               {"module_ingress_xbar", "Module ingress", "noc", true},
                               {"ingress_xbar", "Ingress", "noc", true},
                               {"iommu", "IOMMU", "noc", true, true}};
  for (const NetworkKind& kind : kinds) {
    for (const char* way : {"request", "response"}) add_network(list, kind, way);
  }
}

void add_remote_waits(WaitList& list) {
  const Blocks engines = list.blocks("rdma");
  const Blocks fabric = list.blocks("fabric");
  if (engines.empty() || fabric.empty()) return;
  const double packets = fabric.sum("packet_latency", "count");
  const double latency = fabric.sum("packet_latency", "sum");
  const auto links = fabric.fabric_links();
  // Zero-load latency of a packet of n flits: L + n cycles, with n cycles on each of the two links.
  const double hz = list.setting("fabric", "clock_hz");
  double lone = packets * std::ceil(list.setting("fabric", "latency_ns") * hz / 1e9);
  for (const auto& link : links) lone += link.second / 2;

  Wait queued{WaitKind::kNetworkTransfer, "GPU fabric", "ports and switch buffers",
              "a link, or room behind it", "fabric.flit_bytes, switch_packets"};
  queued.hot = hottest_of(links);
  list.add_block_time(list.l1_cycles(latency, "fabric"));
  list.add_time(queued, list.l1_cycles(latency - lone, "fabric"));
  Wait busiest{WaitKind::kBandwidth, "GPU fabric", "links", "the bandwidth of the busiest link",
               "fabric.flit_bytes"};
  busiest.hot = queued.hot;
  list.add_busiest(busiest, largest_of(links), list.elapsed("fabric"));

  // Each remote read crosses the fabric twice. Time not spent in the fabric is spent before it.
  const double there_and_back = 2 * engines.sum("remote_reads_served") * ratio(latency, packets) *
                                ratio(list.setting("rdma", "clock_hz"), hz);
  Wait before{WaitKind::kQueueFull, "RDMA", "outgoing queues", "the fabric to take a packet",
              "rdma.outgoing_depth, fabric.port_packets"};
  before.hot = engines.hottest({"link_response_cycles", "link_request_cycles"});
  const double waited = list.l1_cycles(
      engines.sum("link_request_cycles") + engines.sum("link_response_cycles") - there_and_back,
      "rdma");
  list.add_block_time(std::max(0.0, waited));
  list.add_time(before, waited);
  const double timeouts = engines.sum("timeouts");
  const double staged = engines.sum("responses_per_packet", "count");
  Wait staging{WaitKind::kOrdering, "RDMA", "staging buffers", "more responses, until the timeout",
               "rdma.timeout_cycles"};
  staging.amount = count_words(timeouts, staged, "staged packets");
  staging.share = {timeouts, staged, "staged packets"};
  staging.hot = engines.hottest({"timeouts"});
  list.add(staging, timeouts > 0);
}

}  // namespace tessera::app
