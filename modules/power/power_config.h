// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/parameter_visitor.h"

namespace tessera {

/// Energy and leakage of events, storage bits and wires at 22 nm, the technology of NUBA section 6.
/// Sources and accuracy of the defaults: docs/blocks/power.md.
struct PowerConfig {
  double supply_v = 0.8;
  double activity = 0.25;  ///< charging transitions per bit moved; random data: 1/4

  double crossbar_wire_ff_per_um = 0.157;
  double crossbar_pitch_nm = 110;
  double crosspoint_load_ff = 0.76;      ///< load of one crosspoint on each of its two wires
  double crosspoint_leakage_nw = 100;    ///< per bit of a crosspoint
  double buffer_leakage_nw = 150;        ///< per bit
  double buffer_area_um2 = 2.4;          ///< per bit
  double register_clock_fj = 0.7;        ///< per link bit and clock cycle, with or without traffic
  double link_ff_per_um = 0.162;         ///< wire and its repeaters
  double link_leakage_nw_per_mm = 1100;  ///< repeaters, per bit of width
  double die_mm2_per_sm = 10;            ///< determines the length of links
  double package_link_pj_per_bit = 0.54;

  double sm_lane_operation_pj = 30;
  double sm_static_w = 0.5;

  double sram_fj_per_bit = 60;  ///< for an 8 KiB array; grows with the square root of the capacity
  double sram_leakage_nw = 6;   ///< per bit

  double dram_row_pj_per_byte = 0.89;  ///< to open and close a row, per byte of the row
  double dram_transfer_pj_per_bit = 3.48;
  double dram_refresh_rows = 32;  ///< rows that one refresh command opens
  double dram_static_w = 0.125;   ///< per channel

  /// An error message for each value outside its legal range.
  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, PowerConfig& c);

}  // namespace tessera
