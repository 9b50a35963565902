// SPDX-License-Identifier: Apache-2.0
#include "modules/power/noc_power.h"

#include <catch2/catch.hpp>

namespace tessera::noc_power_test {

namespace {

/// Round numbers, so that a case can be calculated by hand.
PowerConfig round_numbers() {
  PowerConfig c;
  c.supply_v = 1;
  c.activity = 0.25;
  c.crossbar_wire_ff_per_um = 0.2;
  c.crossbar_pitch_nm = 1000;
  c.crosspoint_load_ff = 1;
  c.crosspoint_leakage_nw = 100;
  c.buffer_leakage_nw = 150;
  c.buffer_area_um2 = 2.5;
  c.register_clock_fj = 0.5;
  c.link_ff_per_um = 0.2;
  c.link_leakage_nw_per_mm = 1000;
  c.sram_fj_per_bit = 60;
  return c;
}

NetworkGeometry two_by_two() {
  NetworkGeometry g;
  g.stages = {{1, 2, 2}};
  g.link_bytes = 1;
  g.buffer_bytes = 8192;
  g.clock_hz = 1e9;
  g.length_mm = 3;
  return g;
}

/// 64 x 64 as NUBA section 6 has it.
NetworkGeometry sixty_four(std::uint32_t link_bytes) {
  NetworkGeometry g;
  g.stages = {{8, 8, 8}, {8, 8, 8}};
  g.link_bytes = link_bytes;
  g.buffer_bytes = 1024;
  g.length_mm = 10;
  return g;
}

}  // namespace

TEST_CASE("a 2x2 switch of one-byte links is what its formula says") {
  const NetworkPower p = network_power(round_numbers(), two_by_two());
  // 2 + 2 links of 8 wires at 1 um: 32 um of 0.2 fF, 4 crosspoints of 1 fF, a quarter charged.
  CHECK(p.switches_j_per_bit == Approx((32 * 0.2 + 4) * 0.25e-15).epsilon(1e-12));
  // Two buffers on the way, each written and read; 8 KiB cost the reference energy.
  CHECK(p.buffers_j_per_bit == Approx(2 * 2 * 60e-15).epsilon(1e-12));
  CHECK(p.links_j_per_bit == Approx(3000 * 0.2 * 0.25e-15).epsilon(1e-12));
  CHECK(p.joule_per_bit() == Approx(2.6e-15 + 240e-15 + 150e-15).epsilon(1e-12));
  // 4 crosspoints of 8 bits.
  CHECK(p.switches_w == Approx(32 * 100e-9).epsilon(1e-12));
  // 4 links: buffers of 65536 bits, wires of 3 mm / 2 and 8 bits, registers of 8 bits.
  CHECK(p.buffers_w == Approx(4 * 65536 * 150e-9).epsilon(1e-12));
  CHECK(p.links_w == Approx(4 * 1.5 * 8 * 1000e-9).epsilon(1e-12));
  CHECK(p.clocks_w == Approx(4 * 8 * 0.5e-15 * 1e9).epsilon(1e-12));
  CHECK(p.static_w() == Approx(3.2e-6 + 39.3216e-3 + 48e-6 + 16e-6).epsilon(1e-12));
  CHECK(p.switches_mm2 == Approx(16e-3 * 16e-3).epsilon(1e-12));
  CHECK(p.area_mm2() == Approx(2.56e-4 + 4 * 65536 * 2.5e-6).epsilon(1e-12));
}

TEST_CASE("switch inputs and outputs count apart") {
  const PowerConfig c = round_numbers();
  NetworkGeometry g = two_by_two();
  g.stages = {{1, 2, 6}};
  const NetworkPower p = network_power(c, g);
  CHECK(p.switches_j_per_bit == Approx((64 * 0.2 + 8) * 0.25e-15).epsilon(1e-12));
  CHECK(p.switches_w == Approx(2 * 6 * 8 * 100e-9).epsilon(1e-12));
  CHECK(p.switches_mm2 == Approx(16e-3 * 48e-3).epsilon(1e-12));
  CHECK(g.links() == 8);
}

TEST_CASE(
    "twice the width doubles leakage and clocks of switches and links, and wires' area is "
    "its square") {
  const PowerConfig c;
  const NetworkPower one = network_power(c, sixty_four(16));
  const NetworkPower two = network_power(c, sixty_four(32));
  CHECK(two.switches_w == Approx(2 * one.switches_w).epsilon(1e-12));
  CHECK(two.links_w == Approx(2 * one.links_w).epsilon(1e-12));
  CHECK(two.clocks_w == Approx(2 * one.clocks_w).epsilon(1e-12));
  CHECK(two.switches_mm2 == Approx(4 * one.switches_mm2).epsilon(1e-12));
  // A bit's way over a link is as long; buffers hold as many bytes.
  CHECK(two.links_j_per_bit == Approx(one.links_j_per_bit).epsilon(1e-12));
  CHECK(two.buffers_w == Approx(one.buffers_w).epsilon(1e-12));
}

TEST_CASE("twice the ports of a switch quadruple its crosspoints' leakage and area") {
  const PowerConfig c;
  NetworkGeometry g = sixty_four(16);
  g.stages = {{1, 8, 8}};
  const NetworkPower eight = network_power(c, g);
  g.stages = {{1, 16, 16}};
  const NetworkPower sixteen = network_power(c, g);
  CHECK(sixteen.switches_w == Approx(4 * eight.switches_w).epsilon(1e-12));
  CHECK(sixteen.switches_mm2 == Approx(4 * eight.switches_mm2).epsilon(1e-12));
  CHECK(sixteen.switches_j_per_bit == Approx(2 * eight.switches_j_per_bit).epsilon(1e-12));
  CHECK(sixteen.buffers_w == Approx(2 * eight.buffers_w).epsilon(1e-12));
}

TEST_CASE("a 64x64 network of 5.6 TB/s against one of 700 GB/s") {
  const PowerConfig c;
  const NetworkPower wide = network_power(c, sixty_four(64));
  const NetworkPower narrow = network_power(c, sixty_four(8));
  CHECK(wide.switches_w / narrow.switches_w == Approx(8).epsilon(1e-12));
  CHECK(wide.links_w / narrow.links_w == Approx(8).epsilon(1e-12));
  CHECK(wide.switches_mm2 / narrow.switches_mm2 == Approx(64).epsilon(1e-12));
  // A bit charges 16 ports' wires, of 512 or 64 bits, and 16 loads: (141.46 + 12.16) fF against
  // (17.68 + 12.16).
  CHECK(wide.switches_j_per_bit / narrow.switches_j_per_bit ==
        Approx((16 * 512 * 0.11 * 0.157 + 16 * 0.76) / (16 * 64 * 0.11 * 0.157 + 16 * 0.76))
            .epsilon(1e-12));
  // Two stages of eight 8x8 switches in place of one of 64x64: 1024 crosspoints, not 4096.
  NetworkGeometry flat = sixty_four(64);
  flat.stages = {{1, 64, 64}};
  CHECK(network_power(c, flat).switches_w == Approx(4 * wide.switches_w).epsilon(1e-12));
  CHECK(network_power(c, flat).switches_mm2 == Approx(4 * wide.switches_mm2).epsilon(1e-12));
}

TEST_CASE("a network between modules pays for the package once a bit") {
  PowerConfig c;
  c.package_link_pj_per_bit = 0.5;
  NetworkGeometry g = two_by_two();
  const double inside = network_power(c, g).links_j_per_bit;
  g.leaves_module = true;
  CHECK(network_power(c, g).links_j_per_bit - inside == Approx(0.5e-12).epsilon(1e-9));
}

TEST_CASE("the mean way in a square is two thirds of its side") {
  CHECK(mean_way_mm(24, 24) == Approx(16));
  CHECK(mean_way_mm(24, 12) == Approx(12));
}

}  // namespace tessera::noc_power_test
