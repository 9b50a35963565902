// SPDX-License-Identifier: Apache-2.0
#include "platforms/untimed_memory.h"

#include "modules/plan/block_kind.h"
#include "modules/protocol/holds_bytes.h"

namespace tessera {

/// The blocks that hold bytes are added from the memory side to the SM side.
UntimedMemory::UntimedMemory(const MadeBlocks& blocks, const AddressMap& map)
    : map_(map),
      drams_(blocks.of_kind("dram")),
      backdoor_(map.geometry().line_bytes,
                [this](tlm::tlm_generic_payload& p) { return access_memory(p); }) {
  for (const BlockHandle* slice : blocks.of_kind("llc")) {
    hidden_bytes_.push_back(slice->find<HoldsBytes>() == nullptr ? slice : nullptr);
  }
  for (const BlockKind* kind : kinds_from_memory()) {
    for (const BlockHandle* block : blocks.of_kind(kind->name)) {
      auto* const bytes = block->find<HoldsBytes>();
      if (bytes == nullptr) continue;
      backdoor_.add(*bytes);
      bytes->use(backdoor_);
    }
  }
}

/// Debug access below all blocks of the backdoor: to the line's channel, or to a home slice that
/// does not expose its bytes.
unsigned UntimedMemory::access_memory(tlm::tlm_generic_payload& payload) {
  if (payload.get_address() >= map_.geometry().total_bytes()) return 0;
  const Location where = map_.locate(payload.get_address());
  const BlockHandle* lowest = drams_[where.channel.value];
  if (!hidden_bytes_.empty() && hidden_bytes_[where.slice.value] != nullptr) {
    lowest = hidden_bytes_[where.slice.value];
  }
  return lowest->in.front()->get_base_interface().transport_dbg(payload);
}

void UntimedMemory::access(tlm::tlm_command command, std::uint64_t physical, void* data,
                           unsigned length) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(physical);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(length);
  payload.set_streaming_width(length);
  if (backdoor_.access_debug(payload) != length) {
    SC_REPORT_FATAL("/tessera/platform/debug_access", "a debug access was not served");
  }
}

}  // namespace tessera
