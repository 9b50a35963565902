// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/time.h"

#include <cmath>
#include <numeric>
#include <string>
#include <systemc>

#include "modules/kernel/domain.h"
#include "modules/kernel/report.h"

namespace tessera {

namespace {

__extension__ using Wide = unsigned __int128;

// Division by a constant as a multiplication, because clocks divide hundreds of times per memory
// access. For n up to 2^64 / d, high(n, reciprocal(d)) is n / d; for larger n it is at most one too
// high.
std::uint64_t reciprocal(std::uint64_t d) {
  return d == 1 ? 0 : static_cast<std::uint64_t>((Wide{1} << 64) / d) + 1;
}

std::uint64_t high(std::uint64_t n, std::uint64_t reciprocal_of_d) {
  return static_cast<std::uint64_t>((Wide{n} * reciprocal_of_d) >> 64);
}

}  // namespace

void set_time_resolution() {
  static const bool done = [] {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    return true;
  }();
  static_cast<void>(done);
}

Tick detail::systemc_time() { return sc_core::sc_time_stamp().value(); }

void check_time_resolution() {
  const double seconds = sc_core::sc_get_time_resolution().to_seconds();
  if (std::llround(seconds * static_cast<double>(kTicksPerSecond)) == 1) return;
  SC_REPORT_ERROR(report::kTimeResolution,
                  ("SystemC's time resolution is " + sc_core::sc_get_time_resolution().to_string() +
                   ", Tessera's is 1 fs: call tessera::set_time_resolution() first in sc_main, "
                   "before any sc_time or block is made")
                      .c_str());
}

ClockDomain::ClockDomain(std::uint64_t hertz) : f_(Domain::under_construction().clock(hertz)) {}

ClockDomain::Frequency::Frequency(std::uint64_t f) : hertz(f) {
  const std::uint64_t g = std::gcd(kTicksPerSecond, hertz);
  numerator = kTicksPerSecond / g;
  denominator = hertz / g;
  whole = numerator / denominator;
  rest = numerator % denominator;
  by_denominator = reciprocal(denominator);
  by_numerator = reciprocal(numerator);
  exact_cycles =
      rest == 0 ? ~std::uint64_t{0} / whole - 1 : ~std::uint64_t{0} / 2 / (rest * denominator);
  exact_ticks = ~std::uint64_t{0} / 2 / denominator;
  // The reciprocal of 1 is 2^64, which does not fit.
  if (numerator == 1) exact_ticks = 0;
  keep_edges_from(0);
}

Tick ClockDomain::Frequency::time_of(std::uint64_t n) const {
  const std::uint64_t ahead = n - here_cycle;
  return ahead < edges.size() ? edges[ahead] : time_by_division(n);
}

Tick ClockDomain::Frequency::time_by_division(std::uint64_t n) const {
  if (n <= exact_cycles) {
    return n * whole + (rest == 0 ? 0 : high(n * rest + denominator / 2, by_denominator));
  }
  return static_cast<Tick>((Wide{n} * numerator + denominator / 2) / denominator);
}

void ClockDomain::Frequency::move_to(Tick t) {
  const std::uint64_t was = here_cycle;
  here_cycle = edge_at(t).cycle;
  // Usual case: the next cycle, which keeps three of the four edges.
  std::size_t known = 0;
  if (here_cycle == was + 1) {
    for (; known + 1 < edges.size(); ++known) edges[known] = edges[known + 1];
  }
  keep_edges_from(known);
}

void ClockDomain::Frequency::keep_edges_from(std::size_t known) {
  for (; known < edges.size(); ++known) edges[known] = time_by_division(here_cycle + known);
  span = edges[3] + whole - edges[0];
}

std::uint64_t ClockDomain::Frequency::cycles_in(Tick duration) const {
  // The quotient is close to an integer: adding half a cycle and rounding down gives it.
  if (unlikely(duration > exact_ticks)) {
    return static_cast<std::uint64_t>((Wide{duration} * denominator + numerator / 2) / numerator);
  }
  return high(duration * denominator + numerator / 2, by_numerator);
}

ClockDomain::Edge ClockDomain::Frequency::edge_by_division(Tick t) const {
  // The short form can be one too high.
  std::uint64_t n = t <= exact_ticks
                        ? high(t * denominator, by_numerator)
                        : static_cast<std::uint64_t>(Wide{t} * denominator / numerator);
  Tick time = time_of(n);
  if (time > t) {
    time = time_of(--n);
  } else if (t - time >= whole) {
    // The next edge can have been rounded down to t.
    const Tick following = time_of(n + 1);
    if (following <= t) return {n + 1, following};
  }
  return {n, time};
}

Tick ClockDomain::Frequency::after(Tick t, std::uint64_t cycles) const {
  if (unlikely(!close(t))) return after_by_division(t, cycles);
  const std::size_t k = cycles_ahead(t);
  const std::uint64_t ahead = k + std::uint64_t{edges[k] != t} + cycles;
  return ahead < edges.size() ? edges[ahead] : time_by_division(here_cycle + ahead);
}

Tick ClockDomain::Frequency::after_by_division(Tick t, std::uint64_t cycles) const {
  const Edge e = edge_by_division(t);
  return time_of(e.cycle + std::uint64_t{e.time != t} + cycles);
}

}  // namespace tessera
