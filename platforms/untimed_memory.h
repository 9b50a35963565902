// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>
#include <vector>

#include "modules/plan/block_handle.h"
#include "modules/protocol/backdoor.h"
#include "platforms/made_blocks.h"
#include "policies/address_map.h"

namespace tessera {

/// Untimed accesses to the memory of a platform by physical address. A read sees the newest bytes,
/// a write changes every copy: the blocks that hold bytes (HoldsBytes) overlay the memory, and
/// their own untimed accesses use the same backdoor.
class UntimedMemory {
 public:
  /// The arguments must outlive it.
  UntimedMemory(const MadeBlocks& blocks, const AddressMap& map);

  /// A debug access within one line. One that no block serves is an SC_FATAL.
  void access(tlm::tlm_command command, std::uint64_t physical, void* data, unsigned length);

 private:
  unsigned access_memory(tlm::tlm_generic_payload& payload);

  const AddressMap& map_;
  std::vector<const BlockHandle*> drams_;
  /// By slice: the slice if it does not expose its bytes to the backdoor; otherwise null.
  std::vector<const BlockHandle*> hidden_bytes_;
  Backdoor backdoor_;
};

}  // namespace tessera
