// SPDX-License-Identifier: Apache-2.0
#include "platforms/gpu_config.h"
#include "platforms/topology/shape.h"

namespace tessera {

namespace {

void plan(Planner& p) {
  Planner::Gpu gpu = p.add_gpu(0, 1);
  p.add_engines(gpu.node);
  const bool modules = p.config().system.modules > 1;
  p.add_memory(gpu, {SliceRole::kHome, modules ? 1U : 0U, false});
  std::vector<Planner::Socket> l1s;
  for (const PlannedBlockId l1 : gpu.l1s) l1s.push_back({l1, 0});
  p.join(gpu, l1s, 0);
  p.add_l2_tlb(gpu);
  p.add_page_tables(gpu.node, {gpu});
  p.add_sms(gpu);
  p.add_dispatcher(gpu.node);
  p.report("noc", true);
  if (modules) {
    p.report("mcm");
    p.report("gate");
  }
}

}  // namespace

/// Memory-side UBA (NUBA figure 1a): every SM's L1 reaches every slice through one hierarchical
/// crossbar; a slice holds the lines of its address range, in front of its channel.
///
///   l1_[i] -> noc -> llc[home] -> dram[channel]
///
/// With several modules (section 7.6), each has a crossbar of its own, and one for what comes from
/// other modules, joined by planes of switches: noc[m] -> mcm[plane] -> gate[home's m].
Shape uba_mem_shape() {
  Shape s;
  s.name = "uba-mem";
  s.partitions = [](const SystemConfig&) -> std::uint32_t { return 1; };
  s.plan = plan;
  return s;
}

}  // namespace tessera
