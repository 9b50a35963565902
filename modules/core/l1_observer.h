// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/memory_request.h"

namespace tessera {

/// Watches the accesses of L1 caches. Must not change their behaviour.
class L1Observer {
 public:
  virtual ~L1Observer() = default;
  /// Called once an access, at its lookup. `remote`: another GPU's line. `hit`: a load that the L1
  /// served, or that merged with one under way.
  virtual void on_l1_access(const MemoryRequest& request, bool remote, bool hit) = 0;
};

}  // namespace tessera
