// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/packet.h"

#include <tlm>

#include "modules/protocol/memory_request.h"

namespace tessera {
namespace {

constexpr std::uint32_t rounded(std::uint32_t bytes, std::uint32_t granule) {
  return (bytes + granule - 1) / granule * granule;
}

/// Bytes that the initiator writes: useful_bytes if set, otherwise the whole data length.
std::uint32_t written_bytes(const tlm::tlm_generic_payload& payload, const MemoryRequest& request,
                            std::uint32_t granule) {
  return rounded(request.useful_bytes != 0 ? request.useful_bytes : payload.get_data_length(),
                 granule);
}

std::uint32_t operand_bytes(const tlm::tlm_generic_payload& payload, const MemoryRequest& request,
                            std::uint32_t operands_per_lane, std::uint32_t granule) {
  if (request.atomics == nullptr) {
    return written_bytes(payload, request, granule) * operands_per_lane;
  }
  return rounded(request.atomics->count * atomic_bytes(request.atomics->type) * operands_per_lane,
                 granule);
}

}  // namespace

std::uint32_t request_packet_bytes(const tlm::tlm_generic_payload& payload,
                                   const MemoryRequest& request, std::uint32_t header_bytes,
                                   std::uint32_t granule) {
  switch (request.kind) {
    case RequestKind::kStore:
    case RequestKind::kCoherentStore:
    case RequestKind::kWriteBack:
      return header_bytes + written_bytes(payload, request, granule);
    case RequestKind::kAtomic: {
      const bool swap =
          request.atomics != nullptr && request.atomics->op == AtomicOp::kCompareAndSwap;
      return header_bytes + operand_bytes(payload, request, swap ? 2 : 1, granule);
    }
    case RequestKind::kCoherence:
      return header_bytes + (payload.is_write() ? written_bytes(payload, request, granule) : 0);
    case RequestKind::kLoad:
    case RequestKind::kFill:
    case RequestKind::kTranslation:
    case RequestKind::kProbe:
      break;
  }
  return header_bytes;
}

std::uint32_t response_packet_bytes(const tlm::tlm_generic_payload& payload,
                                    const MemoryRequest& request, std::uint32_t header_bytes,
                                    std::uint32_t granule) {
  switch (request.kind) {
    case RequestKind::kLoad:
    case RequestKind::kFill:
    case RequestKind::kProbe:
      return header_bytes + rounded(payload.get_data_length(), granule);
    case RequestKind::kAtomic:
      return header_bytes + operand_bytes(payload, request, 1, granule);
    case RequestKind::kTranslation:
      return header_bytes + 8;
    case RequestKind::kCoherence:
      return header_bytes + (payload.is_read() ? rounded(payload.get_data_length(), granule) : 0);
    case RequestKind::kStore:
    case RequestKind::kCoherentStore:
    case RequestKind::kWriteBack:
      break;
  }
  return header_bytes;
}

}  // namespace tessera
