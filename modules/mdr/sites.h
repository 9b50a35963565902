// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/mdr/mdr_engine.h"
#include "modules/plan/block_site.h"

namespace tessera {

/// No sockets.
struct MdrSite : BlockSite {
  static constexpr const char* kFamily = "mdr";
  MdrConfig config;
  SetSampler::Shape slice;  ///< monitored slice
  MdrBandwidths raw;
  ReplicationSwitch* decision = nullptr;
  MdrEngine::Scope scope;
};

}  // namespace tessera
