// SPDX-License-Identifier: Apache-2.0
#pragma once

// Blocks and policies from outside the tree, as shared objects (docs/guide/plugins.md). One defines
//
//   extern "C" const tessera::Plugin tessera_plugin = {register_all};
//
// and register_all() calls register_block(). Policies register themselves (policies/registry.h):
// one that has nothing but policies says {}.

#include "modules/host/sites.h"
#include "modules/llc/sites.h"
#include "modules/mdr/sites.h"
#include "modules/memory/sites.h"
#include "modules/mmu/sites.h"
#include "modules/noc/sites.h"
#include "modules/plan/block_build.h"
#include "modules/plan/block_family.h"
#include "modules/plan/block_kind.h"
#include "modules/probe/sites.h"
#include "modules/rdma/sites.h"
#include "modules/sm/sites.h"
#include "modules/umh/sites.h"
#include "platforms/plugin_entry.h"
