// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "modules/plan/block_site.h"
#include "modules/rdma/decision_config.h"
#include "modules/rdma/engine_site.h"
#include "modules/rdma/rdma_config.h"

namespace tessera {

/// In: its ports, and one per packet class; out: its GPU's slices, and one per class.
struct RdmaSite : BlockSite {
  static constexpr const char* kFamily = "rdma";
  RdmaConfig config;
  RdmaEngineSite engine;
};

/// No sockets.
struct DecisionSite : BlockSite {
  static constexpr const char* kFamily = "decision";
  DecisionConfig config;
  const TransferPolicy* policy = nullptr;
  DecisionEngineSite engine;
};

/// How each GPU reads other GPUs' lines. Offered by the platform, and each GPU's own mode to the
/// GPU's blocks.
struct RemoteAccessModes {
  std::vector<RemoteAccessMode> of_gpus;
};

/// The untimed accesses of the GPU that holds an address. Offered by the platform.
struct HomeAccesses {
  std::function<HomeAccessIf&(std::uint64_t physical)> of;
};

}  // namespace tessera
