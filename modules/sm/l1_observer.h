// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/ids.h"
#include "modules/protocol/memory_request.h"

namespace tessera {

/// Observes the accesses of L1 caches. Must not change their behaviour.
class L1Observer {
 public:
  virtual ~L1Observer() = default;
  /// Whether it observes the L1s of a GPU; does not change.
  virtual bool observes(GpuId) const { return true; }
  /// Called once per access, at its lookup. `remote`: the line's home is another GPU. `hit`: a load
  /// that hit the L1 or merged into an MSHR.
  virtual void on_l1_access(const MemoryRequest& request, bool remote, bool hit) = 0;
};

}  // namespace tessera
