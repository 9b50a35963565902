// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/json_fwd.h"

namespace tessera {

/// What a run has used of the machine that simulates it.
struct HostUsage {
  double seconds = 0;              ///< from the run's begin to its end
  unsigned threads = 1;            ///< that run GPUs
  std::uint64_t transactions = 0;  ///< of the pool
  std::uint64_t warp_instructions = 0;
};

/// The section "host" of stats.json, with the date and with the CPU time and memory of this process
/// so far.
nlohmann::ordered_json host_section(const std::vector<std::string>& command_line,
                                    const HostUsage& usage);

}  // namespace tessera
