// SPDX-License-Identifier: Apache-2.0
#include "platforms/raw_bandwidths.h"

#include <algorithm>

#include "platforms/topology/tree.h"

namespace tessera {

MdrBandwidths raw_bandwidths(const GpuConfig& config) {
  const SystemConfig& system = config.system;
  const double slices = system.slices_per_gpu();
  const double modules = system.modules;
  const std::uint32_t channels = system.channels / system.gpus;
  MdrBandwidths raw;
  // A slice gives a line a cycle; its SMs' links take less.
  raw.llc = slices * std::min(static_cast<double>(config.llc.clock_hz) * system.line_bytes,
                              config.p2p.bandwidth());
  raw.memory =
      channels * static_cast<double>(config.dram.clock_hz) * config.dram.bus_bytes_per_clock;
  const std::uint32_t slices_per_gpu = system.slices_per_gpu();
  raw.noc = config.noc.bandwidth(slices_per_gpu);
  if (config.noc_kind == NetworkKind::kMesh) {
    // The bound of its links under evenly spread accesses, of a module's slices. Ports to other
    // modules or GPUs are left out, and with them a given size and placement.
    const std::uint32_t nodes = slices_per_gpu / system.modules;
    MeshConfig m = config.mesh;
    m.shared_nodes = true;
    if (system.gpus > 1 || system.modules > 1) {
      m.width = m.height = 0;
      m.placement = MeshConfig{}.placement;
    }
    raw.noc = system.modules * m.uniform_bandwidth(nodes, nodes);
  }
  if (system.modules > 1) {
    // Of evenly spread remote accesses, all but one module's share cross between modules.
    const Tree tree = tree_of(system);
    const double between =
        find_level(tree, NodeLevel::kModule)->network == "ring"
            ? config.ring.ports * config.ring.ring.uniform_bandwidth(system.modules)
            : modules * config.mcm.plane.bandwidth(config.mcm.ports);
    raw.noc = std::min(raw.noc, between * modules / (modules - 1));
  }
  return raw;
}

}  // namespace tessera
