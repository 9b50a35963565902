// SPDX-License-Identifier: Apache-2.0
#include "modules/bridge/axi4_rules.h"

#include <iomanip>

namespace tessera {

const char* name_of(Axi4Channel channel) {
  constexpr std::array<const char*, kAxi4Channels> kNames = {"AW", "W", "B", "AR", "R"};
  return kNames[static_cast<std::size_t>(channel)];
}

const std::array<Axi4RuleInfo, static_cast<std::size_t>(Axi4Rule::kCount)>& axi4_rules() {
  using R = Axi4Rule;
  static constexpr std::array<Axi4RuleInfo, static_cast<std::size_t>(R::kCount)> kRules = {{
      {R::kValidHeld, "valid_held", "VALID stays set until READY", "A3.2.1"},
      {R::kPayloadStable, "payload_stable",
       "the payload does not change while VALID waits for READY", "A3.2.1"},
      {R::kValidInReset, "valid_in_reset", "VALID is low in reset and at the first edge after it",
       "A3.1.2"},
      {R::kBurstReserved, "burst_reserved", "AxBURST is not 3", "A3.4.1"},
      {R::kSizeOfBus, "size_of_bus", "a beat is not wider than the data bus", "A3.4.1"},
      {R::kPageCrossed, "page_crossed", "a burst does not cross a 4 KB boundary", "A3.4.1"},
      {R::kWrapLength, "wrap_length", "a WRAP burst has 2, 4, 8 or 16 beats", "A3.4.1"},
      {R::kWrapAligned, "wrap_aligned", "a WRAP burst starts at a multiple of its beat size",
       "A3.4.1"},
      {R::kFixedLength, "fixed_length", "a FIXED burst has at most 16 beats", "A3.4.1"},
      {R::kCacheReserved, "cache_reserved",
       "AxCACHE has no allocate bit unless the access is modifiable", "A4.4"},
      {R::kIdWidth, "id_width", "the ID fits its pins", "A2.2"},
      {R::kAddressWidth, "address_width", "the address fits its pins", "A2.2"},
      {R::kExclusiveBytes, "exclusive_bytes", "an exclusive access has 1, 2, 4, ... or 128 bytes",
       "A7.2.4"},
      {R::kExclusiveAligned, "exclusive_aligned",
       "an exclusive access is aligned to its number of bytes", "A7.2.4"},
      {R::kExclusiveLength, "exclusive_length", "an exclusive access has at most 16 beats",
       "A7.2.4"},
      {R::kWriteLastEarly, "write_last_early", "WLAST is low before beat AWLEN", "A3.2.2"},
      {R::kWriteLastMissing, "write_last_missing", "WLAST is set at beat AWLEN", "A3.2.2"},
      {R::kStrobeLanes, "strobe_lanes", "WSTRB is set only in byte lanes of the beat", "A3.4.3"},
      {R::kStrobeGaps, "strobe_gaps", "optional: WSTRB is one run of lanes", "-"},
      {R::kResponseWithoutWrite, "response_without_write", "a response has an outstanding write",
       "A3.3.1"},
      {R::kResponseId, "response_id", "BID is the ID of an outstanding write", "A5.2"},
      {R::kResponseBeforeData, "response_before_data",
       "a response follows the address and the last data of its write", "A3.3.1"},
      {R::kResponseOrder, "response_order", "responses of an ID are in the order of its writes",
       "A5.3"},
      {R::kResponseExOkay, "response_exokay", "EXOKAY is only for an exclusive write", "A7.2.3"},
      {R::kResponseError, "response_error", "optional: BRESP is not SLVERR or DECERR", "A3.4.4"},
      {R::kReadWithoutRequest, "read_without_request", "read data has an outstanding read",
       "A3.3.1"},
      {R::kReadId, "read_id", "RID is the ID of an outstanding read", "A5.2"},
      {R::kReadLastEarly, "read_last_early", "RLAST is low before beat ARLEN", "A3.2.2"},
      {R::kReadLastMissing, "read_last_missing", "RLAST is set at beat ARLEN", "A3.2.2"},
      {R::kReadOrder, "read_order", "bursts of an ID are in the order of its reads", "A5.3"},
      {R::kReadExOkay, "read_exokay", "EXOKAY is only for an exclusive read", "A7.2.3"},
      {R::kReadError, "read_error", "optional: RRESP is not SLVERR or DECERR", "A3.4.4"},
      {R::kHandshakeLimit, "handshake_limit",
       "VALID waits for READY at most handshake_limit cycles", "-"},
      {R::kWriteDataLimit, "write_data_limit",
       "the data of a write follows its address within response_limit cycles", "-"},
      {R::kWriteAddressLimit, "write_address_limit",
       "the address of a write follows its data within response_limit cycles", "-"},
      {R::kResponseLimit, "response_limit",
       "the response follows a write's data within response_limit cycles", "-"},
      {R::kReadLimit, "read_limit",
       "each beat of a read follows the one before within response_limit cycles", "-"},
      {R::kOutstandingAtEnd, "outstanding_at_end", "nothing is outstanding at the end of the run",
       "-"},
  }};
  return kRules;
}

const Axi4RuleInfo& info_of(Axi4Rule rule) { return axi4_rules()[static_cast<std::size_t>(rule)]; }

void print_axi4_rules(std::ostream& out) {
  for (const Axi4RuleInfo& r : axi4_rules()) {
    out << std::left << std::setw(24) << r.name << std::setw(8) << r.section << r.description
        << '\n';
  }
}

}  // namespace tessera
