// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/core/parameters.h"

namespace tessera {

/// Defaults are NUBA section 5.1's.
struct MdrConfig {
  /// The paper's footnote: 4 divisions of 25 cycles, 4 multiplications of 3, 2 additions and 2
  /// comparisons of 1.
  static constexpr std::uint32_t kModelCycles = 4 * 25 + 4 * 3 + 2 * 1 + 2 * 1;
  /// Of a profiled tag, in hardware. (Ours compare whole line numbers.)
  static constexpr std::uint32_t kTagBits = 24;

  std::uint64_t clock_hz = 1'400'000'000;
  std::uint64_t epoch_cycles = 20'000;
  std::uint32_t evaluation_cycles = kModelCycles;
  std::uint32_t sampled_sets = 8;
  std::uint32_t sampled_slice = 0;

  /// Profiling state of the hardware, the tags of the policy that is not running: 384 bytes for
  /// the paper's 8 sets of 16 ways. (The other policy's tags are those of the slice itself.)
  std::uint64_t profiling_bytes(std::uint32_t ways) const {
    return std::uint64_t{sampled_sets} * ways * kTagBits / 8;
  }

  /// Every fault, in words; empty when sound.
  std::vector<std::string> validate() const;
  /// Also whether there are so many sets in a slice, and so many slices.
  std::vector<std::string> validate(std::uint32_t sets, std::uint32_t slices) const;
};

void describe(ParameterVisitor& v, MdrConfig& c);

}  // namespace tessera
