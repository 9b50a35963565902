// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "app/report/network_use.h"
#include "app/report/text.h"
#include "app/report/wait_list.h"

namespace tessera::app {
namespace {

/// `title`: of the level. `way`: direction, "request" or "response".
void add_network(WaitList& list, const NetworkKind& kind, const std::string& title,
                 const std::string& way) {
  const std::optional<NetworkUse> use = network_use(list.stats(), kind, way);
  if (!use) return;
  const Blocks& blocks = use->blocks;
  const std::string& width = use->width;
  const std::string level = title + " " + way;
  const std::string prefix = way + "_";
  const HotSpots egress = hottest_of(use->links);
  const double lone = use->packets * use->idle_latency + use->flits;
  const std::string buffers = use->group == "mesh"   ? "vc_flits"
                              : use->group == "ring" ? "buffer_packets"
                                                     : "input_buffer_flits";
  const double waited = blocks.sum(prefix + "ingress_wait_cycles");
  Wait at_ingress{WaitKind::kQueueFull, level, "ingress ports", "room in the first switch",
                  width + ", " + buffers};
  at_ingress.hot = blocks.hottest({prefix + "ingress_wait_cycles"});
  list.add_time(at_ingress, list.l1_cycles(waited, use->clock));
  Wait inside{WaitKind::kNetworkTransfer, level, "switch buffers", "a link, or room behind it",
              width};
  inside.hot = egress;
  // The time of translation requests is a part of the time of the L2 TLBs' misses.
  if (!kind.translations) list.add_block_time(list.l1_cycles(use->latency, use->clock));
  list.add_time(inside, list.l1_cycles(use->latency - lone - waited, use->clock));

  const double full = blocks.sum(prefix + "buffer_full_cycles");
  Wait blocked{WaitKind::kQueueFull, level, "switch outputs", "the full buffer behind a link",
               use->group + "." + buffers};
  blocked.amount = short_number(ratio(full, use->packets)) + " blocked link cycles a packet";
  blocked.share = {full, full + use->flits, "blocked or busy link cycles"};
  blocked.hot = egress;
  list.add(blocked, full > 0);
  Wait busiest{WaitKind::kBandwidth, level, "egress ports", "the bandwidth of the busiest egress",
               width};
  busiest.hot = egress;
  list.add_busiest(busiest, largest_of(use->links), list.elapsed(use->clock));
}

}  // namespace

void add_network_waits(WaitList& list) {
  static const std::map<std::string, std::string> kTitles = {
      {"p2p", "P2P"},
      {"noc", "NoC"},
      {"link", "Side link"},
      {"mcm", "Module"},
      {"ring", "Ring"},
      {"module_ingress_xbar", "Module ingress"},
      {"ingress_xbar", "Ingress"},
      {"iommu", "IOMMU"}};
  for (const NetworkKind& kind : kNetworkKinds) {
    for (const char* way : {"request", "response"}) {
      add_network(list, kind, kTitles.at(kind.block), way);
    }
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
