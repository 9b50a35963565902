// SPDX-License-Identifier: Apache-2.0
#pragma once

// Power and area of a network of crossbar switches, as formulas of its geometry. Takes the place of
// DSENT (Sun et al., NOCS 2012) in NUBA section 6. Equations, sources and limits:
// docs/blocks/power.md.

#include <cstdint>
#include <vector>

#include "modules/power/power_config.h"

namespace tessera {

/// A stage of identical switches; a packet passes one switch of each stage.
struct CrossbarStage {
  std::uint32_t switches = 1;
  std::uint32_t inputs = 1;  ///< per switch
  std::uint32_t outputs = 1;

  double input_links() const { return static_cast<double>(switches) * inputs; }
  double output_links() const { return static_cast<double>(switches) * outputs; }
  double crosspoints() const { return input_links() * outputs; }
};

/// One direction of a network. Each switch input and each output of the last stage has a link; each
/// link ends in a buffer.
struct NetworkGeometry {
  std::vector<CrossbarStage> stages;  ///< in the order of a packet's route; at least one
  std::uint32_t link_bytes = 16;
  std::uint32_t buffer_bytes = 0;  ///< per link
  double clock_hz = 1.4e9;
  double length_mm = 0;        ///< total on-die length of the links on a packet's route
  bool leaves_module = false;  ///< a packet crosses the package once

  /// Number of links, each `link_bytes` wide.
  double links() const;
};

/// Energy, static power and area of one direction of a network.
struct NetworkPower {
  double switches_j_per_bit = 0;
  double buffers_j_per_bit = 0;
  double links_j_per_bit = 0;
  double switches_w = 0;  ///< leakage of the crosspoints
  double buffers_w = 0;   ///< leakage
  double links_w = 0;     ///< leakage of the repeaters
  double clocks_w = 0;    ///< clock power of the links' registers, independent of traffic
  double switches_mm2 = 0;
  double buffers_mm2 = 0;

  double joule_per_bit() const { return switches_j_per_bit + buffers_j_per_bit + links_j_per_bit; }
  double static_w() const { return switches_w + buffers_w + links_w + clocks_w; }
  double area_mm2() const { return switches_mm2 + buffers_mm2; }
};

/// Dynamic energy of a switch per bit, in joule: one input wire across all outputs and one output
/// wire across all inputs, each loaded by its crosspoints.
double switch_joule_per_bit(const PowerConfig& config, const CrossbarStage& stage,
                            std::uint32_t link_bytes);

/// Energy of a read or write of one bit in an array of `bytes` bytes, in joule.
double sram_joule_per_bit(const PowerConfig& config, double bytes);

NetworkPower network_power(const PowerConfig& config, const NetworkGeometry& geometry);

/// Mean Manhattan distance between two random points of a rectangle, in mm: a third of the sum of
/// its sides.
double mean_way_mm(double width_mm, double height_mm);

}  // namespace tessera
