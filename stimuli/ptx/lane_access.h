// SPDX-License-Identifier: Apache-2.0
#pragma once

// Access to single lanes of a warp's masks and registers, for the files of Warp.

#include <cstdint>
#include <cstdio>
#include <string>

#include "stimuli/ptx/exec.h"
#include "stimuli/warp_program.h"

namespace tessera::ptx {

/// "(1,0,0)".
inline std::string text_of(const Dim3& d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

/// The lowest lane of a mask. Precondition: the mask is not 0.
inline unsigned first_lane(std::uint32_t mask) {
  return static_cast<unsigned>(__builtin_ctz(mask));
}

/// Calls `body` with each lane of the mask, ascending.
template <class Body>
void for_lanes(std::uint32_t mask, Body body) {
  if (mask == kAllLanes) {
    for (unsigned i = 0; i < kWarpLanes; ++i) body(i);
  } else {
    for (; mask != 0; mask &= mask - 1) body(first_lane(mask));
  }
}

/// One lane's cell of a register. T has the size of the register's cells.
template <class T = std::uint32_t>
T cell(const Frame& f, Slot s, unsigned lane) {
  T v;
  __builtin_memcpy(&v, f.at(s) + sizeof(T) * lane, sizeof v);
  return v;
}

/// "0x1f", with at least `digits` digits.
inline std::string hex(std::uint64_t v, int digits = 1) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%0*llx", digits, static_cast<unsigned long long>(v));
  return text;
}

}  // namespace tessera::ptx
