// SPDX-License-Identifier: Apache-2.0
#include "modules/core/link_packet.h"
#include "platforms/gpu_config.h"
#include "platforms/topology/shape.h"
#include "policies/transfer_policy.h"

namespace tessera {

namespace {

void validate(const GpuConfig& c, std::vector<std::string>& errors) {
  const SystemConfig& s = c.system;
  if (s.gpus < 2) errors.emplace_back("topology multi-gpu needs system.gpus of 2 at least");
  if (s.modules != 1) errors.emplace_back("system.modules must be 1 where topology is multi-gpu");
  if (s.address_map != "gpu-interleave") {
    errors.emplace_back("topology multi-gpu needs system.address_map gpu-interleave");
  }
  if (s.gpus != 0 && s.rdma_ports != 0 && s.slices() / s.gpus % s.rdma_ports != 0) {
    errors.push_back("system.rdma_ports (" + std::to_string(s.rdma_ports) +
                     ") must divide the slices of a GPU (" + std::to_string(s.slices() / s.gpus) +
                     "): a port serves whole slices");
  }
  if (c.migration.policy != "none" && may_use_remote_cache(*c.transfer_policy())) {
    errors.push_back(
        "migration.policy needs a system.transfer without a remote cache: pages that "
        "move must not have dirty lines elsewhere");
  }
  // The watchdog must not take a packet's way, or an answer's wait for others, for a standstill.
  const double watchdog_ns =
      static_cast<double>(s.watchdog_cycles) * 1e9 / static_cast<double>(c.sm.clock_hz);
  const double longest_ns = static_cast<double>(c.fabric.latency_ns) +
                            c.rdma.timeout_cycles * 1e9 / static_cast<double>(c.rdma.clock_hz) +
                            5e9 / static_cast<double>(c.fabric.clock_hz);
  if (watchdog_ns < 2 * longest_ns) {
    errors.push_back(
        "system.watchdog_cycles (" + std::to_string(s.watchdog_cycles) +
        ") must be twice fabric.latency_ns, rdma.timeout_cycles and a packet's time on "
        "the link together at least: what waits for these would count as stuck");
  }
  if (c.migration.policy == "replication") {
    errors.emplace_back("migration.policy replication has a meaning in topology nuba only");
  }
  for (std::vector<std::string> more :
       {c.fabric.validate(), c.rdma.validate(), c.decision.validate()}) {
    for (std::string& e : more) errors.push_back(std::move(e));
  }
  for (const std::string& e : c.remote_cache.validate()) errors.push_back("remote_cache: " + e);
}

/// A GPU's crossbars, and its way to other GPUs. Returns the RDMA engine.
PlannedBlockId add_network_side(Planner& p, const Planner::Gpu& gpu) {
  const GpuConfig& c = p.config();
  const std::uint32_t slices = gpu.slices;
  const std::uint32_t ports = c.system.rdma_ports;
  const PlannedBlockId rdma = p.add(BlockKind::kRdma, "rdma", gpu.node, gpu.number,
                                    ports + kPacketClasses, 1 + kPacketClasses);
  PlannedNetwork network;
  network.traffic = "noc";
  network.noc = c.noc;
  // A line of another GPU leaves by the port that its home slice's number names.
  const PlannedBlockId noc = p.add_network(
      "noc", gpu.node, gpu.number, network, gpu.sms, slices + ports,
      [own = gpu.number, slices, ports](std::uint32_t slice) {
        return slice / slices == own ? slice % slices : slices + slice % slices % ports;
      });
  for (std::uint32_t i = 0; i < gpu.sms; ++i) p.link({gpu.l1s[i], 0}, {noc, i});
  for (std::uint32_t i = 0; i < slices; ++i) p.link({noc, i}, {gpu.llcs[i], 0});
  const bool cached = may_use_remote_cache(*c.transfer_policy());
  for (std::uint32_t i = 0; i < ports; ++i) {
    Planner::Socket from{noc, slices + i};
    if (cached) {
      const PlannedBlockId cache =
          p.add(BlockKind::kRemoteCache, "rcache" + std::to_string(i), gpu.node, gpu.number, 1, 1);
      p.link(from, {cache, 0});
      from = {cache, 0};
    }
    p.link(from, {rdma, i});
  }
  network.traffic = "gate";
  const PlannedBlockId gate =
      p.add_network("gate", gpu.node, gpu.number, network, 1, slices,
                    [slices](std::uint32_t slice) { return slice % slices; });
  p.link({rdma, 0}, {gate, 0});
  for (std::uint32_t i = 0; i < slices; ++i) p.link({gate, i}, {gpu.llcs[i], 1});
  return rdma;
}

void plan(Planner& p) {
  constexpr std::uint32_t kSystem = 0;
  const GpuConfig& c = p.config();
  p.add_engines(kSystem);
  if (c.transfer_policy()->decides()) {
    p.add(BlockKind::kDecision, "decision", kSystem, 0, 0, 0);
  }
  std::vector<Planner::Gpu> gpus;
  std::vector<PlannedBlockId> rdmas;
  for (std::uint32_t g = 0; g < c.system.gpus; ++g) {
    gpus.push_back(p.add_gpu(g, 1));
    Planner::Gpu& gpu = gpus.back();
    p.add_memory(gpu, {SliceRole::kHome, 1, false});
    rdmas.push_back(add_network_side(p, gpu));
    p.add_l2_tlb(gpu);
    p.add_sms(gpu);
  }
  const unsigned ends = c.system.gpus * kPacketClasses;
  const PlannedBlockId fabric = p.add(BlockKind::kFabric, "fabric", kSystem, 0, ends, ends);
  for (std::uint32_t g = 0; g < c.system.gpus; ++g) {
    for (unsigned i = 0; i < kPacketClasses; ++i) {
      p.link({rdmas[g], 1 + i}, {fabric, g * kPacketClasses + i});
      p.link({fabric, g * kPacketClasses + i}, {rdmas[g], c.system.rdma_ports + i});
    }
  }
  p.add_page_tables(kSystem, gpus);
  p.add_dispatcher(kSystem);
  p.report("noc", true);
  p.report_fabric(c.fabric.bandwidth() * c.system.gpus);
  p.report("gate");
  p.set_locality(Locality::kGpu);
}

}  // namespace

/// Several GPUs that run one kernel in one address space (DualOpt figure 1): each is as "uba-mem",
/// and a noc's last exits lead to the GPU's RDMA engine, by way of a remote cache where there is
/// one; RDMA engines reach each other through the fabric, and their own GPU's slices through a
/// crossbar of their own:
///
///   l1_[i] -> noc -> llc[home], or (-> rcache[bank]) -> rdma -> fabric -> rdma -> gate ->
///   llc[home]
///
/// An l2_tlb each; iommu joins them to the walker that they share.
Shape gpu_tree_shape() {
  Shape s;
  s.name = "multi-gpu";
  s.partitions = [](const SystemConfig&) -> std::uint32_t { return 1; };
  s.validate = validate;
  s.plan = plan;
  s.reads = {"fabric.", "rdma.", "system.rdma_ports"};
  s.several_gpus = true;
  s.moves_pages = true;
  return s;
}

}  // namespace tessera
