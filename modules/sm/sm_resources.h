// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "stimuli/warp_program.h"

namespace tessera {

/// What CTAs occupy of an SM, or what an SM has.
struct SmResources {
  std::uint32_t ctas = 0;
  std::uint32_t warps = 0;
  std::uint32_t threads = 0;
  std::uint32_t registers = 0;
  std::uint32_t shared_bytes = 0;

  /// Of one CTA. Registers are allocated to whole warps; their number saturates.
  static SmResources of(const CtaResources& cta) {
    SmResources r;
    r.ctas = 1;
    r.warps = (cta.threads + kWarpLanes - 1) / kWarpLanes;
    r.threads = cta.threads;
    r.registers = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(std::uint64_t{cta.registers_per_thread} * r.warps * kWarpLanes,
                                std::numeric_limits<std::uint32_t>::max()));
    r.shared_bytes = cta.shared_bytes;
    return r;
  }

  SmResources& operator+=(const SmResources& other) {
    for (const auto r : kAll) this->*r += other.*r;
    return *this;
  }
  SmResources& operator-=(const SmResources& other) {
    for (const auto r : kAll) this->*r -= other.*r;
    return *this;
  }
  /// Whether `each` fits beside `used`, which fits.
  bool has_room_for(const SmResources& each, const SmResources& used) const {
    return std::all_of(kAll.begin(), kAll.end(),
                       [&](auto r) { return each.*r <= this->*r - used.*r; });
  }
  /// How often `each` fits; 0 for a CTA without threads.
  std::uint32_t room_for(const SmResources& each) const {
    if (each.warps == 0) return 0;
    std::uint32_t n = std::numeric_limits<std::uint32_t>::max();
    for (const auto r : kAll) {
      if (each.*r != 0) n = std::min(n, this->*r / (each.*r));
    }
    return n;
  }

 private:
  static const std::array<std::uint32_t SmResources::*, 5> kAll;
};

inline constexpr std::array<std::uint32_t SmResources::*, 5> SmResources::kAll = {
    &SmResources::ctas, &SmResources::warps, &SmResources::threads, &SmResources::registers,
    &SmResources::shared_bytes};

}  // namespace tessera
