// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera {

/// The virtual channel of a packet between GPUs. Responses have their own channel, so that requests
/// never block them; otherwise GPUs that wait for each other could deadlock.
enum class PacketClass : std::uint8_t { kRequest, kResponse };
inline constexpr unsigned kPacketClasses = 2;

/// Maximum number of responses in a packet.
inline constexpr std::size_t kMostInPacket = 32;

}  // namespace tessera
