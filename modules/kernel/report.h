// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tessera::report {

// Stable ids of SC_REPORTs that more than one block raises. A block defines its own ids in its
// source. `core` in the ids is older than the rooms kernel and protocol: users filter by ids.
inline constexpr char kMissingExtension[] = "/tessera/core/missing_extension";
inline constexpr char kNotAPacket[] = "/tessera/core/not_a_packet";
inline constexpr char kBadPayload[] = "/tessera/core/bad_payload";
inline constexpr char kConfiguration[] = "/tessera/core/configuration";
inline constexpr char kProtocol[] = "/tessera/core/protocol";
inline constexpr char kRoute[] = "/tessera/core/route";
inline constexpr char kTimeResolution[] = "/tessera/core/time_resolution";
inline constexpr char kInFlight[] = "/tessera/core/in_flight_at_end";

}  // namespace tessera::report
