// SPDX-License-Identifier: Apache-2.0
#pragma once

// Energy of the blocks of a GPU: event counts times energy per event, plus static power times run
// time. Takes the place of GPUWattch in NUBA section 6. See docs/blocks/power.md.

#include <cstdint>

#include "modules/power/noc_power.h"
#include "modules/power/power_config.h"

namespace tessera {

struct Energy {
  double dynamic_j = 0;
  double static_j = 0;

  double total_j() const { return dynamic_j + static_j; }
  Energy& operator+=(const Energy& other) {
    dynamic_j += other.dynamic_j;
    static_j += other.static_j;
    return *this;
  }
};

/// Energy of an SM without its L1. `lane_operations`: instructions times their active lanes. The
/// energy of an operation includes registers, operand delivery and issue; shared memory is not
/// modelled separately.
Energy sm_energy(const PowerConfig& config, double lane_operations, double seconds);

struct CacheActivity {
  double accesses = 0;        ///< reads and writes of a whole line
  double line_bytes = 0;      ///< bytes per access
  double capacity_bytes = 0;  ///< data only; tags are not modelled
};
/// Capacity of a data array.
inline double cache_bytes(std::uint64_t sets, std::uint64_t ways, std::uint64_t line_bytes) {
  return static_cast<double>(sets * ways * line_bytes);
}
Energy cache_energy(const PowerConfig& config, const CacheActivity& activity, double seconds);

struct DramActivity {
  double activates = 0;
  double refreshes = 0;
  double bytes = 0;  ///< read and written
  double row_bytes = 0;
};
/// Energy of one channel.
Energy dram_energy(const PowerConfig& config, const DramActivity& activity, double seconds);

/// Energy of one direction of a network. `bytes`: size of all delivered packets.
Energy network_energy(const NetworkPower& power, double bytes, double seconds);

}  // namespace tessera
