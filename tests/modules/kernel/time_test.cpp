// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/time.h"

#include <catch2/catch.hpp>
#include <random>
#include <stdexcept>

#include "modules/kernel/sc_time.h"

namespace tessera::time_test {

TEST_CASE("edges are the rounded quotients") {
  const ClockDomain sm(1'400'000'000);
  CHECK(sm.time_of(0) == 0);
  CHECK(sm.time_of(1) == 714'286);    // 714285.71
  CHECK(sm.time_of(2) == 1'428'571);  // 1428571.43
  CHECK(sm.time_of(3) == 2'142'857);
  CHECK(sm.time_of(7) == 5'000'000);
  const ClockDomain hbm(350'000'000);
  CHECK(hbm.time_of(1) == 2'857'143);
  CHECK(hbm.time_of(7) == 20'000'000);
  const ClockDomain noc(700'000'000);
  CHECK(noc.time_of(1) == 1'428'571);
  CHECK(noc.time_of(7) == 10'000'000);
  CHECK(noc.hertz() == 700'000'000);
}

TEST_CASE("clocks of 1.4 GHz, 700 MHz and 350 MHz never drift apart") {
  const ClockDomain sm(1'400'000'000);
  const ClockDomain noc(700'000'000);
  const ClockDomain hbm(350'000'000);
  CHECK(sm.time_of(1'400'000'000) == tessera::kTicksPerSecond);
  CHECK(sm.time_of(1'000'000'000) == 714'285'714'285'714);
  CHECK(hbm.time_of(1'000'000'000) == 2'857'142'857'142'857);
  for (std::uint64_t n : {1ULL, 3ULL, 999'999'999ULL, 1'000'000'000ULL, 1'000'000'001ULL}) {
    CHECK(sm.time_of(4 * n) == hbm.time_of(n));
    CHECK(sm.time_of(2 * n) == noc.time_of(n));
    CHECK(noc.time_of(2 * n) == hbm.time_of(n));
  }
}

TEST_CASE("cycles and times are each other's inverse on every clock") {
  std::mt19937_64 random(7);
  for (std::uint64_t hertz : {1ULL, 3ULL, 350'000'000ULL, 700'000'000ULL, 1'000'000'000ULL,
                              1'400'000'000ULL, 1'593'000'001ULL, 600'000'000'000'000ULL,
                              999'999'999'999'999ULL, 1'000'000'000'000'000ULL}) {
    const ClockDomain clock(hertz);
    const std::uint64_t longest = hertz * 16'000 / (hertz > 1'000'000'000'000 ? 1000 : 1);
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t n = 1 + random() % longest;
      const Tick t = clock.time_of(n);
      const bool good = clock.time_of(n - 1) < t && clock.cycle_at(t) == n &&
                        clock.cycle_at(t - 1) == n - 1 && clock.cycle_from(t) == n &&
                        clock.cycle_from(t - 1) == (clock.time_of(n - 1) == t - 1 ? n - 1 : n) &&
                        clock.is_edge(t) && clock.is_edge(t + 1) == (clock.time_of(n + 1) == t + 1);
      if (!good) FAIL("at " << hertz << " Hz, cycle " << n);
    }
  }
}

TEST_CASE("the time of a cycle is the rounded quotient, at any frequency and length") {
  __extension__ using Wide = unsigned __int128;
  std::mt19937_64 random(8);
  for (int f = 0; f < 2000; ++f) {
    std::uint64_t hertz = 1 + (random() >> (random() % 64)) % tessera::kTicksPerSecond;
    if (f % 4 == 0) hertz = 1'000'000 * (1 + random() % 10'000);
    const ClockDomain clock(hertz);
    for (int i = 0; i < 50; ++i) {
      const std::uint64_t n = random() >> (random() % 64);
      const Wide exact = (2 * Wide{n} * tessera::kTicksPerSecond + hertz) / (2 * Wide{hertz});
      if (exact >> 62 != 0) continue;
      const Tick t = clock.time_of(n);
      if (t != static_cast<Tick>(exact) || clock.cycle_at(t) != n) {
        FAIL("at " << hertz << " Hz, cycle " << n << ": " << t);
      }
      // Any time: its cycle's edge is the last at or before it.
      const Tick at = random() >> (2 + random() % 61);
      const std::uint64_t c = clock.cycle_at(at);
      if (clock.time_of(c) > at || clock.time_of(c + 1) <= at) {
        FAIL("at " << hertz << " Hz, time " << at << ": cycle " << c);
      }
    }
  }
}

TEST_CASE("after() counts from the edge at or after a time") {
  const ClockDomain clock(1'400'000'000);
  CHECK(clock.after(0, 0) == 0);
  CHECK(clock.after(0, 1) == 714'286);
  CHECK(clock.after(1, 0) == 714'286);
  CHECK(clock.after(1, 1) == 1'428'571);
  CHECK(clock.after(714'286, 0) == 714'286);
  CHECK(clock.after(714'287, 2) == clock.time_of(4));
}

TEST_CASE("where clocks stand changes no result, nor those of others of their frequency") {
  std::mt19937_64 random(3);
  for (const std::uint64_t hertz : {1'400'000'000ULL, 350'000'000ULL, 1'000'000'000ULL}) {
    const ClockDomain asked(hertz);
    const ClockDomain standing(hertz);
    const auto edge = [&](std::uint64_t n) {
      __extension__ using Wide = unsigned __int128;
      return static_cast<Tick>((Wide{n} * tessera::kTicksPerSecond + hertz / 2) / hertz);
    };
    for (unsigned i = 0; i < 2000; ++i) {
      const std::uint64_t n = random() % 1'000'000;
      CHECK(asked.cycle_at(edge(n)) == n);
      CHECK(asked.cycle_at(edge(n + 1) - 1) == n);
      CHECK(asked.cycle_from(edge(n) + 1) == n + 1);
      CHECK(asked.after(edge(n), 0) == edge(n));
      CHECK(asked.after(edge(n), 1) == edge(n + 1));
      CHECK(asked.after(edge(n) + 1, 1) == edge(n + 2));
      CHECK_FALSE(asked.is_edge(edge(n) + 1));
    }
  }
}

TEST_CASE("a clock's frequency is 1 Hz to 10^15 Hz") {
  CHECK_THROWS_AS(ClockDomain(0), std::invalid_argument);
  CHECK_THROWS_AS(ClockDomain(1'000'000'000'000'001), std::invalid_argument);
  CHECK(ClockDomain(1).time_of(1) == tessera::kTicksPerSecond);
  CHECK(ClockDomain(1'000'000'000'000'000).time_of(12345) == 12345);
}

TEST_CASE("one tick of simulated time is a femtosecond") {
  CHECK(tessera::to_sc_time(1'000'000) == sc_core::sc_time(1, sc_core::SC_NS));
  sc_core::sc_start(tessera::to_sc_time(714'286));
  CHECK(tessera::now() == 714'286);
}

TEST_CASE("a duration between two edges is its number of cycles, wherever the edges were rounded") {
  std::mt19937_64 random(9);
  // The last: cycles of ten ticks and a bit, where a tick of rounding is a tenth of a cycle.
  for (const std::uint64_t hertz : {1'400'000'000ULL, 350'000'000ULL, 1'000'000'000ULL,
                                    1'593'000'001ULL, 99'999'999'999'989ULL}) {
    const ClockDomain clock(hertz);
    std::size_t wrong = 0;
    for (std::uint64_t from = 1; from < 50; ++from) {
      for (std::uint64_t n = 0; n < 200; ++n) {
        if (clock.cycles_in(clock.time_of(from + n) - clock.time_of(from)) != n) ++wrong;
        const std::uint64_t far = random() >> (24 + n % 32);
        if (clock.cycles_in(clock.time_of(from + far) - clock.time_of(from)) != far) ++wrong;
      }
    }
    CHECK(wrong == 0);
  }
}

}  // namespace tessera::time_test
