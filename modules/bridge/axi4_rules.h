// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>

namespace tessera {

enum class Axi4Channel : std::uint8_t { kAw, kW, kB, kAr, kR };
inline constexpr std::size_t kAxi4Channels = 5;

/// "AW", "W", "B", "AR" or "R".
const char* name_of(Axi4Channel channel);

/// The rules of Axi4Checker. Rules of the handshake hold for each of the five channels, rules of
/// addresses for AW and AR: a violation gives the channel.
enum class Axi4Rule : std::uint8_t {
  kValidHeld,
  kPayloadStable,
  kValidInReset,
  kBurstReserved,
  kSizeOfBus,
  kPageCrossed,
  kWrapLength,
  kWrapAligned,
  kFixedLength,
  kCacheReserved,
  kIdWidth,
  kAddressWidth,
  kExclusiveBytes,
  kExclusiveAligned,
  kExclusiveLength,
  kWriteLastEarly,
  kWriteLastMissing,
  kStrobeLanes,
  kStrobeGaps,
  kResponseWithoutWrite,
  kResponseId,
  kResponseBeforeData,
  kResponseOrder,
  kResponseExOkay,
  kResponseError,
  kReadWithoutRequest,
  kReadId,
  kReadLastEarly,
  kReadLastMissing,
  kReadOrder,
  kReadExOkay,
  kReadError,
  kHandshakeLimit,
  kWriteDataLimit,
  kWriteAddressLimit,
  kResponseLimit,
  kReadLimit,
  kOutstandingAtEnd,
  kCount,
};

struct Axi4RuleInfo {
  Axi4Rule rule;
  const char* name;
  const char* description;
  /// Section of the AMBA AXI4 specification, IHI 0022 issue E; "-": a limit of the checker.
  const char* section;
};

/// All rules, in the order of Axi4Rule.
const std::array<Axi4RuleInfo, static_cast<std::size_t>(Axi4Rule::kCount)>& axi4_rules();
const Axi4RuleInfo& info_of(Axi4Rule rule);
/// One line per rule: name, section, description.
void print_axi4_rules(std::ostream& out);

}  // namespace tessera
