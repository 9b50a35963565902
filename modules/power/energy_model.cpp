// SPDX-License-Identifier: Apache-2.0
#include "modules/power/energy_model.h"

#include "modules/power/units.h"

namespace tessera {

Energy sm_energy(const PowerConfig& c, double lane_operations, double seconds) {
  return {lane_operations * c.sm_lane_operation_pj * kPico, c.sm_static_w * seconds};
}

Energy cache_energy(const PowerConfig& c, const CacheActivity& a, double seconds) {
  return {a.accesses * a.line_bytes * 8 * sram_joule_per_bit(c, a.capacity_bytes),
          a.capacity_bytes * 8 * c.sram_leakage_nw * kNano * seconds};
}

Energy dram_energy(const PowerConfig& c, const DramActivity& a, double seconds) {
  const double rows = a.activates + a.refreshes * c.dram_refresh_rows;
  const double picojoule =
      rows * a.row_bytes * c.dram_row_pj_per_byte + a.bytes * 8 * c.dram_transfer_pj_per_bit;
  return {picojoule * kPico, c.dram_static_w * seconds};
}

Energy network_energy(const NetworkPower& power, double bytes, double seconds) {
  return {bytes * 8 * power.joule_per_bit(), power.static_w() * seconds};
}

}  // namespace tessera
