// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/memory/dram_config.h"
#include "modules/plan/block_site.h"

namespace tessera {

/// n in: one per slice of the channel.
struct DramSite : BlockSite {
  static constexpr const char* kFamily = "dram";
  DramConfig config;
  ChannelId channel;
};

}  // namespace tessera
