// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arguments of the factories of networks.

#include <cstdint>
#include <vector>

#include "modules/noc/gpu_fabric_config.h"
#include "modules/noc/long_link_config.h"
#include "modules/noc/mesh_config.h"
#include "modules/noc/noc_config.h"
#include "modules/noc/noc_routing.h"
#include "modules/noc/ring_config.h"
#include "modules/plan/block_site.h"

namespace tessera {

class Domain;

/// n in, m out: crossbars, point-to-point links and switches.
struct NocSite : BlockSite {
  static constexpr const char* kFamily = "noc";
  NocConfig config;
  NocRouting routing;
};

/// n in, n out.
struct RingSite : BlockSite {
  static constexpr const char* kFamily = "ring";
  RingConfig config;
  NocRouting routing;
};

/// n in, m out: the network between L1s and slices, or between slices.
struct MeshSite : BlockSite {
  static constexpr const char* kFamily = "mesh";
  MeshConfig config;
  NocRouting routing;
};

/// One in and one out per packet class of each GPU.
struct FabricSite : BlockSite {
  static constexpr const char* kFamily = "fabric";
  GpuFabricConfig config;
  std::uint32_t gpus = 0;
  std::vector<Domain*> domains;  ///< of the GPUs
};

/// 1 in, 1 out: from a GPU to the host.
struct LongLinkSite : BlockSite {
  static constexpr const char* kFamily = "long_link";
  LongLinkConfig config;
  Domain* near = nullptr;  ///< of its target socket
  Domain* far = nullptr;   ///< of its initiator socket
};

}  // namespace tessera
