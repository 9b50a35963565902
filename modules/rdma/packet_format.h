// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "modules/noc/packet.h"

namespace tlm {
class tlm_generic_payload;
}

namespace tessera {

struct MemoryRequest;

/// Sizes of the packets between RDMA engines, in bytes (table: docs/blocks/rdma.md).
///
/// A granule is `transfer_bytes` of a line, naturally aligned: the unit of a fine-grained response.
/// Defaults: 4-byte granules with 2-byte ids, ten in a packet of 64 bytes (DualOpt section 4.1.3,
/// figure 9); header sizes are from MGPUSim.
struct PacketFormat {
  /// Written bytes and operands are rounded up to a multiple of this size (ours).
  static constexpr std::uint32_t kWriteGranule = 4;
  static constexpr std::uint32_t kPieceBytes = 4;  ///< word size of MemoryRequest::word_mask

  std::uint32_t request_header_bytes = 12;
  std::uint32_t response_header_bytes = 4;
  std::uint32_t payload_bytes = 64;
  std::uint32_t transfer_bytes = 4;
  std::uint32_t id_bytes = 2;

  /// Number of granules that hold at least one of the requested 4-byte words.
  std::uint32_t granules(std::uint32_t word_mask) const {
    const std::uint32_t group = transfer_bytes / kPieceBytes;
    std::uint32_t count = 0;
    for (std::uint32_t first = 0; first < 32; first += group) {
      if ((word_mask >> first & ((std::uint64_t{1} << group) - 1)) != 0) ++count;
    }
    return count;
  }
  /// Maximum number of granules in a coalesced packet; each has its own id.
  std::uint32_t granules_per_packet() const { return payload_bytes / (transfer_bytes + id_bytes); }

  /// Size of a request: the header, and for stores and atomics the written bytes or operands.
  std::uint32_t request_bytes(const tlm::tlm_generic_payload& payload,
                              const MemoryRequest& request) const {
    return request_packet_bytes(payload, request, request_header_bytes, kWriteGranule);
  }
  /// Size of a conventional response: the line, an acknowledgement, or an atomic's old values.
  std::uint32_t answer_bytes(const tlm::tlm_generic_payload& payload,
                             const MemoryRequest& request) const {
    return response_packet_bytes(payload, request, response_header_bytes, kWriteGranule);
  }
  /// Size of a packet with one fine-grained response, whose id is in the header.
  std::uint32_t fine_grained_bytes(std::uint32_t granules) const {
    return response_header_bytes + granules * transfer_bytes;
  }
  /// Size of a packet with two or more fine-grained responses of `granules` granules in total.
  std::uint32_t coalesced_bytes(std::uint32_t granules) const {
    return response_header_bytes + granules * (transfer_bytes + id_bytes);
  }
};

}  // namespace tessera
