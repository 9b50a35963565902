// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <systemc>

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

namespace detail {
/// The present time while the WakeQueue, which alone writes it, calls blocks' processes; kNever
/// otherwise.
inline Tick present = kNever;
}  // namespace detail

/// The present simulated time. Blocks ask some fifty times per memory access.
inline Tick now() {
  return detail::present != kNever ? detail::present : sc_core::sc_time_stamp().value();
}
inline sc_core::sc_time to_sc_time(Tick t) { return sc_core::sc_time::from_value(t); }

/// Gives the time of cycle n as the rounded quotient n * 10^15 / frequency, so that clocks of
/// 1.4 GHz, 350 MHz and 700 MHz do not drift apart.
class ClockDomain {
 public:
  /// `hertz`: 1 to 10^15.
  explicit ClockDomain(std::uint64_t hertz) : hertz_(hertz) {
    if (hertz == 0 || hertz > kTicksPerSecond) {
      throw std::invalid_argument("a clock's frequency must be 1 Hz to 10^15 Hz");
    }
    const std::uint64_t g = std::gcd(kTicksPerSecond, hertz);
    numerator_ = kTicksPerSecond / g;
    denominator_ = hertz / g;
    whole_ = numerator_ / denominator_;
    rest_ = numerator_ % denominator_;
    by_denominator_ = reciprocal(denominator_);
    by_numerator_ = reciprocal(numerator_);
    // Up to here, the short forms below cannot overflow.
    exact_cycles_ = rest_ == 0 ? ~std::uint64_t{0} / whole_ - 1
                               : ~std::uint64_t{0} / 2 / (rest_ * denominator_);
    exact_ticks_ = ~std::uint64_t{0} / 2 / denominator_;
    // A reciprocal of 1 would be 2^64.
    if (numerator_ == 1) exact_ticks_ = 0;
  }

  std::uint64_t hertz() const { return hertz_; }

  /// Time of the edge that begins cycle n. Also the rounded duration of n cycles from time 0.
  Tick time_of(std::uint64_t n) const {
    if (n <= exact_cycles_) {
      return n * whole_ + (rest_ == 0 ? 0 : high(n * rest_ + denominator_ / 2, by_denominator_));
    }
    return static_cast<Tick>((Wide{n} * numerator_ + denominator_ / 2) / denominator_);
  }

  /// A process says at which edge it runs: what is asked about this edge and the next is then
  /// answered without a division. Changes no answer.
  void standing_at(Tick edge) const {
    if (edge == here_) return;
    here_cycle_ = edge == next_ ? here_cycle_ + 1 : cycle_at(edge);
    here_ = edge;
    next_ = time_of(here_cycle_ + 1);
  }

  /// The cycle whose edge is the last at or before t.
  std::uint64_t cycle_at(Tick t) const {
    if (t == here_) return here_cycle_;
    if (t == next_) return here_cycle_ + 1;
    // The short form is at most one too high.
    std::uint64_t n = t <= exact_ticks_
                          ? high(t * denominator_, by_numerator_)
                          : static_cast<std::uint64_t>(Wide{t} * denominator_ / numerator_);
    if (time_of(n) > t) {
      --n;
    } else if (time_of(n + 1) <= t) {
      ++n;
    }
    return n;
  }

  /// Cycles of a duration between two edges. (Edges are rounded to ticks, so that the duration may
  /// be a tick less than that of as many cycles from time 0.)
  std::uint64_t cycles_in(Tick duration) const { return cycle_at(duration + 1); }

  /// The first edge at or after t.
  std::uint64_t cycle_from(Tick t) const {
    if (t == here_) return here_cycle_;
    if (t == next_) return here_cycle_ + 1;
    const std::uint64_t n = cycle_at(t);
    return time_of(n) == t ? n : n + 1;
  }

  /// Whether t is exactly an edge.
  bool is_edge(Tick t) const { return time_of(cycle_at(t)) == t; }

  /// Time `cycles` after the edge at or after t: t itself when it is an edge and cycles is 0.
  Tick after(Tick t, std::uint64_t cycles) const {
    if (t == here_ && cycles <= 1) return cycles == 0 ? here_ : next_;
    if (t == next_ && cycles == 0) return next_;
    return time_of(cycle_from(t) + cycles);
  }

 private:
  __extension__ using Wide = unsigned __int128;

  // A division by a constant as a multiplication: clocks are asked hundreds of times per memory
  // access. For n up to 2^64 / d, high(n, reciprocal(d)) is n / d; beyond, at most one more.
  static std::uint64_t reciprocal(std::uint64_t d) {
    return d == 1 ? 0 : static_cast<std::uint64_t>((Wide{1} << 64) / d) + 1;
  }
  static std::uint64_t high(std::uint64_t n, std::uint64_t reciprocal_of_d) {
    return static_cast<std::uint64_t>((Wide{n} * reciprocal_of_d) >> 64);
  }

  std::uint64_t hertz_;
  std::uint64_t numerator_ = 0;
  std::uint64_t denominator_ = 1;
  std::uint64_t whole_ = 0;  ///< ticks of a cycle, and the fraction rest_ / denominator_
  std::uint64_t rest_ = 0;
  std::uint64_t by_denominator_ = 0;
  std::uint64_t by_numerator_ = 0;
  std::uint64_t exact_cycles_ = 0;
  std::uint64_t exact_ticks_ = 0;
  // standing_at()
  mutable Tick here_ = kNever;
  mutable Tick next_ = kNever;
  mutable std::uint64_t here_cycle_ = 0;
};

}  // namespace tessera
