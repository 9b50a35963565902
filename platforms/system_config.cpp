// SPDX-License-Identifier: Apache-2.0
#include "platforms/system_config.h"

#include "modules/protocol/byte_mask.h"
#include "policies/address_map.h"
#include "policies/miss_routing.h"
#include "policies/page_placement.h"
#include "policies/remote_caching.h"
#include "policies/transfer_policy.h"

namespace tessera {

void describe(ParameterVisitor& v, SystemConfig& c) {
  v.text("topology", c.topology, "how the blocks are wired (NUBA figure 1, DualOpt figure 1)",
         topology_names());
  v.integer("gpus", c.gpus, "GPU",
            "GPUs, each with its part of SMs and channels "
            "(DualOpt section 3)",
            1, SystemConfig::kMostGpus);
  v.integer("modules", c.modules, "module", "chiplets of a GPU (NUBA section 7.6)", 1,
            SystemConfig::kMostModules);
  v.integer("sms", c.sms, "SM", "streaming multiprocessors, of all GPUs (NUBA Table 1)", 1, 1024);
  v.integer("channels", c.channels, "channel", "DRAM channels, of all GPUs (NUBA section 6)", 1,
            1024);
  v.integer("slices_per_channel", c.slices_per_channel, "slice",
            "LLC slices in front of a channel (NUBA section 6)", 1, 64);
  v.integer("line_bytes", c.line_bytes, "byte", "cache line (NUBA Table 1)", 32, kMaxLineBytes);
  v.integer("page_bytes", c.page_bytes, "byte", "page (NUBA section 6)", 4096, 1 << 30);
  v.integer("channel_bytes", c.channel_bytes, "byte",
            "memory of a channel (ours: 16 GiB over 32 channels)", 1 << 20, std::uint64_t{1} << 40);
  v.text("address_map", c.address_map, "address -> slice, channel, bank, row (NUBA section 2)",
         policy_names<AddressMap>());
  v.text("page_placement", c.page_placement,
         "where a page lives (NUBA names no policy for UBA; ours)", policy_names<PagePlacement>());
  v.text(
      "remote_caching", c.remote_caching,
      "of partitions: which lines of other partitions a slice may keep (NUBA sections 5 and 7.3)",
      policy_names<RemoteCaching>());
  v.text("transfer", c.transfer,
         "of several GPUs: how other GPUs' lines are read (DualOpt section 4)",
         policy_names<TransferPolicy>());
  v.text("miss_routing", c.miss_routing,
         "where a core's read misses go: to the line's slice, or to other cores' L1s (remote-core "
         "section III)",
         policy_names<MissRouting>());
  v.integer(
      "rdma_ports", c.rdma_ports, "port",
      "of several GPUs: ports of a GPU's L1s to its RDMA engine, and banks of its remote cache "
      "(ours: as many as the L2 has)",
      1, 64);
  v.integer(
      "rdma_link_bytes", c.rdma_link_bytes, "byte",
      "of several GPUs: width of the links of ingress_xbar, from the RDMA engine to the slices "
      "and back, at rdma.clock_hz; 0: those of noc (ours)",
      0, 4096);
  v.flag("line_sharing", c.line_sharing,
         "measure at lines' homes how SMs share lines and how much of a line they use; needs host "
         "memory (ours)");
  v.integer("watchdog_cycles", c.watchdog_cycles, "cycle",
            "cycles without any progress after which a run is stopped (ours)", 1000,
            std::uint64_t{1} << 40);
  v.integer("cycle_limit", c.cycle_limit, "cycle",
            "cycles of one kernel after which a run is stopped; 0 = none (ours)", 0,
            std::uint64_t{1} << 50);
  v.integer(
      "loop_limit", c.loop_limit, "instruction",
      "instructions per resident warp without the end of a CTA, after which a run is stopped; "
      "0 = none (ours)",
      0, std::uint64_t{1} << 50);
}

void describe(ParameterVisitor& v, ModuleNetworkConfig& c) {
  v.integer("ports", c.ports, "port",
            "links of a module to each of the planes that join the modules (ours: 16 of 16 B make "
            "NUBA section 7.6's 720 GB/s, both directions together)",
            1, 64);
  describe(v, c.plane);
}

void describe(ParameterVisitor& v, ModuleRingConfig& c) {
  v.integer("ports", c.ports, "ring", "rings, on each of which every module is a node (ours)", 1,
            64);
  describe(v, c.ring);
}

}  // namespace tessera
