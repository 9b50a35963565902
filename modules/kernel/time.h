// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "modules/kernel/unlikely.h"

namespace tessera {

/// Absolute simulated time, or a duration, in femtoseconds: the resolution of the whole model.
using Tick = std::uint64_t;
inline constexpr Tick kNever = ~Tick{0};
inline constexpr Tick kTicksPerSecond = 1'000'000'000'000'000;
inline constexpr Tick kTicksPerNs = kTicksPerSecond / 1'000'000'000;

/// Sets SystemC's time resolution to 1 fs, once. The first call must come before the construction
/// of the first sc_time.
void set_time_resolution();

/// SC_ERROR "/tessera/core/time_resolution" if SystemC's time resolution is not 1 fs, because every
/// annotated delay would be scaled. Every block calls it in its constructor.
void check_time_resolution();

namespace detail {
/// The present time while the ProcessScheduler calls processes; kNever otherwise. Only the
/// ProcessScheduler writes it. One for each thread that runs domains (modules/kernel/domain.h).
inline thread_local Tick present = kNever;
/// SystemC's present time.
Tick systemc_time();
}  // namespace detail

/// The present simulated time. Called about fifty times per memory access. As an sc_time:
/// modules/kernel/sc_time.h.
inline Tick now() {
  return unlikely(detail::present == kNever) ? detail::systemc_time() : detail::present;
}

/// A clock. The time of cycle n is the rounded quotient n * 10^15 / frequency, so that clocks of
/// 1.4 GHz, 350 MHz and 700 MHz do not drift apart.
///
/// All clocks of a frequency share one object in a domain (modules/kernel/domain.h), with
/// precomputed values and the edges around the present cycle. The domain moves them before its
/// processes run, so that most results need no division.
class ClockDomain {
 public:
  /// A clock of the domain that is under construction. Throws std::invalid_argument unless `hertz`
  /// is 1 to 10^15.
  explicit ClockDomain(std::uint64_t hertz);

  std::uint64_t hertz() const { return f_.hertz; }

  /// Time of the edge that begins cycle n; also the rounded duration of n cycles from time 0.
  Tick time_of(std::uint64_t n) const { return f_.time_of(n); }

  /// The cycle whose edge is the last at or before t.
  std::uint64_t cycle_at(Tick t) const { return f_.edge_at(t).cycle; }

  /// Number of cycles of a duration, rounded to the nearest integer. Exact for a duration between
  /// two edges, which can differ by one tick from that of as many cycles from time 0, because edges
  /// are rounded to ticks.
  std::uint64_t cycles_in(Tick duration) const { return f_.cycles_in(duration); }

  /// The first edge at or after t.
  std::uint64_t cycle_from(Tick t) const {
    const Edge e = f_.edge_at(t);
    return e.time == t ? e.cycle : e.cycle + 1;
  }

  /// Whether t is an edge.
  bool is_edge(Tick t) const { return f_.edge_at(t).time == t; }

  /// Time `cycles` after the edge at or after t: t itself when it is an edge and cycles is 0.
  Tick after(Tick t, std::uint64_t cycles) const {
    if (t == f_.edges[0] && cycles < f_.edges.size()) return f_.edges[cycles];
    return f_.after(t, cycles);
  }

 private:
  friend class Domain;

  struct Edge {
    std::uint64_t cycle;
    Tick time;
  };

  // The larger functions are not inline: every block uses them on many paths, and copies would cost
  // more in the host's instruction cache than the calls cost.
  struct Frequency {
    explicit Frequency(std::uint64_t hertz);

    Tick time_of(std::uint64_t n) const;
    /// Moves the kept edges to the cycle of t. Changes no result.
    void advance(Tick t) {
      if (t >= edges[1]) move_to(t);
    }
    void move_to(Tick t);
    void keep_edges_from(std::size_t known);
    /// The last edge at or before t.
    Edge edge_at(Tick t) const {
      if (unlikely(!close(t))) return edge_by_division(t);
      const std::size_t k = cycles_ahead(t);
      return {here_cycle + k, edges[k]};
    }
    /// Whether t is within four cycles from the first kept edge, the usual case.
    bool close(Tick t) const {
      return t - edges[0] < span;  // wraps to a huge value if t is before the edge
    }
    std::size_t cycles_ahead(Tick t) const {
      return std::size_t{t >= edges[1]} + std::size_t{t >= edges[2]} + std::size_t{t >= edges[3]};
    }
    std::uint64_t cycles_in(Tick duration) const;
    Tick after(Tick t, std::uint64_t cycles) const;

    // Separate, so that the short forms above need no stack frame.
    [[gnu::noinline]] Tick time_by_division(std::uint64_t n) const;
    [[gnu::noinline]] Edge edge_by_division(Tick t) const;
    [[gnu::noinline]] Tick after_by_division(Tick t, std::uint64_t cycles) const;

    std::uint64_t hertz;
    std::uint64_t numerator;  ///< ticks per cycle, as a fraction
    std::uint64_t denominator;
    std::uint64_t whole;  ///< the same, as a mixed number: whole + rest / denominator
    std::uint64_t rest;
    std::uint64_t by_denominator;  ///< reciprocal, to divide by multiplication
    std::uint64_t by_numerator;    ///< the same
    /// Limits up to which the short forms of divisions cannot overflow.
    std::uint64_t exact_cycles;
    std::uint64_t exact_ticks;
    // Moved by advance(), initially at cycle 0.
    std::uint64_t here_cycle = 0;
    std::array<Tick, 4> edges{};  ///< edges of this cycle and of the next three
    Tick span = 0;                ///< ticks from the first edge to the end of the last cycle
  };

  Frequency& f_;
};

}  // namespace tessera
