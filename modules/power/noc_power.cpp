// SPDX-License-Identifier: Apache-2.0
#include "modules/power/noc_power.h"

#include <cassert>
#include <cmath>

#include "modules/power/units.h"

namespace tessera {

namespace {

constexpr double kMicrometresPerMillimetre = 1e3;
constexpr double kSramReferenceBytes = 8192;

/// Energy to charge a capacitance, times the probability of a charging transition, in joule.
double charge(const PowerConfig& c, double femtofarad) {
  return c.activity * c.supply_v * c.supply_v * femtofarad * kFemto;
}

/// Length of a switch side with `links` links of `link_bytes` width, in um.
double side_um(const PowerConfig& c, double links, std::uint32_t link_bytes) {
  return links * link_bytes * 8 * c.crossbar_pitch_nm / 1e3;
}

}  // namespace

double NetworkGeometry::links() const {
  double n = stages.back().output_links();
  for (const CrossbarStage& s : stages) n += s.input_links();
  return n;
}

double switch_joule_per_bit(const PowerConfig& c, const CrossbarStage& s,
                            std::uint32_t link_bytes) {
  const double ports = static_cast<double>(s.inputs) + s.outputs;
  return charge(
      c, side_um(c, ports, link_bytes) * c.crossbar_wire_ff_per_um + ports * c.crosspoint_load_ff);
}

double sram_joule_per_bit(const PowerConfig& c, double bytes) {
  return c.sram_fj_per_bit * kFemto * std::sqrt(bytes / kSramReferenceBytes);
}

NetworkPower network_power(const PowerConfig& c, const NetworkGeometry& g) {
  assert(!g.stages.empty());
  const double width = g.link_bytes * 8.0;
  const double links = g.links();
  const double buffered_bits = links * g.buffer_bytes * 8;
  const double hops = static_cast<double>(g.stages.size()) + 1;  // links on a packet's route
  const double wire_mm = links * g.length_mm / hops;

  NetworkPower p;
  for (const CrossbarStage& s : g.stages) {
    p.switches_j_per_bit += switch_joule_per_bit(c, s, g.link_bytes);
    p.switches_w += s.crosspoints() * width * c.crosspoint_leakage_nw * kNano;
    p.switches_mm2 +=
        s.switches * side_um(c, s.inputs, g.link_bytes) * side_um(c, s.outputs, g.link_bytes) / 1e6;
  }
  p.buffers_j_per_bit = hops * 2 * sram_joule_per_bit(c, g.buffer_bytes);  // written and read
  p.links_j_per_bit = charge(c, g.length_mm * kMicrometresPerMillimetre * c.link_ff_per_um) +
                      (g.leaves_module ? c.package_link_pj_per_bit * kPico : 0);
  p.buffers_w = buffered_bits * c.buffer_leakage_nw * kNano;
  p.links_w = wire_mm * width * c.link_leakage_nw_per_mm * kNano;
  p.clocks_w = links * width * c.register_clock_fj * kFemto * g.clock_hz;
  p.buffers_mm2 = buffered_bits * c.buffer_area_um2 / 1e6;
  return p;
}

double mean_way_mm(double width_mm, double height_mm) { return (width_mm + height_mm) / 3; }

}  // namespace tessera
