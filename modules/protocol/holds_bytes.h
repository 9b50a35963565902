// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "modules/protocol/byte_mask.h"

namespace tessera {

class Backdoor;

/// A block that holds bytes of memory: newer ones than the blocks below it, or copies. Time, state
/// and statistics stay as they are, whatever is called here.
class HoldsBytes {
 public:
  virtual ~HoldsBytes() = default;

  /// Puts those bytes of the line at `address` that are newer here than below over its image.
  virtual void overlay(std::uint64_t address, unsigned char* bytes) = 0;
  /// Writes the masked bytes of the line at `address` to every copy that the block holds, cached or
  /// on its way to it or from it.
  virtual void replace(std::uint64_t address, const unsigned char* bytes, const ByteMask& mask) = 0;
  /// Untimed accesses that reach the block go through `backdoor` from now on, which outlives it.
  /// Before, they go through the block's own: the block, and what its sockets lead to.
  virtual void use(Backdoor& backdoor) = 0;
};

}  // namespace tessera
