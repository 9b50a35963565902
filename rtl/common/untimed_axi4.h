// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rtl/common/design.h"

namespace tessera {

// Accesses through the pins above a design, in clock cycles outside of simulated time. No request
// may be in the design. Each beat is a burst of its own, with ID 0.

/// Reads [address, address + bytes). False: an error response, or none within kUntimedLimit cycles.
bool untimed_read(Design& design, std::uint64_t address, unsigned char* to, unsigned bytes);
/// Writes the bytes whose `enables` are not 0; null: all.
bool untimed_write(Design& design, std::uint64_t address, const unsigned char* from,
                   const unsigned char* enables, unsigned bytes);

/// Cycles for which a beat can wait for its response.
inline constexpr unsigned kUntimedLimit = 100'000;

}  // namespace tessera
