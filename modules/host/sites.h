// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arguments of the factories of the CTA dispatcher and of the CPU's cores.

#include "modules/host/cpu_core.h"
#include "modules/host/cta_dispatcher.h"
#include "modules/plan/block_site.h"

namespace tessera {

/// No sockets.
struct DispatcherSite : BlockSite {
  static constexpr const char* kFamily = "dispatcher";
  DispatchConfig config;
  CtaSchedulerFactory make_scheduler;
  DispatcherPlace place;
};

/// 1 out: its L1.
struct CpuCoreSite : BlockSite {
  static constexpr const char* kFamily = "cpu_core";
  CpuCoreConfig config;
};

}  // namespace tessera
