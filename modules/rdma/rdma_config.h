// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/parameter_visitor.h"
#include "modules/kernel/stats.h"
#include "modules/rdma/packet_format.h"

namespace tessera {

/// Defaults are from DualOpt Table 1 if it has a value, otherwise from MGPUSim.
struct RdmaConfig {
  std::uint64_t clock_hz = 1'000'000'000;
  std::uint32_t latency_cycles = 1;    ///< of an engine, in each direction
  std::uint32_t port_depth = 128;      ///< input queue entries, per input
  std::uint32_t outgoing_depth = 64;   ///< queued packets for the fabric, per class
  std::uint32_t staging_entries = 64;  ///< staged responses, per other GPU
  std::uint32_t timeout_cycles = 30;   ///< of a response in a staging buffer
  std::uint32_t request_header_bytes = PacketFormat{}.request_header_bytes;
  std::uint32_t response_header_bytes = PacketFormat{}.response_header_bytes;
  std::uint32_t packet_payload_bytes = PacketFormat{}.payload_bytes;
  std::uint32_t transfer_bytes = PacketFormat{}.transfer_bytes;  ///< 4, 8 or 16
  std::uint32_t id_bytes = PacketFormat{}.id_bytes;
  bool ideal_coalescing = false;  ///< count the reads that an infinite merge buffer would merge

  PacketFormat format() const {
    return {request_header_bytes, response_header_bytes, packet_payload_bytes, transfer_bytes,
            id_bytes};
  }
  /// All configuration errors; empty if the configuration is valid.
  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, RdmaConfig& c);

/// Counters of an RDMA engine. "Out" is the direction to other GPUs. Cycles are those of the
/// engine's clock.
struct RdmaStats {
  Counter requests_out = 0;
  Counter requests_in = 0;
  Counter reads_out = 0;
  Counter writes_out = 0;
  Counter atomics_out = 0;
  Counter packets_out_request = 0;
  Counter packets_out_response = 0;
  Counter bytes_out_request = 0;
  Counter bytes_out_line = 0;
  Counter bytes_out_fine_grained = 0;
  Counter bytes_out_coalesced = 0;
  Counter bytes_out_ack = 0;
  Counter coalesced_packets = 0;
  Counter coalesced_responses = 0;
  Counter timeouts = 0;
  Histogram responses_per_packet;
  Histogram remote_read_words;
  Counter pre_link_cycles = 0;
  Counter link_request_cycles = 0;
  Counter link_response_cycles = 0;
  Counter remote_reads_served = 0;
  Counter mergeable_reads = 0;
};

void describe(StatisticsVisitor& v, RdmaStats& s);

}  // namespace tessera
