// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "common/ids.h"

namespace tessera {

struct MemoryRequest;

/// Requester and home of an access that a slice observes.
enum class AccessOrigin : std::uint8_t {
  kLocal,           ///< requester: SM of the slice's partition; home: this slice
  kRemoteArriving,  ///< requester: other SM; home: this slice
  kRemoteLeaving,   ///< requester: SM of the slice's partition; home: another slice
};

struct ObservedAccess {
  AccessOrigin origin = AccessOrigin::kLocal;
  std::uint64_t address = 0;  ///< physical, of the line
  const MemoryRequest& request;

  bool at_home() const { return origin != AccessOrigin::kRemoteLeaving; }
};

/// Observes the accesses of LLC slices. Must not change their behaviour.
class SliceObserver {
 public:
  virtual ~SliceObserver() = default;
  /// Whether it observes a slice; does not change.
  virtual bool observes(SliceId) const { return true; }
  /// Called once per access: at its lookup, or when it bypasses the arrays.
  virtual void on_access(const ObservedAccess& access) = 0;
};

}  // namespace tessera
