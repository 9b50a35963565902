// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/mdr/mdr_config.h"
#include "modules/mdr/mdr_engine_site.h"
#include "modules/mdr/set_sampler.h"
#include "modules/plan/block_site.h"
#include "policies/mdr_model.h"

namespace tessera {

class ReplicationSwitch;

/// No sockets.
struct MdrSite : BlockSite {
  static constexpr const char* kFamily = "mdr";
  MdrConfig config;
  SetSampler::Shape slice;  ///< monitored slice
  MdrBandwidths raw;
  ReplicationSwitch* decision = nullptr;
  MdrEngineSite engine;
};

}  // namespace tessera
