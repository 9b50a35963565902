// SPDX-License-Identifier: Apache-2.0
#pragma once

// Running error analysis for references of kernels with long chains of float operations: arithmetic
// in double on values with an error bound of their float counterparts.

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "stimuli/runner/part.h"

namespace tessera::kernels {

/// A value, and a bound of the difference between it and the same computation in float, if the
/// operands are within their bounds and every operation rounds once. The bound also holds for fused
/// multiply-adds, which round less often.
class Bounded {
 public:
  Bounded() = default;
  /// An exact value of the kernel: an input or a literal.
  Bounded(float exact) : value_(double{exact}) {}  // NOLINT(google-explicit-constructor)
  static Bounded within(double value, double error) {
    Bounded out;
    out.value_ = value;
    out.error_ = error;
    return out;
  }

  double value() const { return value_; }
  double error() const { return error_; }
  /// The largest possible magnitude of the float.
  double magnitude() const { return std::fabs(value_) + error_; }
  Element64 expectation() const { return Element64::about(value_, error_); }

  friend Bounded operator+(const Bounded& a, const Bounded& b) {
    return rounded(a.value_ + b.value_, a.error_ + b.error_);
  }
  friend Bounded operator-(const Bounded& a, const Bounded& b) {
    return rounded(a.value_ - b.value_, a.error_ + b.error_);
  }
  friend Bounded operator-(const Bounded& a) { return within(-a.value_, a.error_); }
  friend Bounded operator*(const Bounded& a, const Bounded& b) {
    return rounded(a.value_ * b.value_, std::fabs(a.value_) * b.error_ +
                                            std::fabs(b.value_) * a.error_ + a.error_ * b.error_);
  }
  /// The interval of the divisor must not contain 0; otherwise the bound is infinite and
  /// verification is ineffective.
  friend Bounded operator/(const Bounded& a, const Bounded& b) {
    const double value = a.value_ / b.value_;
    const double room = std::fabs(b.value_) - b.error_;
    return rounded(value, room > 0 ? (a.error_ + std::fabs(value) * b.error_) / room : HUGE_VAL);
  }
  friend Bounded sqrt(const Bounded& a) {
    const double value = std::sqrt(a.value_);
    return rounded(value, value - std::sqrt(std::max(a.value_ - a.error_, 0.0)));
  }
  friend Bounded abs(const Bounded& a) { return within(std::fabs(a.value_), a.error_); }
  friend Bounded max(const Bounded& a, const Bounded& b) {
    return within(std::max(a.value_, b.value_), std::max(a.error_, b.error_));
  }
  friend Bounded min(const Bounded& a, const Bounded& b) {
    return within(std::min(a.value_, b.value_), std::max(a.error_, b.error_));
  }

  /// The sum of all terms, for any order of the kernel's additions.
  static Bounded sum(std::initializer_list<Bounded> terms) {
    double value = 0;
    double magnitude = 0;
    double error = 0;
    for (const Bounded& t : terms) {
      value += t.value_;
      magnitude += t.magnitude();
      error += t.error_;
    }
    return within(value, error + float_error(terms.size() - 1, magnitude));
  }

 private:
  /// The result of one operation whose error before rounding is `inherited`. The factor also covers
  /// the rounding of our double computation.
  static Bounded rounded(double value, double inherited) {
    constexpr double kUnit = kFloatRounding * (1 + 0x1p-20);
    return within(value, inherited + kUnit * (std::fabs(value) + inherited) + 0x1p-149);
  }

  double value_ = 0;
  double error_ = 0;
};

/// The expectation of an output with bounds.
inline Expectation expected(std::string array, std::vector<Bounded> values) {
  return {std::move(array),
          [values = std::move(values)](std::uint64_t i) { return values[i].expectation(); }};
}

/// Converts exact input values.
inline std::vector<Bounded> bounded(const Values<float>& values) {
  return std::vector<Bounded>(values.begin(), values.end());
}

}  // namespace tessera::kernels
