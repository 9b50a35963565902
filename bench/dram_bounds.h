// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/memory/dram_config.h"

namespace tessera::bench {

/// Data clocks of the bus as a part of all clocks, of a channel whose queue is always full.
struct DramShare {
  std::string pattern;
  double bound = 0;  ///< from the timing parameters alone
  double model = 0;
};

/// Streams over one open row in each bank group, random lines, and rows of one bank in turn. No
/// pattern can exceed its bound.
std::vector<DramShare> dram_shares(const DramConfig& config, std::uint32_t line_bytes = 128);

}  // namespace tessera::bench
