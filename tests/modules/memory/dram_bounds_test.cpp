// SPDX-License-Identifier: Apache-2.0
// A channel with a full queue against the bounds of its timing parameters.
#include "bench/dram_bounds.h"

#include <catch2/catch.hpp>

namespace tessera::dram_bounds_test {

namespace {

/// Every pattern reaches `least` of its bound. Rows that are open before the measurement allow a
/// part of 16 in 40 000 more.
void check_bounds(const DramConfig& config, double least) {
  REQUIRE(config.validate().empty());
  const auto shares = bench::dram_shares(config);
  CHECK(shares.size() == 6);
  for (const bench::DramShare& s : shares) {
    CAPTURE(s.pattern, s.bound, s.model);
    CHECK(s.model < 1.0005 * s.bound);
    CHECK(s.model > least * s.bound);
  }
}

}  // namespace

TEST_CASE("NUBA's HBM streams at the bus's rate and serves random lines at the tFAW bound") {
  check_bounds({}, 0.999);
  const auto shares = bench::dram_shares({});
  CHECK(shares[0].bound == 1);
  CHECK(shares[2].bound == Approx(2 * 4 / 20.0));
  CHECK(shares[4].bound == Approx(2 / 24.0));
  CHECK(shares[5].bound == Approx(2 / 26.0));  // tRCD, two columns, WL, data, tWR, tRP
}

TEST_CASE("rows that are closed after use change no bound") {
  DramConfig c;
  c.row_policy = RowPolicy::kClosed;
  check_bounds(c, 0.999);
}

TEST_CASE("refresh takes its time, and little more to open the rows again") {
  DramConfig c;
  c.refresh = true;
  check_bounds(c, 0.985);
}

TEST_CASE("a DDR4-like channel is bound by its bank groups") {
  DramConfig c;
  c.clock_hz = 1'200'000'000;
  c.bus_bytes_per_clock = 16;
  c.burst_clocks = 4;
  c.row_bytes = 8192;
  c.t_rc = 55;
  c.t_rcd = c.t_rp = c.t_cl = 16;
  c.t_wl = 12;
  c.t_ras = 39;
  c.t_rrd_l = 6;
  c.t_faw = 26;
  c.t_rtp = 9;
  c.t_ccd_l = 6;
  c.t_ccd_s = 4;
  c.t_wr = 18;
  check_bounds(c, 0.999);
  // The two columns of a line are tCCD_L apart, those of the next line tCCD_S after them.
  CHECK(bench::dram_shares(c)[0].bound == Approx(8 / 10.0));
}

}  // namespace tessera::dram_bounds_test
