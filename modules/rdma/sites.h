// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "modules/plan/block_site.h"
#include "modules/rdma/decision_engine.h"
#include "modules/rdma/rdma_engine.h"

namespace tessera {

/// In: its ports, and one per packet class; out: its GPU's slices, and one per class.
struct RdmaSite : BlockSite {
  static constexpr const char* kFamily = "rdma";
  RdmaConfig config;
  RdmaEngine::Role role;
};

/// No sockets.
struct DecisionSite : BlockSite {
  static constexpr const char* kFamily = "decision";
  DecisionConfig config;
  std::uint32_t gpus = 0;
  std::uint32_t line_bytes = 0;
  std::function<GpuId(SmId)> gpu_of;
  const TransferPolicy* policy = nullptr;
  RemoteAccessMode* transfer = nullptr;
};

/// The untimed accesses of the GPU that holds an address. Offered by the platform.
struct HomeAccesses {
  std::function<HomeAccessIf&(std::uint64_t physical)> of;
};

}  // namespace tessera
