// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/analysis/polynomial.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

namespace tessera::ptx {

namespace {

std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t wrapping_product(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

/// Whether a % b and a / b are defined.
bool divisible(std::int64_t a, std::int64_t b) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return false;
  return a % b == 0;
}

}  // namespace

void Polynomial::add_term(const Monomial& monomial, std::int64_t coefficient) {
  if (coefficient == 0) return;
  const auto [it, is_new] = terms_.try_emplace(monomial, coefficient);
  if (is_new) return;
  it->second = wrapping_sum(it->second, coefficient);
  if (it->second == 0) terms_.erase(it);
}

std::int64_t Polynomial::coefficient(const Monomial& monomial) const {
  const auto it = terms_.find(monomial);
  return it == terms_.end() ? 0 : it->second;
}

std::optional<std::int64_t> Polynomial::constant() const {
  if (terms_.empty()) return 0;
  if (terms_.size() == 1 && terms_.begin()->first.empty()) return terms_.begin()->second;
  return std::nullopt;
}

unsigned Polynomial::degree(SymbolId id) const {
  std::ptrdiff_t highest = 0;
  for (const auto& [monomial, coefficient] : terms_) {
    highest = std::max(highest, std::count(monomial.begin(), monomial.end(), id));
  }
  return static_cast<unsigned>(highest);
}

std::vector<SymbolId> Polynomial::symbols() const {
  std::set<SymbolId> found;
  for (const auto& [monomial, coefficient] : terms_) found.insert(monomial.begin(), monomial.end());
  return {found.begin(), found.end()};
}

Polynomial Polynomial::filtered(const std::function<bool(const Monomial&)>& keep) const {
  Polynomial out;
  for (const auto& [monomial, coefficient] : terms_) {
    if (keep(monomial)) out.terms_.emplace(monomial, coefficient);
  }
  return out;
}

Polynomial Polynomial::factor(SymbolId id) const {
  Polynomial out;
  for (const auto& [monomial, coefficient] : terms_) {
    const auto at = std::find(monomial.begin(), monomial.end(), id);
    if (at == monomial.end()) continue;
    Monomial rest = monomial;
    rest.erase(rest.begin() + (at - monomial.begin()));
    out.add_term(rest, coefficient);
  }
  return out;
}

std::optional<Polynomial> Polynomial::divided(std::int64_t divisor) const {
  Polynomial out;
  for (const auto& [monomial, coefficient] : terms_) {
    if (!divisible(coefficient, divisor)) return std::nullopt;
    out.terms_.emplace(monomial, coefficient / divisor);
  }
  return out;
}

Polynomial Polynomial::substituted(SymbolId id, const Polynomial& value) const {
  Polynomial out;
  for (const auto& [monomial, coefficient] : terms_) {
    Monomial rest;
    Polynomial product;
    for (const SymbolId s : monomial) {
      if (s != id) rest.push_back(s);
    }
    product.add_term(rest, coefficient);
    for (std::size_t n = rest.size(); n < monomial.size(); ++n) product = product * value;
    out += product;
  }
  return out;
}

Polynomial& Polynomial::operator+=(const Polynomial& other) {
  for (const auto& [monomial, coefficient] : other.terms_) add_term(monomial, coefficient);
  return *this;
}

Polynomial& Polynomial::operator-=(const Polynomial& other) {
  for (const auto& [monomial, coefficient] : other.terms_) {
    add_term(monomial, wrapping_product(coefficient, -1));
  }
  return *this;
}

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial out;
  for (const auto& [left, x] : a.terms_) {
    for (const auto& [right, y] : b.terms_) {
      Monomial product;
      product.reserve(left.size() + right.size());
      std::merge(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(product));
      out.add_term(product, wrapping_product(x, y));
    }
  }
  return out;
}

std::optional<std::int64_t> integer_ratio(const Polynomial& multiple, const Polynomial& unit) {
  if (unit.is_zero()) return std::nullopt;
  if (multiple.is_zero()) return 0;
  const auto& [monomial, coefficient] = *unit.terms().begin();
  const std::int64_t of_multiple = multiple.coefficient(monomial);
  if (of_multiple == 0 || !divisible(of_multiple, coefficient)) return std::nullopt;
  const std::int64_t ratio = of_multiple / coefficient;
  if (unit * Polynomial(ratio) != multiple) return std::nullopt;
  return ratio;
}

}  // namespace tessera::ptx
