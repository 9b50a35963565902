// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "modules/plan/block_site.h"
#include "modules/probe/probe_config.h"
#include "modules/probe/probe_site.h"
#include "modules/probe/probe_table.h"
#include "modules/probe/sharer_directory.h"
#include "policies/miss_routing.h"

namespace tessera {

/// What the probe engines of a GPU share. Offered by the platform.
struct GpuProbing {
  explicit GpuProbing(std::uint32_t cores) : sharers(cores) {}

  SharerDirectory sharers;
  ProbeTable probes;
};

/// 2 in: its core's L1, and probes from the network; out: the network.
struct ProbeEngineSite : BlockSite {
  static constexpr const char* kFamily = "probe";
  ProbeConfig config;
  ProbeSite probe;
  std::function<std::unique_ptr<MissRouting>()> make_routing;
};

}  // namespace tessera
