// SPDX-License-Identifier: Apache-2.0
#include "modules/power/power_config.h"

#include "common/json.h"
#include "modules/kernel/parameters.h"

namespace tessera {

std::vector<std::string> PowerConfig::validate() const {
  PowerConfig copy = *this;
  ParameterLister lister;
  describe(lister, copy);
  std::vector<std::string> errors;
  for (const ListedParameter& p : lister.parameters()) {
    const auto value = p.value->get<double>();
    if (value >= p.info.min && value <= p.info.max) continue;  // false for NaN
    errors.push_back("power." + p.info.name + " is " + p.value->dump() + " " + p.info.unit + ": " +
                     nlohmann::json(p.info.min).dump() + " to " +
                     nlohmann::json(p.info.max).dump() + " expected");
  }
  return errors;
}

void describe(ParameterVisitor& v, PowerConfig& c) {
  constexpr double kMost = 1e6;
  v.real("supply_v", c.supply_v, "V", "supply of switches and links (DSENT, Bulk22LVT)", 0.1, 5);
  v.real("activity", c.activity, "transition/bit",
         "charging transitions per bit moved (random data: 1/4)", 0, 1);
  v.real("crossbar_wire_ff_per_um", c.crossbar_wire_ff_per_um, "fF/um",
         "wires in a switch (DSENT, Bulk22LVT, intermediate layer)", 0, kMost);
  v.real("crossbar_pitch_nm", c.crossbar_pitch_nm, "nm",
         "pitch of the wires in a switch (DSENT, Bulk22LVT, intermediate layer)", 0, kMost);
  v.real("crosspoint_load_ff", c.crosspoint_load_ff, "fF",
         "load of a crosspoint on each of its wires (from DSENT's Bulk22LVT transistors)", 0,
         kMost);
  v.real("crosspoint_leakage_nw", c.crosspoint_leakage_nw, "nW",
         "leakage of a crosspoint, per bit of width (from DSENT's Bulk22LVT transistors)", 0,
         kMost);
  v.real("buffer_leakage_nw", c.buffer_leakage_nw, "nW",
         "leakage of a bit of a network's buffers (from DSENT's flip-flop, Bulk22LVT)", 0, kMost);
  v.real("buffer_area_um2", c.buffer_area_um2, "um2",
         "area of a bit of a network's buffers (from DSENT's flip-flop, Bulk22LVT)", 0, kMost);
  v.real("register_clock_fj", c.register_clock_fj, "fJ/cycle",
         "clocking a link's register, per bit of width (from DSENT's flip-flop, Bulk22LVT)", 0,
         kMost);
  v.real("link_ff_per_um", c.link_ff_per_um, "fF/um",
         "a link's wire with its repeaters (DSENT, Bulk22LVT, global layer; repeaters: ours)", 0,
         kMost);
  v.real("link_leakage_nw_per_mm", c.link_leakage_nw_per_mm, "nW/mm",
         "leakage of a link's repeaters, per bit of width (from DSENT's Bulk22LVT; sizing: ours)",
         0, kMost);
  v.real("die_mm2_per_sm", c.die_mm2_per_sm, "mm2",
         "area of a die over its SMs, which says how long links are (Tesla P100: 610 mm2 for 60)",
         0, kMost);
  v.real("package_link_pj_per_bit", c.package_link_pj_per_bit, "pJ/bit",
         "a link between modules (Poulton et al., ground-referenced signaling: 0.54)", 0, kMost);
  v.real("sm_lane_operation_pj", c.sm_lane_operation_pj, "pJ",
         "an instruction in one active lane, registers included (Dally's figure; recalled)", 0,
         kMost);
  v.real("sm_static_w", c.sm_static_w, "W", "an SM's leakage and clocks (ours)", 0, kMost);
  v.real("sram_fj_per_bit", c.sram_fj_per_bit, "fJ/bit",
         "reading or writing an array of 8 KiB; more grows as the root of its capacity "
         "(Horowitz, ISSCC 2014, scaled to 22 nm)",
         0, kMost);
  v.real("sram_leakage_nw", c.sram_leakage_nw, "nW", "leakage of a bit of a cache (ours)", 0,
         kMost);
  v.real("dram_row_pj_per_byte", c.dram_row_pj_per_byte, "pJ/byte",
         "opening and closing a row, over its bytes (O'Connor et al., MICRO 2017; recalled)", 0,
         kMost);
  v.real("dram_transfer_pj_per_bit", c.dram_transfer_pj_per_bit, "pJ/bit",
         "a bit from the row to the GPU or back (O'Connor et al., MICRO 2017; recalled)", 0, kMost);
  v.real("dram_refresh_rows", c.dram_refresh_rows, "row", "rows opened by a refresh (ours)", 0,
         kMost);
  v.real("dram_static_w", c.dram_static_w, "W", "a channel's background power (ours)", 0, kMost);
}

}  // namespace tessera
