// SPDX-License-Identifier: Apache-2.0
#pragma once

// Source lanes of shfl (PTX ISA 9.7.9.6).

#include <cstdint>

namespace tessera::ptx {

enum class Shuffle : std::uint8_t { kUp, kDown, kButterfly, kIndex };

struct ShuffleSource {
  std::uint32_t lane = 0;  ///< the reading lane itself if the source is out of range
  bool in_range = false;
};

/// The source of `lane`. `b`: lane or offset. `c`: clamp (bits 0 to 4) and segment mask (bits 8 to
/// 12).
constexpr ShuffleSource shuffle_source(Shuffle mode, std::uint32_t lane, std::uint32_t b,
                                       std::uint32_t c) {
  const std::uint32_t segment = c >> 8 & 31u;
  const std::uint32_t clamp = c & 31u;
  const std::uint32_t n = b & 31u;
  const std::uint32_t last = (lane & segment) | (clamp & ~segment);
  std::uint32_t from = lane;
  bool valid = false;
  switch (mode) {
    case Shuffle::kUp:
      valid = static_cast<std::int32_t>(lane) - static_cast<std::int32_t>(n) >=
              static_cast<std::int32_t>(last);
      from = lane - n;
      break;
    case Shuffle::kDown:
      from = lane + n;
      valid = from <= last;
      break;
    case Shuffle::kButterfly:
      from = lane ^ n;
      valid = from <= last;
      break;
    case Shuffle::kIndex:
      from = (lane & segment) | (n & ~segment);
      valid = from <= last;
      break;
  }
  return {valid ? from & 31u : lane, valid};
}

}  // namespace tessera::ptx
