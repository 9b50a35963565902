// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <systemc>

#include "modules/core/unlikely.h"

namespace tessera {

/// Absolute simulated time, or a duration, in femtoseconds: the resolution of the whole model.
using Tick = std::uint64_t;
inline constexpr Tick kNever = ~Tick{0};
inline constexpr Tick kTicksPerSecond = 1'000'000'000'000'000;

/// Sets SystemC's time resolution to 1 fs, once. The first call must come before the first sc_time
/// is made.
inline void set_time_resolution() {
  static const bool done = [] {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    return true;
  }();
  static_cast<void>(done);
}

/// SC_ERROR "/tessera/core/time_resolution" when SystemC's time resolution is not 1 fs: every
/// annotated delay would be wrong by its factor. Every block asks when it is built.
void check_time_resolution();

namespace detail {
/// The present time while the ProcessScheduler, which alone writes it, calls blocks' processes;
/// kNever otherwise.
inline Tick present = kNever;
/// What to_sc_time() has made, each where its number of ticks says.
inline std::array<sc_core::sc_time, 64> made_times;
}  // namespace detail

/// The present simulated time. Blocks ask some fifty times per memory access.
inline Tick now() {
  return unlikely(detail::present == kNever) ? sc_core::sc_time_stamp().value() : detail::present;
}

/// sc_time::from_value() is a call into the SystemC library; nearly every delay is one of a few
/// numbers of clock cycles, a tick more or less for rounding, so that what it gave is kept.
inline sc_core::sc_time to_sc_time(Tick t) {
  sc_core::sc_time& kept = detail::made_times[t * 0x9e3779b97f4a7c15U >> 58];
  if (unlikely(kept.value() != t)) kept = sc_core::sc_time::from_value(t);
  return kept;
}

/// Gives the time of cycle n as the rounded quotient n * 10^15 / frequency, so that clocks of
/// 1.4 GHz, 350 MHz and 700 MHz do not drift apart.
///
/// All clocks of a frequency share what is known of it, and where it was asked last: a block's
/// clock is a pointer, and blocks that run one after the other find the answer there.
class ClockDomain {
 public:
  /// `hertz`: 1 to 10^15.
  explicit ClockDomain(std::uint64_t hertz) : f_(frequency(hertz)) {}

  std::uint64_t hertz() const { return f_.hertz; }

  /// Time of the edge that begins cycle n. Also the rounded duration of n cycles from time 0.
  Tick time_of(std::uint64_t n) const { return f_.time_of(n); }

  /// A process says at which edge it runs: what is asked about this edge and the next three is then
  /// answered without a division. Changes no answer.
  void set_current_edge(Tick edge) const {
    if (edge != f_.edges[0]) f_.move_to(edge);
  }

  /// The cycle whose edge is the last at or before t.
  std::uint64_t cycle_at(Tick t) const { return f_.edge_at(t).cycle; }

  /// Cycles of a duration between two edges. (Edges are rounded to ticks, so that the duration may
  /// be a tick less than that of as many cycles from time 0, or more.) Of any other duration: the
  /// nearest number.
  std::uint64_t cycles_in(Tick duration) const { return f_.cycles_in(duration); }

  /// The first edge at or after t.
  std::uint64_t cycle_from(Tick t) const {
    const Edge e = f_.edge_at(t);
    return e.time == t ? e.cycle : e.cycle + 1;
  }

  /// Whether t is exactly an edge.
  bool is_edge(Tick t) const { return f_.edge_at(t).time == t; }

  /// Time `cycles` after the edge at or after t: t itself when it is an edge and cycles is 0.
  Tick after(Tick t, std::uint64_t cycles) const {
    if (t == f_.edges[0] && cycles < f_.edges.size()) return f_.edges[cycles];
    return f_.after(t, cycles);
  }

 private:
  struct Edge {
    std::uint64_t cycle;
    Tick time;
  };

  // Its functions are not inline: asked on every path of every block, copies in each would cost
  // more by the host's instruction cache than the calls do.
  struct Frequency {
    explicit Frequency(std::uint64_t hertz);

    Tick time_of(std::uint64_t n) const;
    void move_to(Tick edge);
    void keep_edges_from(std::size_t known);
    /// The last edge at or before t.
    Edge edge_at(Tick t) const {
      if (unlikely(!close(t))) return edge_by_division(t);
      const std::size_t k = cycles_ahead(t);
      return {here_cycle + k, edges[k]};
    }
    /// Within four cycles of where it stands, as nearly every question is.
    bool close(Tick t) const {
      return t - edges[0] < span;  // before it, the difference is huge
    }
    std::size_t cycles_ahead(Tick t) const {
      return std::size_t{t >= edges[1]} + std::size_t{t >= edges[2]} + std::size_t{t >= edges[3]};
    }
    std::uint64_t cycles_in(Tick duration) const;
    Tick after(Tick t, std::uint64_t cycles) const;

    // Apart, so that the forms above need no room on the stack.
    [[gnu::noinline]] Tick time_by_division(std::uint64_t n) const;
    [[gnu::noinline]] Edge edge_by_division(Tick t) const;
    [[gnu::noinline]] Tick after_by_division(Tick t, std::uint64_t cycles) const;

    std::uint64_t hertz;
    std::uint64_t numerator;  ///< ticks per cycle, as a fraction
    std::uint64_t denominator;
    std::uint64_t whole;  ///< the same, as a mixed number: whole + rest / denominator
    std::uint64_t rest;
    std::uint64_t by_denominator;  ///< reciprocals: divisions by multiplication
    std::uint64_t by_numerator;
    /// Up to here, the short forms of divisions cannot overflow.
    std::uint64_t exact_cycles;
    std::uint64_t exact_ticks;
    // set_current_edge(): at the edge of cycle 0 to begin with
    std::uint64_t here_cycle = 0;
    std::array<Tick, 4> edges{};  ///< of that cycle and those after it
    Tick span = 0;                ///< from the first of these into the last cycle, whole ticks
  };

  static Frequency& frequency(std::uint64_t hertz);

  Frequency& f_;
};

}  // namespace tessera
