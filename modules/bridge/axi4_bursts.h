// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "modules/bridge/axi4_pins.h"

namespace tessera {

/// Whether a WRAP burst of AXI4 can have this many beats (A3.4.1).
constexpr bool is_wrap_length(std::uint64_t beats) {
  return beats == 2 || beats == 4 || beats == 8 || beats == 16;
}

/// The INCR bursts that transfer `bytes` (1 or more) from base.addr, split at 4 KB boundaries and
/// after 256 beats. Other fields are those of `base`.
std::vector<Axi4Address> incr_bursts(const Axi4Address& base, std::uint64_t bytes);

/// Whether `bytes` from base.addr are the bytes of a WRAP burst.
bool fits_wrap(const Axi4Address& base, std::uint64_t bytes);

/// The WRAP burst of `bytes` from base.addr that begins with the beat of byte `critical`.
/// Precondition: fits_wrap().
Axi4Address wrap_burst(Axi4Address base, std::uint64_t bytes, std::uint64_t critical);

}  // namespace tessera
