// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "modules/protocol/byte_mask.h"

namespace tessera {

/// A ready/valid channel that carries requests for lines. A request transfers at a clock edge at
/// which `valid` and `ready` are set. Bytes are not copied: `data` must stay as it is until then.
struct LineRequestPins {
  bool valid = false;
  bool ready = false;
  bool space = false;  ///< the receiver takes what is on the channel after this edge
  bool write = false;
  std::uint32_t id = 0;                 ///< returned with the response
  std::uint64_t address = 0;            ///< of the line's first byte
  ByteMask mask;                        ///< write: the bytes to write
  const unsigned char* data = nullptr;  ///< write: a line's bytes
  std::uint32_t user = 0;               ///< further wires, as the block defines them
};

/// A ready/valid channel that carries the responses.
struct LineResponsePins {
  bool valid = false;
  bool ready = false;
  bool space = false;  ///< the receiver takes what is on the channel after this edge
  bool write = false;  ///< acknowledges a write
  bool error = false;
  std::uint32_t id = 0;
  const unsigned char* data = nullptr;  ///< read: a line's bytes
};

}  // namespace tessera
