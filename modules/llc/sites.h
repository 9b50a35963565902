// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arguments of the factories of slices, and what a plan says of a slice.

#include <cstdint>
#include <string>

#include "modules/llc/llc_config.h"
#include "modules/llc/slice_site.h"
#include "modules/plan/block_site.h"
#include "modules/plan/config_view.h"

namespace tessera {

/// Details of a planned slice.
struct PlannedSlice {
  std::string role = "home";  ///< SliceSite::role
  /// Number of inputs from other nodes. They follow the inputs from its own SMs.
  unsigned remote_inputs = 0;
};

/// Details of a planned bank of a remote cache.
struct PlannedRemoteCache {
  std::uint32_t banks = 1;  ///< SliceSite::remote_banks
};

/// n in; out: its channel and, if lines of other slices pass through it, the network.
struct LlcSite : BlockSite {
  static constexpr const char* kFamily = "llc";
  LlcSliceConfig config;
  SliceSite slice;
};

/// 1 in, 1 out: a bank, between L1s and a port of the RDMA engine.
struct RemoteCacheSite : BlockSite {
  static constexpr const char* kFamily = "remote_cache";
  LlcSliceConfig config;
  SliceSite slice;
};

/// No sockets.
struct SharingProfilerSite : BlockSite {
  static constexpr const char* kFamily = "line_sharing";
  std::uint32_t sms = 0;
  std::uint32_t line_bytes = 0;
};

/// Slice number by which the network of a GPU routes a message to its first core. Cores follow all
/// slices.
inline std::uint32_t first_core_exit(const SystemFacts& facts, std::uint32_t gpu) {
  return facts.slices() + gpu * facts.sms_per_gpu();
}

}  // namespace tessera
