// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tlm {
class tlm_generic_payload;
}

namespace tessera {

struct MemoryRequest;

/// Granule of data and operands on the networks of a GPU, in bytes.
inline constexpr std::uint32_t kNocGranule = 8;

/// Bytes of a request's packet, with header (NUBA sections 5.2 and 6): a header for reads; header
/// and data for writes; header and one operand per lane (two for compare-and-swap) for atomics.
/// Data and operands are rounded up to a multiple of `granule` bytes.
std::uint32_t request_packet_bytes(const tlm::tlm_generic_payload& payload,
                                   const MemoryRequest& request, std::uint32_t header_bytes,
                                   std::uint32_t granule = kNocGranule);

/// Bytes of a response's packet: header and line for reads (8 + 128), a header for a write's
/// acknowledgement, header and old values for atomics, header and 8 bytes for a translation.
std::uint32_t response_packet_bytes(const tlm::tlm_generic_payload& payload,
                                    const MemoryRequest& request, std::uint32_t header_bytes,
                                    std::uint32_t granule = kNocGranule);

/// Cycles for which a packet occupies a link of this width: 1 or more.
constexpr std::uint32_t flits_of(std::uint32_t bytes, std::uint32_t link_bytes) {
  return bytes <= link_bytes ? 1 : (bytes + link_bytes - 1) / link_bytes;
}

}  // namespace tessera
