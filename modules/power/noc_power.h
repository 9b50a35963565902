// SPDX-License-Identifier: Apache-2.0
#pragma once

// Power and area of a network of crossbar switches, as a formula of its shape: what DSENT (Sun et
// al., NOCS 2012) is to NUBA section 6. Equations, sources and limits: docs/blocks/power.md.

#include <cstdint>
#include <vector>

#include "modules/power/power_config.h"

namespace tessera {

/// The equal switches that a packet meets at one step of its way.
struct CrossbarStage {
  std::uint32_t switches = 1;
  std::uint32_t inputs = 1;  ///< of each
  std::uint32_t outputs = 1;

  double input_links() const { return static_cast<double>(switches) * inputs; }
  double output_links() const { return static_cast<double>(switches) * outputs; }
  double crosspoints() const { return input_links() * outputs; }
};

/// One direction of a network. A link leads to every switch input and from every last output; each
/// ends in a buffer, at the exits too.
struct NetworkGeometry {
  std::vector<CrossbarStage> stages;  ///< in the order in which a packet meets them; at least one
  std::uint32_t link_bytes = 16;
  std::uint32_t buffer_bytes = 0;  ///< of each link
  double clock_hz = 1.4e9;
  double length_mm = 0;        ///< of all the links on a packet's way, on the die
  bool leaves_module = false;  ///< a packet crosses the package once

  /// Links, all of link_bytes.
  double links() const;
};

/// What one direction costs.
struct NetworkPower {
  double switches_j_per_bit = 0;
  double buffers_j_per_bit = 0;
  double links_j_per_bit = 0;
  double switches_w = 0;  ///< leakage of the crosspoints
  double buffers_w = 0;   ///< leakage
  double links_w = 0;     ///< leakage of the repeaters
  double clocks_w = 0;    ///< of the links' registers, which run without traffic too
  double switches_mm2 = 0;
  double buffers_mm2 = 0;

  double joule_per_bit() const { return switches_j_per_bit + buffers_j_per_bit + links_j_per_bit; }
  double static_w() const { return switches_w + buffers_w + links_w + clocks_w; }
  double area_mm2() const { return switches_mm2 + buffers_mm2; }
};

/// A switch's dynamic energy per bit: one input wire across all outputs, one output wire across
/// all inputs, each loaded by its crosspoints. Joule.
double switch_joule_per_bit(const PowerConfig& config, const CrossbarStage& stage,
                            std::uint32_t link_bytes);

/// Reading or writing a bit of an array of that capacity. Joule.
double sram_joule_per_bit(const PowerConfig& config, double bytes);

NetworkPower network_power(const PowerConfig& config, const NetworkGeometry& geometry);

/// Mean way along the axes between two random points of a rectangle: a third of either side. mm.
double mean_way_mm(double width_mm, double height_mm);

}  // namespace tessera
