// SPDX-License-Identifier: Apache-2.0
#include "app/report/network_use.h"

#include <algorithm>

#include "app/report/wait_list.h"

namespace tessera::app {
namespace {

/// The latency of an average packet's way, without its flits.
double idle_latency(const nlohmann::ordered_json& stats, const NetworkKind& kind,
                    const NetworkUse& use, const std::string& prefix) {
  const auto setting = [&](const char* name) { return setting_of(stats, use.group, name); };
  const auto hops = [&](const char* statistic) {
    return ratio(use.blocks.sum(prefix + statistic), use.blocks.sum(prefix + "bytes"));
  };
  if (use.group == "mesh") {
    return hops("hop_bytes") * (setting("router_latency") + setting("link_latency"));
  }
  if (use.group == "ring") return hops("segment_bytes") * setting("hop_latency");
  if (!kind.switched) return setting("latency");
  const std::size_t links = std::max(use.blocks.egress_links("request_").size(),
                                     use.blocks.egress_links("response_").size());
  const double ports =
      ratio(static_cast<double>(links), static_cast<double>(use.blocks.each().size()));
  const bool two_stages = ports > setting("radix");
  return (two_stages ? 2 : 1) * setting("stage_latency");
}

}  // namespace

std::optional<NetworkUse> network_use(const nlohmann::ordered_json& stats, const NetworkKind& kind,
                                      const std::string& way) {
  NetworkUse use{Blocks(stats, kind.block), {}, {}, {}, 0, 0, 0, 0, {}};
  if (use.blocks.empty()) return std::nullopt;
  const std::string prefix = way + "_";
  use.group = use.blocks.sum(prefix + "hop_bytes") > 0 ? "mesh" : kind.group;
  // The crossbar from the RDMA engine can have links of its own, at the engine's clock.
  const bool own_links = std::string(kind.block) == "ingress_xbar" &&
                         setting_of(stats, "system", "rdma_link_bytes") > 0;
  use.clock = own_links ? "rdma" : use.group;
  use.width = own_links ? "system.rdma_link_bytes" : use.group + ".link_bytes";
  use.packets = use.blocks.sum(prefix + "packets");
  use.flits = use.blocks.sum(prefix + "flits");
  use.latency = use.blocks.sum(prefix + "latency", "sum");
  use.links = use.blocks.egress_links(prefix);
  for (auto& link : use.blocks.router_links(prefix)) use.links.push_back(std::move(link));
  use.idle_latency = idle_latency(stats, kind, use, prefix);
  return use;
}

}  // namespace tessera::app
