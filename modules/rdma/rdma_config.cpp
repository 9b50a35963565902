// SPDX-License-Identifier: Apache-2.0
#include "modules/rdma/rdma_config.h"

#include "modules/protocol/packet_class.h"

namespace tessera {

std::vector<std::string> RdmaConfig::validate() const {
  std::vector<std::string> errors;
  const auto at_least_one = [&](std::uint64_t value, const char* name) {
    if (value == 0) errors.push_back(std::string("rdma.") + name + " must be at least 1");
  };
  at_least_one(clock_hz, "clock_hz");
  at_least_one(latency_cycles, "latency_cycles");
  at_least_one(port_depth, "port_depth");
  at_least_one(outgoing_depth, "outgoing_depth");
  at_least_one(staging_entries, "staging_entries");
  at_least_one(request_header_bytes, "request_header_bytes");
  at_least_one(response_header_bytes, "response_header_bytes");
  if (transfer_bytes != 4 && transfer_bytes != 8 && transfer_bytes != 16) {
    errors.emplace_back("rdma.transfer_bytes must be 4, 8 or 16 (DualOpt section 6.2)");
    return errors;
  }
  const std::uint32_t most = format().granules_per_packet();
  if (most == 0 || most > kMostInPacket) {
    const std::uint32_t one = transfer_bytes + id_bytes;
    errors.push_back("rdma.packet_payload_bytes (" + std::to_string(packet_payload_bytes) +
                     ") must hold 1 to " + std::to_string(kMostInPacket) +
                     " times rdma.transfer_bytes + rdma.id_bytes (" + std::to_string(one) +
                     "); it holds " + std::to_string(most) + ": " + std::to_string(one) + " to " +
                     std::to_string(one * (kMostInPacket + 1) - 1) + " bytes would do");
  }
  return errors;
}

void describe(ParameterVisitor& v, RdmaConfig& c) {
  v.integer("clock_hz", c.clock_hz, "Hz", "clock of the engine (MGPUSim)", 1'000'000,
            100'000'000'000);
  v.integer("latency_cycles", c.latency_cycles, "cycle", "through the engine, each way (ours)", 1,
            1000);
  v.integer("port_depth", c.port_depth, "message",
            "requests, packets or responses that stand before the engine, for each input (MGPUSim)",
            1, 65536);
  v.integer("outgoing_depth", c.outgoing_depth, "packet",
            "packets that stand before the fabric, for each class (MGPUSim)", 1, 65536);
  v.integer("staging_entries", c.staging_entries, "response",
            "a staging buffer, one for each other GPU (DualOpt Table 1)", 1, 65536);
  v.integer(
      "timeout_cycles", c.timeout_cycles, "cycle",
      "after which a response in a staging buffer leaves with what there is (DualOpt Table 1)", 0,
      1'000'000);
  v.integer("request_header_bytes", c.request_header_bytes, "byte",
            "header of a request packet (MGPUSim)", 1, 256);
  v.integer("response_header_bytes", c.response_header_bytes, "byte",
            "header of a response packet (MGPUSim)", 1, 256);
  v.integer("packet_payload_bytes", c.packet_payload_bytes, "byte",
            "room in a coalesced packet (DualOpt figure 9)", 1, 1024);
  v.integer("transfer_bytes", c.transfer_bytes, "byte",
            "granularity of fine-grained responses: 4, 8 or 16 (DualOpt sections 4.1.3, 6.2)", 4,
            16);
  v.integer("id_bytes", c.id_bytes, "byte",
            "id of each granule in a coalesced packet (DualOpt section 4.1.3)", 0, 16);
  v.flag("ideal_coalescing", c.ideal_coalescing,
         "count the reads that an infinite merge buffer would save (DualOpt figure 6; takes host "
         "memory)");
}

}  // namespace tessera
