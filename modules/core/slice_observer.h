// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tessera {

/// Whose access to which line a slice sees.
enum class AccessOrigin : std::uint8_t {
  kLocal,           ///< the slice's own SMs, a line whose home it is
  kRemoteArriving,  ///< other SMs, a line whose home it is
  kRemoteLeaving,   ///< the slice's own SMs, another slice's line
};

/// Watches the accesses of one LLC slice. Must not change the slice's behaviour.
class SliceObserver {
 public:
  virtual ~SliceObserver() = default;
  /// Called once an access: at its lookup, or when it goes round the arrays. `set_index`: the
  /// line's number within its home slice, from which set indices are made.
  virtual void on_access(std::uint64_t set_index, std::uint64_t line, AccessOrigin origin,
                         bool read_only) = 0;
};

}  // namespace tessera
