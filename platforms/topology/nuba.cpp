// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "platforms/topology/shape.h"
#include "platforms/topology/system_facts.h"

namespace tessera::topology::nuba {

namespace {

bool divides(const GpuConfig& c, std::vector<std::string>& errors) {
  return must_divide("the partitions = system.channels", c.system.channels, "system.sms",
                     c.system.sms, errors);
}

void validate(const GpuConfig& c, std::vector<std::string>& errors) {
  for (const std::string& e : c.p2p.validate()) errors.push_back("p2p: " + e);
  const std::uint32_t points =
      std::max(sms_per_partition(c.system), slices_per_partition(c.system));
  for (const std::string& e : c.p2p.as_network(points).validate()) {
    errors.push_back("p2p, a partition's switch: " + e);
  }
}

void connect(Planner& p, Planner::Gpu& gpu) {
  const GpuConfig& c = p.config();
  const SystemConfig& s = c.system;
  const std::uint32_t partitions = partitions_of(s);
  const std::uint32_t sms = sms_per_partition(s);
  const std::uint32_t slices = slices_per_partition(s);
  PlannedNetwork links;
  links.kind = NetworkKind::kPointToPoint;
  links.traffic = "p2p";
  links.noc = c.p2p.as_network(std::max(sms, slices));
  links.of_links = true;
  links.span.across = links.span.along = std::sqrt(static_cast<double>(partitions) / s.modules);
  for (std::uint32_t i = 0; i < partitions; ++i) {
    const std::uint32_t node = gpu.leaves[std::uint64_t{i} * gpu.leaves.size() / partitions];
    // A request for a line of another partition is sent to the slice with the home's position in
    // this partition.
    const PlannedBlockId p2p =
        p.add_network("p2p" + std::to_string(i), node, gpu.number, links, sms, slices,
                      [slices](std::uint32_t slice) { return slice % slices; });
    for (std::uint32_t k = 0; k < sms; ++k) p.link({gpu.l1s[i * sms + k], 0}, {p2p, k});
    for (std::uint32_t k = 0; k < slices; ++k) p.link({p2p, k}, {gpu.llcs[i * slices + k], 0});
  }
  std::vector<Planner::Socket> out;
  for (const PlannedBlockId slice : gpu.llcs) out.push_back({slice, 1});
  p.join(gpu, out, 1);
}

}  // namespace

/// NUBA (figure 1c): one partition per channel. The SMs of a partition reach its slices by links,
/// and reach other partitions' slices through its slices.
///
///   l1_[i] -> p2p[partition] -> llc[of the partition] (-> noc -> llc[home]) -> dram[channel]
///
/// In modules (section 7.6) and in several GPUs, module_tree.cpp and gpu_tree.cpp create noc. A
/// slice of a partition only forwards requests for other GPUs' lines.
const bool kRegistered = register_shape([] {
  Shape s;
  s.order = 2;
  s.name = "nuba";
  s.partitions = [](const SystemConfig& system) { return system.channels / system.gpus; };
  s.divides = divides;
  s.validate = validate;
  s.slices = {"partition", 1, true};
  s.connect = connect;
  s.report = [](Planner& p) { p.report("p2p"); };
  s.locality = Locality::kPartition;
  s.reads = {"p2p."};
  s.caches_others = true;
  s.moves_pages = true;
  return s;
}());

}  // namespace tessera::topology::nuba
