// SPDX-License-Identifier: Apache-2.0
#pragma once

// Polynomials with integer coefficients over symbols (symbols.h). Arithmetic wraps modulo 2^64 like
// address arithmetic.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace tessera::ptx {

/// Index of a symbol in its SymbolTable.
using SymbolId = std::uint32_t;

/// A product of symbols, ascending, a power as repetition. Empty: the constant term.
using Monomial = std::vector<SymbolId>;

class Polynomial {
 public:
  Polynomial() = default;
  // Implicit, so that sums with constants read as such.
  Polynomial(std::int64_t constant) {
    add_term({}, constant);
  }  // NOLINT(google-explicit-constructor)
  static Polynomial symbol(SymbolId id) {
    Polynomial p;
    p.add_term({id}, 1);
    return p;
  }

  /// Terms with coefficients other than 0.
  const std::map<Monomial, std::int64_t>& terms() const { return terms_; }
  void add_term(const Monomial& monomial, std::int64_t coefficient);
  std::int64_t coefficient(const Monomial& monomial) const;
  bool is_zero() const { return terms_.empty(); }
  /// The value of a polynomial without symbols.
  std::optional<std::int64_t> constant() const;
  /// The highest power of a symbol, 0 if it does not occur.
  unsigned degree(SymbolId id) const;
  bool contains(SymbolId id) const { return degree(id) != 0; }
  /// All symbols that occur, ascending.
  std::vector<SymbolId> symbols() const;
  /// The sum of the terms for which `keep` is true.
  Polynomial filtered(const std::function<bool(const Monomial&)>& keep) const;
  /// The factor of a symbol's first power: P in P * id + (terms without id).
  /// Precondition: degree(id) <= 1.
  Polynomial factor(SymbolId id) const;
  /// The quotient, if every coefficient is a multiple of `divisor`.
  std::optional<Polynomial> divided(std::int64_t divisor) const;
  Polynomial substituted(SymbolId id, const Polynomial& value) const;

  Polynomial& operator+=(const Polynomial& other);
  Polynomial& operator-=(const Polynomial& other);
  friend Polynomial operator+(Polynomial a, const Polynomial& b) { return a += b; }
  friend Polynomial operator-(Polynomial a, const Polynomial& b) { return a -= b; }
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);
  friend bool operator==(const Polynomial& a, const Polynomial& b) { return a.terms_ == b.terms_; }
  friend bool operator!=(const Polynomial& a, const Polynomial& b) { return a.terms_ != b.terms_; }
  friend bool operator<(const Polynomial& a, const Polynomial& b) { return a.terms_ < b.terms_; }

 private:
  std::map<Monomial, std::int64_t> terms_;
};

/// The k for which `multiple` == k * `unit`, if there is one.
std::optional<std::int64_t> integer_ratio(const Polynomial& multiple, const Polynomial& unit);

}  // namespace tessera::ptx
