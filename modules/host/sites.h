// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arguments of the factories of the CTA dispatcher and of the CPU's cores.

#include "modules/host/cpu_core_config.h"
#include "modules/host/dispatch_config.h"
#include "modules/host/kernel_launch.h"
#include "modules/plan/block_site.h"

namespace tessera {

/// No sockets.
struct DispatcherSite : BlockSite {
  static constexpr const char* kFamily = "dispatcher";
  DispatchConfig config;
  CtaSchedulerFactory make_scheduler;
  CtaDispatcherSite dispatcher;
};

/// 1 out: its L1.
struct CpuCoreSite : BlockSite {
  static constexpr const char* kFamily = "cpu_core";
  CpuCoreConfig config;
};

}  // namespace tessera
