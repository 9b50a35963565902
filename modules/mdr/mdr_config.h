// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/parameter_visitor.h"

namespace tessera {

/// Defaults are from NUBA section 5.1.
struct MdrConfig {
  /// Duration of the model's evaluation, from the paper's footnote: 4 divisions of 25 cycles, 4
  /// multiplications of 3, 2 additions and 2 comparisons of 1.
  static constexpr std::uint32_t kModelCycles = 4 * 25 + 4 * 3 + 2 * 1 + 2 * 1;
  /// Width of a profiled tag in hardware. The model compares complete line numbers.
  static constexpr std::uint32_t kTagBits = 24;

  std::uint64_t clock_hz = 1'400'000'000;
  std::uint64_t epoch_cycles = 20'000;
  std::uint32_t evaluation_cycles = kModelCycles;
  std::uint32_t sampled_sets = 8;
  std::uint32_t sampled_slice = 0;
  /// Whether the estimate of full replication includes its transient costs: misses of copies that
  /// slices do not hold yet, and the flush at each kernel's end. Ours; the paper's model (section
  /// 5.1) has neither.
  bool transient_costs = false;

  /// Profiling state of the hardware: the tags of the policy that is not in use, 384 bytes for the
  /// paper's 8 sets of 16 ways. (The tags of the policy in use are those of the slice itself.)
  std::uint64_t profiling_bytes(std::uint32_t ways) const {
    return std::uint64_t{sampled_sets} * ways * kTagBits / 8;
  }

  /// All configuration errors; empty if the configuration is valid.
  std::vector<std::string> validate() const;
  /// Also checks `sampled_sets` and `sampled_slice` against the sets of a slice and the slices.
  std::vector<std::string> validate(std::uint32_t sets, std::uint32_t slices) const;
};

void describe(ParameterVisitor& v, MdrConfig& c);

}  // namespace tessera
