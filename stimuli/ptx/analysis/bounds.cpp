// SPDX-License-Identifier: Apache-2.0
// The treatment of borders in index expressions, and of masks that a launch decides.

#include <algorithm>
#include <array>
#include <cstdlib>

#include "stimuli/ptx/analysis/classify.h"

namespace tessera::ptx {

namespace {

constexpr int kMostBounds = 8;

/// Whether e >= 0 is false only at the border of the grid: an index compared with a small constant,
/// or with a parameter minus a small constant.
bool is_border(const SymbolTable& symbols, const Polynomial& e) {
  constexpr std::int64_t kNear = 8;
  if (std::abs(e.coefficient({})) > kNear) return false;
  bool rises = false;
  bool falls = false;
  unsigned limits = 0;
  for (const auto& [monomial, coefficient] : e.terms()) {
    if (monomial.empty()) continue;
    Polynomial term;
    term.add_term(monomial, 1);
    if (!is_uniform(symbols, term)) {
      (coefficient > 0 ? rises : falls) = true;
    } else if (monomial.size() == 1 && coefficient == 1) {
      ++limits;
    } else {
      return false;
    }
  }
  return rises ? !falls && limits == 0 : falls && limits == 1;
}

/// The expression of which a function limits the range: the operand that is not the limit.
std::optional<Polynomial> without_bound(const SymbolTable& symbols, const Symbol& s) {
  if (s.kind != SymbolKind::kFunction) return std::nullopt;
  const auto depends = [&](const Polynomial& p) { return depends_on_place(symbols, p); };
  if (s.function == IndexFunction::kMinimum || s.function == IndexFunction::kMaximum) {
    const Polynomial& a = s.operands[0];
    const Polynomial& b = s.operands[1];
    if (!depends(a) && !depends(b)) return std::nullopt;
    // min(i, 3) is 3 nearly everywhere.
    const auto is_limit = [&](const Polynomial& p) {
      constexpr std::int64_t kFew = 32;
      const bool is_low =
          s.function == IndexFunction::kMinimum && p.constant().value_or(kFew) < kFew;
      return is_uniform(symbols, p) && !is_low;
    };
    if (!depends(a - b) || is_limit(a)) return b;
    if (is_limit(b)) return a;
    return std::nullopt;
  }
  const Polynomial& e = s.operands[0];
  if (s.function == IndexFunction::kSelectEq) {
    // All places but one, if the others still have values of their own.
    const Polynomial& others = s.operands[2];
    const bool is_place = depends(e) && !symbols.any(e, [&](SymbolId id, const Symbol& t) {
      const bool is_index = t.kind == SymbolKind::kCtaid || t.kind == SymbolKind::kIteration;
      return t.kind == SymbolKind::kFunction || t.kind == SymbolKind::kOpaque ||
             (is_index && others.degree(id) == 0);
    });
    return is_place ? std::optional<Polynomial>(others) : std::nullopt;
  }
  if (s.function == IndexFunction::kSelectGe && is_border(symbols, e)) {
    // t < n ? t : t - n joins two parts of an array at n, wherever n lies.
    const Polynomial distance = s.operands[1] - s.operands[2];
    const std::vector<SymbolId> limits = e.symbols();
    const bool wraps = std::any_of(limits.begin(), limits.end(), [&](SymbolId id) {
      return is_uniform(symbols, Polynomial::symbol(id)) && distance.degree(id) != 0;
    });
    if (!depends(distance) && !wraps) return s.operands[1];
  }
  return std::nullopt;
}

/// The largest value of a sum of thread and CTA indices with factors of at least 0, all of whose
/// values are at least 0. Empty for others.
std::optional<std::int64_t> largest_value(const SymbolTable& symbols, const Polynomial& p,
                                          const LaunchView& launch) {
  std::optional<std::int64_t> most = symbols.evaluate(p, launch.values);  // all indices are 0
  if (!most || *most < 0) return std::nullopt;
  for (const SymbolId id : p.symbols()) {
    const Symbol& s = symbols[id];
    if (is_uniform(symbols, Polynomial::symbol(id))) continue;
    const bool is_index = s.kind == SymbolKind::kTid || s.kind == SymbolKind::kCtaid;
    if (!is_index || p.degree(id) > 1) return std::nullopt;
    const Dim3& dims = s.kind == SymbolKind::kTid ? launch.block : launch.grid;
    const std::array<std::uint32_t, 3> counts = {dims.x, dims.y, dims.z};
    const Polynomial factor = p.factor(id);
    const std::optional<std::int64_t> value = symbols.evaluate(factor, launch.values);
    if (!is_uniform(symbols, factor) || !value || *value < 0) return std::nullopt;
    *most += *value * (std::int64_t{counts[s.axis]} - 1);
  }
  return most;
}

/// x & m for the values of a launch: x if m is 2^k - 1 and all x are below 2^k, 0 if m is -2^k.
std::optional<Polynomial> without_mask(const SymbolTable& symbols, const Symbol& s,
                                       const LaunchView& launch) {
  if (s.kind != SymbolKind::kFunction || s.function != IndexFunction::kAnd) return std::nullopt;
  const std::size_t masks = is_uniform(symbols, s.operands[0]) ? 0 : 1;
  const Polynomial& x = s.operands[1 - masks];
  if (!is_uniform(symbols, s.operands[masks])) return std::nullopt;
  const std::optional<std::int64_t> mask = symbols.evaluate(s.operands[masks], launch.values);
  const std::optional<std::int64_t> most = largest_value(symbols, x, launch);
  if (!mask || !most) return std::nullopt;
  if (s.bits < 64 && *most >> (s.bits - 1) != 0) return std::nullopt;
  if (*mask >= *most && (*mask & (*mask + 1)) == 0) return x;
  if (*mask < 0 && (-*mask & (-*mask - 1)) == 0 && *most < -*mask) return Polynomial();
  return std::nullopt;
}

}  // namespace

bool depends_on_place(const SymbolTable& symbols, const Polynomial& p) {
  return symbols.any(p, [](SymbolId, const Symbol& s) {
    return s.kind == SymbolKind::kCtaid || s.kind == SymbolKind::kIteration ||
           s.kind == SymbolKind::kTrips || s.kind == SymbolKind::kOpaque ||
           s.kind == SymbolKind::kPending;
  });
}

bool is_uniform(const SymbolTable& symbols, const Polynomial& p) {
  return !depends_on_place(symbols, p) &&
         !symbols.any(p, [](SymbolId, const Symbol& s) { return s.kind == SymbolKind::kTid; });
}

Polynomial without_bounds(SymbolTable& symbols, const Polynomial& p) {
  Polynomial out = p;
  for (int n = 0; n < kMostBounds; ++n) {
    Polynomial next = symbols.substituted(out, [&](SymbolId id) -> std::optional<Polynomial> {
      return without_bound(symbols, symbols[id]);
    });
    if (next == out) break;
    out = std::move(next);
  }
  return out;
}

Polynomial without_masks(const SymbolTable& symbols, const Polynomial& p,
                         const LaunchView& launch) {
  Polynomial out = p;
  for (const SymbolId id : p.symbols()) {
    if (const auto value = without_mask(symbols, symbols[id], launch)) {
      out = out.substituted(id, *value);
    }
  }
  return out;
}

}  // namespace tessera::ptx
