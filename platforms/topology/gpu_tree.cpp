// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>

#include "common/legal_values.h"
#include "modules/llc/sites.h"
#include "modules/protocol/packet_class.h"
#include "platforms/topology/shape.h"
#include "platforms/topology/system_facts.h"
#include "policies/transfer_policy.h"

namespace tessera {

namespace {

/// The crossbar from the RDMA engine to the slices. (Modules have ingress crossbars of their own.)
constexpr char kIngress[] = "ingress_xbar";

bool divides(const GpuConfig& c, std::vector<std::string>& errors) {
  const SystemConfig& s = c.system;
  if (s.gpus < 2) errors.emplace_back("topology multi-gpu needs system.gpus of 2 at least");
  if (s.gpus == 0 || s.rdma_ports == 0 || s.modules == 0) return false;
  const std::uint32_t slices = s.slices() / s.gpus;
  if (slices % s.rdma_ports != 0) {
    errors.push_back(
        "system.rdma_ports (" + std::to_string(s.rdma_ports) +
        ") must divide the slices of a GPU (" + std::to_string(slices) +
        "): a port serves whole slices" +
        (slices == 0 ? "" : ", so that " + near_divisors(s.rdma_ports, slices) + " would do"));
    return false;
  }
  return must_divide("system.modules", s.modules, "system.rdma_ports", s.rdma_ports, errors);
}

void validate(const GpuConfig& c, std::vector<std::string>& errors) {
  const SystemConfig& s = c.system;
  if (s.address_map != "gpu-interleave" && s.address_map != "fixed-channel") {
    errors.emplace_back(
        "topology multi-gpu needs system.address_map gpu-interleave or fixed-channel: a GPU's "
        "memory is one range of addresses");
  }
  const Shape& node = node_shape_of(s);
  if (c.migration.policy != "none" && (s.modules > 1 || node.caches_others)) {
    errors.emplace_back(
        "migration.policy needs GPUs without modules (system.modules of 1) and partitions: pages "
        "move between GPUs as "
        "wholes, and slices of partitions hold lines of pages that would have moved");
  }
  if (c.migration.policy != "none" && may_use_remote_cache(*transfer_policy_of(c))) {
    errors.push_back(
        "migration.policy needs a system.transfer without a remote cache: pages that "
        "move must not have dirty lines elsewhere");
  }
  if (c.migration.policy != "none" && c.migration.stop == MoveStop::kUsers) {
    if (s.address_map != "gpu-interleave") {
      errors.push_back(
          "migration.stop users needs system.address_map gpu-interleave, under which a page's home "
          "is a GPU with a TLB of its own: here it is " +
          s.address_map);
    }
    if (c.uvm.mode != FaultMode::kPrefaulted) {
      errors.emplace_back(
          "migration.stop users needs uvm.mode prefaulted: translations that end a page fault are "
          "not recorded by the TLB directory");
    }
  }
  // The watchdog must not report a deadlock while a packet is in transit or a response waits for
  // other responses.
  const double watchdog_ns =
      static_cast<double>(s.watchdog_cycles) * 1e9 / static_cast<double>(c.sm.clock_hz);
  const double longest_ns = static_cast<double>(c.fabric.latency_ns) +
                            c.rdma.timeout_cycles * 1e9 / static_cast<double>(c.rdma.clock_hz) +
                            5e9 / static_cast<double>(c.fabric.clock_hz);
  const auto cycles = [&c](double ns) {
    const double all = std::ceil(ns * static_cast<double>(c.sm.clock_hz) / 1e9);
    return " (" + std::to_string(static_cast<std::uint64_t>(all) + 1) + ")";
  };
  if (watchdog_ns < 2 * longest_ns) {
    errors.push_back(
        "system.watchdog_cycles (" + std::to_string(s.watchdog_cycles) +
        ") must be twice fabric.latency_ns, rdma.timeout_cycles and a packet's time on "
        "the link together at least" +
        cycles(2 * longest_ns) + ": what waits for these would count as stuck");
  }
  // A translation and its response; a report of a kernel's end, the order to flush and its report;
  // an order to stop and the report of the drain.
  const std::uint64_t migrator_ns = c.migration.policy == "none" ? 0 : c.migration.gpu_latency_ns;
  const double host_ns =
      4 *
      static_cast<double>(std::max({c.iommu.latency_ns, c.dispatch.gpu_latency_ns, migrator_ns}));
  if (watchdog_ns < host_ns) {
    errors.push_back("system.watchdog_cycles (" + std::to_string(s.watchdog_cycles) +
                     ") must be four times iommu.latency_ns, dispatch.gpu_latency_ns and "
                     "migration.gpu_latency_ns at least" +
                     cycles(host_ns) +
                     ": what waits for messages of the host would count as stuck");
  }
  if (c.migration.policy == "replication") {
    errors.emplace_back(
        "migration.policy replication needs one GPU of topology nuba: it copies pages to "
        "partitions, and the tree has a level of GPUs");
  }
  for (std::vector<std::string> more :
       {c.fabric.validate(), c.rdma.validate(), c.decision.validate(), c.iommu.validate()}) {
    for (std::string& e : more) errors.push_back(std::move(e));
  }
  for (const std::string& e : c.remote_cache.validate()) errors.push_back("remote_cache: " + e);
}

/// Completes a GPU's path to other GPUs, after its networks are added, and adds the path of other
/// GPUs' requests to its slices.
void add_gateway(Planner& p, const Planner::Gpu& gpu, PlannedBlockId rdma) {
  const GpuConfig& c = p.config();
  const bool cached = may_use_remote_cache(*transfer_policy_of(c));
  for (std::uint32_t i = 0; i < gpu.egress.size(); ++i) {
    Planner::Socket from = gpu.egress[i];
    if (cached) {
      const PlannedBlockId cache =
          p.add("remote_cache", "rcache" + std::to_string(i), gpu.node, gpu.number, 1, 1);
      // Each module distributes its SMs' lines over its own banks.
      p.block(cache).details = PlannedRemoteCache{c.system.rdma_ports / c.system.modules};
      p.link(from, {cache, 0});
      from = {cache, 0};
    }
    p.link(from, {rdma, i});
  }
  PlannedNetwork network;
  network.traffic = kIngress;
  network.noc = c.noc;
  if (c.system.rdma_link_bytes != 0) {
    network.noc.link_bytes = c.system.rdma_link_bytes;
    network.noc.clock_hz = c.rdma.clock_hz;
  }
  const PlannedBlockId xbar =
      p.add_network(kIngress, gpu.node, gpu.number, network, 1, gpu.slices,
                    [slices = gpu.slices](std::uint32_t slice) { return slice % slices; });
  p.link({rdma, 0}, {xbar, 0});
  // The last input of a slice.
  const unsigned input = p.inputs_of(gpu.llcs.front()) - 1;
  for (std::uint32_t i = 0; i < gpu.slices; ++i) p.link({xbar, i}, {gpu.llcs[i], input});
}

/// Plans a GPU's blocks and networks. `add_gateway` is called after its slices and L1s are added.
void plan_gpu(Planner& p, Planner::Gpu& gpu, const std::function<void()>& add_gateway) {
  const Shape& shape = node_shape_of(p.config().system);
  Planner::Slices slices = shape.slices;
  slices.remote_inputs += (p.modules() ? 1U : 0U) + (p.gateways() ? 1U : 0U);
  if (p.config().forwards_hits()) {
    slices.role = p.config().forwarding_role();
    slices.to_others = true;
  }
  p.add_memory(gpu, slices);
  add_gateway();
  shape.connect(p, gpu);
}

PlannedBlockId add_rdma(Planner& p, const Planner::Gpu& gpu) {
  return p.add("rdma", "rdma", gpu.node, gpu.number, p.config().system.rdma_ports + kPacketClasses,
               1 + kPacketClasses);
}

/// Connects the gateways of the GPUs to each other.
void add_fabric(Planner& p, const std::vector<PlannedBlockId>& rdmas) {
  const auto gpus = static_cast<std::uint32_t>(rdmas.size());
  const std::uint32_t ports = p.config().system.rdma_ports;
  const unsigned ends = gpus * kPacketClasses;
  const PlannedBlockId fabric = p.add("fabric", "fabric", p.common_node(), 0, ends, ends);
  for (std::uint32_t g = 0; g < gpus; ++g) {
    for (unsigned i = 0; i < kPacketClasses; ++i) {
      p.link({rdmas[g], 1 + i}, {fabric, g * kPacketClasses + i});
      p.link({fabric, g * kPacketClasses + i}, {rdmas[g], ports + i});
    }
  }
}

}  // namespace

void plan_gpus(Planner& p) {
  std::vector<Planner::Gpu> gpus;
  for (std::uint32_t g = 0; g < p.config().system.gpus; ++g) gpus.push_back(p.add_gpu(g));
  const std::uint32_t node = p.common_node();
  p.add_engines(node);
  if (p.gateways() && transfer_policy_of(p.config())->decides()) {
    p.add("decision", "decision", node, 0, 0, 0);
  }
  std::vector<PlannedBlockId> rdmas;
  for (Planner::Gpu& gpu : gpus) {
    p.add_gpu_engines(gpu);
    plan_gpu(p, gpu, [&] {
      if (p.gateways()) rdmas.push_back(add_rdma(p, gpu));
    });
    if (p.gateways()) add_gateway(p, gpu, rdmas.back());
    p.add_l2_tlb(gpu);
    // Page tables in a GPU are listed before its SMs.
    if (gpu.node == node) p.add_page_tables(node, gpus);
    p.add_sms(gpu);
  }
  if (p.gateways()) add_fabric(p, rdmas);
  if (gpus.front().node != node) p.add_page_tables(node, gpus);
  p.add_dispatcher(node);
}

/// Several GPUs that run one kernel in one address space (DualOpt figure 1). Each GPU is of any
/// shape that nests, with or without modules. The last exits of a GPU's crossbars (with several
/// modules: an equal share of each) lead to its RDMA engine, through a remote cache if there is
/// one. RDMA engines are connected to each other by the fabric, and to their own GPU's slices by a
/// separate crossbar:
///
///   noc (-> rcache[bank]) -> rdma -> fabric -> rdma -> ingress_xbar -> llc[home]
///
/// Each GPU has an l2_tlb; iommu connects them to the shared walker.
///
/// Free of deadlock: requests from another GPU have their own crossbar and slice input. They wait
/// only for their home slice and its channel, never for an exit of the GPU, so that requests that
/// wait to leave the GPU are always sent eventually. Responses have their own networks and packet
/// class, and requesters always consume them.
const bool kRegistered = register_shape([] {
  Shape s;
  s.order = 3;
  s.name = "multi-gpu";
  s.level = NodeLevel::kGpu;
  s.networks = {"switch"};
  s.divides = divides;
  s.validate = validate;
  s.report = [](Planner& p) {
    p.report_fabric(p.config().fabric.bandwidth() * p.config().system.gpus);
    p.report(kIngress);
  };
  s.locality = Locality::kGpu;
  s.reads = {"fabric.",
             "iommu.",
             "rdma.",
             "system.rdma_ports",
             "system.rdma_link_bytes",
             "dispatch.gpu_latency_ns"};
  s.several_gpus = true;
  s.moves_pages = true;
  return s;
}());

}  // namespace tessera
