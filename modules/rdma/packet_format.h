// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>

#include "modules/core/memory_request.h"
#include "modules/noc/packet.h"

namespace tessera {

/// Sizes of what travels between RDMA engines, in bytes (docs/blocks/rdma.md has the table).
///
/// A granule is `transfer_bytes` of a line, naturally aligned: the least that a fine-grained answer
/// carries. Defaults: 4-byte granules and 2-byte ids, ten of them in the 64 bytes of a packet
/// (DualOpt section 4.1.3, figure 9); headers are MGPUSim's.
struct PacketFormat {
  /// Written bytes and operands are rounded up to this (ours).
  static constexpr std::uint32_t kWriteGranule = 4;
  static constexpr std::uint32_t kPieceBytes = 4;  ///< of MemoryRequest::pieces

  std::uint32_t request_header_bytes = 12;
  std::uint32_t response_header_bytes = 4;
  std::uint32_t payload_bytes = 64;
  std::uint32_t transfer_bytes = 4;
  std::uint32_t id_bytes = 2;

  /// Granules that hold at least one of the wanted 4-byte pieces.
  std::uint32_t granules(std::uint32_t word_mask) const {
    const std::uint32_t group = transfer_bytes / kPieceBytes;
    std::uint32_t count = 0;
    for (std::uint32_t first = 0; first < 32; first += group) {
      if ((word_mask >> first & ((std::uint64_t{1} << group) - 1)) != 0) ++count;
    }
    return count;
  }
  /// Granules that fit a coalesced packet at most; each has an id of its own.
  std::uint32_t granules_per_packet() const { return payload_bytes / (transfer_bytes + id_bytes); }

  /// A request: a header alone for what reads; with it the written bytes or the operands.
  std::uint32_t request_bytes(const tlm::tlm_generic_payload& payload,
                              const MemoryRequest& request) const {
    return request_packet_bytes(payload, request, request_header_bytes, kWriteGranule);
  }
  /// A conventional answer: the line, an acknowledgement, or an atomic's old values.
  std::uint32_t answer_bytes(const tlm::tlm_generic_payload& payload,
                             const MemoryRequest& request) const {
    return reply_packet_bytes(payload, request, response_header_bytes, kWriteGranule);
  }
  /// One fine-grained answer alone: its id stands in the header.
  std::uint32_t fine_grained_bytes(std::uint32_t granules) const {
    return response_header_bytes + granules * transfer_bytes;
  }
  /// Two or more fine-grained answers, of so many granules together.
  std::uint32_t coalesced_bytes(std::uint32_t granules) const {
    return response_header_bytes + granules * (transfer_bytes + id_bytes);
  }
};

}  // namespace tessera
