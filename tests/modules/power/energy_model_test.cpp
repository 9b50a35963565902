// SPDX-License-Identifier: Apache-2.0
#include "modules/power/energy_model.h"

#include <catch2/catch.hpp>
#include <limits>

namespace tessera::energy_model_test {

TEST_CASE("an SM's energy is its lane operations and its time") {
  PowerConfig c;
  c.sm_lane_operation_pj = 20;
  c.sm_static_w = 0.25;
  const Energy e = sm_energy(c, 1000, 2e-6);
  CHECK(e.dynamic_j == Approx(20e-9).epsilon(1e-12));
  CHECK(e.static_j == Approx(0.5e-6).epsilon(1e-12));
  CHECK(e.total_j() == Approx(0.52e-6).epsilon(1e-12));
}

TEST_CASE("a cache's access costs its line's bits times the root of its capacity") {
  PowerConfig c;
  c.sram_fj_per_bit = 60;
  c.sram_leakage_nw = 5;
  // 32 KiB: twice the 8 KiB array's energy.
  const Energy e = cache_energy(c, {10, 128, 32768}, 1e-3);
  CHECK(e.dynamic_j == Approx(10 * 1024 * 120e-15).epsilon(1e-12));
  CHECK(e.static_j == Approx(262144 * 5e-9 * 1e-3).epsilon(1e-12));
}

TEST_CASE("a channel pays for rows opened, rows refreshed and bits moved") {
  PowerConfig c;
  c.dram_row_pj_per_byte = 0.5;
  c.dram_transfer_pj_per_bit = 3;
  c.dram_refresh_rows = 16;
  c.dram_static_w = 0.1;
  const Energy e = dram_energy(c, {5, 2, 256, 2048}, 1e-6);
  // 5 + 2 x 16 rows of 2 KiB, and 2048 bits.
  CHECK(e.dynamic_j == Approx((37 * 2048 * 0.5 + 2048 * 3) * 1e-12).epsilon(1e-12));
  CHECK(e.static_j == Approx(0.1e-6).epsilon(1e-12));
}

TEST_CASE("nothing moved leaves static energy only, and no time leaves none") {
  const PowerConfig c;
  NetworkGeometry g;
  g.stages = {{8, 8, 8}, {8, 8, 8}};
  g.buffer_bytes = 272;
  g.length_mm = 10;
  const NetworkPower p = network_power(c, g);
  const Energy still = network_energy(p, 0, 1e-3);
  CHECK(still.dynamic_j == 0);
  CHECK(still.static_j == Approx(p.static_w() * 1e-3).epsilon(1e-12));
  CHECK(still.static_j > 0);
  const Energy sudden = network_energy(p, 125, 0);
  CHECK(sudden.dynamic_j == Approx(1000 * p.joule_per_bit()).epsilon(1e-12));
  CHECK(sudden.static_j == 0);
}

TEST_CASE("values outside their range are named, all of them") {
  PowerConfig c;
  CHECK(c.validate().empty());
  c.activity = 1.5;
  c.sm_static_w = -1;
  c.supply_v = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::string> errors = c.validate();
  REQUIRE(errors.size() == 3);
  CHECK_THAT(errors[0], Catch::Contains("power.supply_v"));
  CHECK(errors[1] == "power.activity is 1.5 transition/bit: 0.0 to 1.0 expected");
  CHECK_THAT(errors[2], Catch::Contains("power.sm_static_w is -1.0 W"));
}

}  // namespace tessera::energy_model_test
