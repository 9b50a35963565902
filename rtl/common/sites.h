// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/plan/block_site.h"
#include "rtl/common/rtl_block_config.h"

namespace tessera {

/// 1 in, 1 out.
struct RtlLinkSite : BlockSite {
  static constexpr const char* kFamily = "rtl_link";
  RtlBlockConfig config;
};

}  // namespace tessera
