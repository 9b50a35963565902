// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "modules/core/memory_request.h"

namespace tessera {

/// Whose access to which line a slice sees.
enum class AccessOrigin : std::uint8_t {
  kLocal,           ///< the slice's own SMs, a line whose home it is
  kRemoteArriving,  ///< other SMs, a line whose home it is
  kRemoteLeaving,   ///< the slice's own SMs, another slice's line
};

struct ObservedAccess {
  AccessOrigin origin = AccessOrigin::kLocal;
  std::uint64_t address = 0;  ///< physical, of the line
  const MemoryRequest& request;

  bool at_home() const { return origin != AccessOrigin::kRemoteLeaving; }
};

/// Watches the accesses of LLC slices. Must not change their behaviour.
class SliceObserver {
 public:
  virtual ~SliceObserver() = default;
  /// Called once an access: at its lookup, or when it goes round the arrays.
  virtual void on_access(const ObservedAccess& access) = 0;
};

}  // namespace tessera
