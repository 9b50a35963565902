// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <tlm>
#include <vector>

#include "modules/protocol/byte_mask.h"
#include "modules/protocol/holds_bytes.h"
#include "modules/protocol/memory_request.h"

namespace tessera {

/// Untimed access to memory and to all that holds bytes above it: reads give the newest bytes
/// wherever they are cached or being written back, writes reach memory and every copy. A timed
/// store counts from when its line's home performs it.
///
/// Behind transport_dbg (access_debug()) and b_transport (access()) of caches. A platform has one
/// over all its blocks; a block by itself has one of its own, over what its sockets lead to.
class Backdoor {
 public:
  using Payload = tlm::tlm_generic_payload;
  /// A debug access below all holders, within one line; returns the bytes served.
  using Memory = std::function<unsigned(Payload&)>;

  Backdoor(std::uint32_t line_bytes, Memory memory);

  /// Adds a holder that is nearer to the requesters than all those before.
  void add(HoldsBytes& holder) { holders_.push_back(&holder); }

  /// transport_dbg: returns the bytes served, up to the end of the first line. Byte enables do not
  /// count.
  unsigned access_debug(Payload& payload);
  /// b_transport's values, within one line: byte enables count, and an atomic (MemoryRequest::
  /// atomics) is performed once, its old values returned. Sets the response status:
  /// TLM_ADDRESS_ERROR_RESPONSE where memory does not serve the line. A request that does not carry
  /// data changes nothing.
  void access(Payload& payload);

  /// The line's newest bytes go to memory and to every holder.
  void settle(std::uint64_t address);

 private:
  /// The line's bytes [offset, offset + count), at their offsets in `image`. False: not served.
  bool read(std::uint64_t line, unsigned offset, unsigned count, unsigned char* image);
  bool write(std::uint64_t line, const unsigned char* image, const ByteMask& mask);
  unsigned reach_memory(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                        unsigned count);

  const std::uint32_t line_bytes_;
  const Memory memory_;
  std::vector<HoldsBytes*> holders_;
};

/// What the line at `address` has become below, after an untimed write that passed a holder, for
/// the holder's copies.
void refresh_copy(HoldsBytes& holder, std::uint64_t address, std::uint32_t line_bytes,
                  const Backdoor::Memory& below);

}  // namespace tessera
