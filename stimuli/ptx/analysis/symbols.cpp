// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/analysis/symbols.h"

#include <algorithm>
#include <limits>

namespace tessera::ptx {

namespace {

constexpr std::int64_t kUnlimited = Interval::kUnlimited;

const char* axis_name(unsigned axis) {
  constexpr std::array<const char*, 3> kNames = {".x", ".y", ".z"};
  return kNames[axis];
}

std::int64_t clamp(__int128 v) {
  if (v > kUnlimited) return kUnlimited;
  if (v < -kUnlimited) return -kUnlimited;
  return static_cast<std::int64_t>(v);
}

Interval sum(const Interval& a, const Interval& b) {
  const bool low = a.low > -kUnlimited && b.low > -kUnlimited;
  const bool high = a.high < kUnlimited && b.high < kUnlimited;
  return {low ? clamp(__int128{a.low} + b.low) : -kUnlimited,
          high ? clamp(__int128{a.high} + b.high) : kUnlimited};
}

Interval product(const Interval& a, const Interval& b) {
  const __int128 v[] = {__int128{a.low} * b.low, __int128{a.low} * b.high, __int128{a.high} * b.low,
                        __int128{a.high} * b.high};
  return {clamp(*std::min_element(std::begin(v), std::end(v))),
          clamp(*std::max_element(std::begin(v), std::end(v)))};
}

/// The lowest `bits` bits of a value as an integer of that type.
std::int64_t typed(std::int64_t v, unsigned bits, bool is_signed) {
  if (bits >= 64) return v;
  const auto shifted = static_cast<std::uint64_t>(v) << (64 - bits);
  return is_signed ? static_cast<std::int64_t>(shifted) >> (64 - bits)
                   : static_cast<std::int64_t>(shifted >> (64 - bits));
}

std::int64_t upper_half(std::int64_t a, std::int64_t b, unsigned bits, bool is_signed) {
  if (is_signed) return static_cast<std::int64_t>((__int128{a} * b) >> bits);
  const auto x = static_cast<unsigned __int128>(static_cast<std::uint64_t>(a));
  return static_cast<std::int64_t>((x * static_cast<std::uint64_t>(b)) >> bits);
}

const char* function_name(IndexFunction f) {
  switch (f) {
    case IndexFunction::kDivide:
      return " / ";
    case IndexFunction::kShiftRight:
      return " >> ";
    case IndexFunction::kAnd:
      return " & ";
    case IndexFunction::kOr:
      return " | ";
    case IndexFunction::kXor:
      return " ^ ";
    case IndexFunction::kShiftLeft:
      return " << ";
    case IndexFunction::kMinimum:
      return "min";
    case IndexFunction::kMaximum:
      return "max";
    case IndexFunction::kMultiplyHigh:
      return "mulhi";
    case IndexFunction::kAbsolute:
      return "abs";
    case IndexFunction::kTruncate:
      return "truncate";
    case IndexFunction::kSelectGe:
    case IndexFunction::kSelectEq:
      return "select";
  }
  return "?";
}

bool is_infix(IndexFunction f) { return function_name(f)[0] == ' '; }

}  // namespace

SymbolId SymbolTable::intern(Symbol symbol) {
  const std::uint64_t kind = static_cast<std::uint64_t>(symbol.kind) << 32 |
                             static_cast<std::uint64_t>(symbol.function) << 8 |
                             (symbol.is_signed ? 1u : 0u);
  const Key key{{kind, symbol.axis + 4 * symbol.parameter, symbol.offset, symbol.bytes,
                 symbol.loop + (std::uint64_t{symbol.bits} << 32)},
                {symbol.name, symbol.operands}};
  const auto [it, is_new] = ids_.try_emplace(key, static_cast<SymbolId>(symbols_.size()));
  if (is_new) symbols_.push_back(std::move(symbol));
  return it->second;
}

SymbolId SymbolTable::index(SymbolKind kind, unsigned axis) {
  Symbol s;
  s.kind = kind;
  s.axis = axis;
  return intern(std::move(s));
}

SymbolId SymbolTable::parameter(std::size_t parameter, const std::string& name,
                                std::uint32_t offset, std::uint32_t bytes) {
  Symbol s;
  s.kind = SymbolKind::kParameter;
  s.parameter = parameter;
  s.name = name;
  s.offset = offset;
  s.bytes = bytes;
  return intern(std::move(s));
}

SymbolId SymbolTable::variable(const std::string& name) {
  Symbol s;
  s.kind = SymbolKind::kVariable;
  s.name = name;
  return intern(std::move(s));
}

SymbolId SymbolTable::of_loop(SymbolKind kind, unsigned loop) {
  Symbol s;
  s.kind = kind;
  s.loop = loop;
  return intern(std::move(s));
}

SymbolId SymbolTable::function(IndexFunction function, unsigned bits, bool is_signed,
                               std::vector<Polynomial> operands) {
  Symbol s;
  s.kind = SymbolKind::kFunction;
  s.function = function;
  s.bits = bits;
  s.is_signed = is_signed;
  for (const Polynomial& p : operands) {
    for (const SymbolId id : p.symbols()) s.nesting = std::max(s.nesting, symbols_[id].nesting);
  }
  ++s.nesting;
  s.operands = std::move(operands);
  return intern(std::move(s));
}

SymbolId SymbolTable::choice(unsigned line, std::uint32_t block, const std::string& why) {
  const SymbolId id = opaque(line, block, why);
  symbols_[id].is_uniform_choice = true;
  return id;
}

SymbolId SymbolTable::loaded(unsigned line, std::uint32_t block, std::size_t instruction, int part,
                             const std::string& why) {
  const SymbolId id = opaque(line, block, why);
  symbols_[id].is_loaded = true;
  symbols_[id].instruction = instruction;
  symbols_[id].part = part;
  return id;
}

SymbolId SymbolTable::opaque(unsigned line, std::uint32_t block, const std::string& why) {
  Symbol s;
  s.kind = SymbolKind::kOpaque;
  s.line = line;
  s.block = block;
  s.why = why;
  symbols_.push_back(std::move(s));
  return static_cast<SymbolId>(symbols_.size() - 1);
}

SymbolId SymbolTable::pending(std::uint32_t block) {
  Symbol s;
  s.kind = SymbolKind::kPending;
  s.block = block;
  symbols_.push_back(std::move(s));
  return static_cast<SymbolId>(symbols_.size() - 1);
}

std::string SymbolTable::text(SymbolId id) const {
  const Symbol& s = symbols_[id];
  switch (s.kind) {
    case SymbolKind::kTid:
      return std::string("tid") + axis_name(s.axis);
    case SymbolKind::kCtaid:
      return std::string("ctaid") + axis_name(s.axis);
    case SymbolKind::kNtid:
      return std::string("ntid") + axis_name(s.axis);
    case SymbolKind::kNctaid:
      return std::string("nctaid") + axis_name(s.axis);
    case SymbolKind::kParameter:
      return s.offset == 0 ? s.name : "(" + s.name + "+" + std::to_string(s.offset) + ")";
    case SymbolKind::kVariable:
      return s.name;
    case SymbolKind::kIteration:
      return "m" + std::to_string(s.loop + 1);
    case SymbolKind::kTrips:
      return "trips" + std::to_string(s.loop + 1);
    case SymbolKind::kOpaque:
      return "value@" + std::to_string(s.line);
    case SymbolKind::kPending:
      return "?";
    case SymbolKind::kFunction:
      break;
  }
  std::string out = is_infix(s.function) ? "" : function_name(s.function);
  const char* between = "(";
  for (const Polynomial& p : s.operands) {
    out += between;
    const std::string operand = text(p);
    const bool is_simple = !is_infix(s.function) || operand.find(' ') == std::string::npos;
    out += is_simple ? operand : "(" + operand + ")";
    between = is_infix(s.function) ? function_name(s.function) : ", ";
  }
  return out + ")";
}

std::string SymbolTable::text(const Polynomial& p) const {
  if (p.is_zero()) return "0";
  std::string out;
  // Terms with symbols first, the constant last.
  std::vector<std::pair<Monomial, std::int64_t>> terms(p.terms().begin(), p.terms().end());
  if (terms.front().first.empty()) std::rotate(terms.begin(), terms.begin() + 1, terms.end());
  for (const auto& [monomial, coefficient] : terms) {
    const bool negative = coefficient < 0;
    const std::uint64_t magnitude = negative ? 0 - static_cast<std::uint64_t>(coefficient)
                                             : static_cast<std::uint64_t>(coefficient);
    out += out.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    if (magnitude != 1 || monomial.empty()) out += std::to_string(magnitude);
    bool first = magnitude == 1;
    for (const SymbolId id : monomial) {
      out += (first ? "" : "*") + text(id);
      first = false;
    }
  }
  return out;
}

Polynomial SymbolTable::substituted(
    const Polynomial& p, const std::function<std::optional<Polynomial>(SymbolId)>& value) {
  std::map<SymbolId, std::optional<Polynomial>> known;
  return substituted(p, value, known);
}

/// `known`: replacements found so far, empty for symbols that stay.
Polynomial SymbolTable::substituted(const Polynomial& p,
                                    const std::function<std::optional<Polynomial>(SymbolId)>& value,
                                    std::map<SymbolId, std::optional<Polynomial>>& known) {
  Polynomial out = p;
  for (const SymbolId id : p.symbols()) {
    const auto found = known.find(id);
    std::optional<Polynomial> replacement = found != known.end() ? found->second : value(id);
    if (found == known.end() && !replacement && symbols_[id].kind == SymbolKind::kFunction) {
      std::vector<Polynomial> operands = symbols_[id].operands;
      bool changed = false;
      for (Polynomial& operand : operands) {
        Polynomial q = substituted(operand, value, known);
        changed = changed || q != operand;
        operand = std::move(q);
      }
      if (changed) {
        const Symbol& s = symbols_[id];
        replacement =
            Polynomial::symbol(function(s.function, s.bits, s.is_signed, std::move(operands)));
      }
    }
    known.emplace(id, replacement);
    if (replacement) out = out.substituted(id, *replacement);
  }
  return out;
}

Interval SymbolTable::range_of(SymbolId id) const {
  const Symbol& s = symbols_[id];
  const auto operand = [&](std::size_t i) { return range(s.operands[i]); };
  switch (s.kind) {
    case SymbolKind::kTid:
      return {0, s.axis == 2 ? 63 : 1023};
    case SymbolKind::kNtid:
      return {1, s.axis == 2 ? 64 : 1024};
    case SymbolKind::kCtaid:
      return {0, s.axis == 0 ? std::numeric_limits<std::int32_t>::max() - 1 : 65534};
    case SymbolKind::kNctaid:
      return {1, s.axis == 0 ? std::numeric_limits<std::int32_t>::max() : 65535};
    case SymbolKind::kIteration:
    case SymbolKind::kTrips:
      return {0, kUnlimited};
    case SymbolKind::kParameter:
      if (s.bytes >= 8) return {};
      return {-(std::int64_t{1} << (8 * s.bytes - 1)), (std::int64_t{1} << (8 * s.bytes)) - 1};
    case SymbolKind::kVariable:
      return {0, kUnlimited};
    case SymbolKind::kOpaque:
    case SymbolKind::kPending:
      return {};
    case SymbolKind::kFunction:
      break;
  }
  switch (s.function) {
    case IndexFunction::kMinimum: {
      const Interval a = operand(0);
      const Interval b = operand(1);
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    }
    case IndexFunction::kMaximum: {
      const Interval a = operand(0);
      const Interval b = operand(1);
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    }
    case IndexFunction::kSelectGe:
    case IndexFunction::kSelectEq: {
      const Interval a = operand(1);
      const Interval b = operand(2);
      return {std::min(a.low, b.low), std::max(a.high, b.high)};
    }
    case IndexFunction::kShiftRight: {
      const Interval a = operand(0);
      const std::optional<std::int64_t> k = s.operands[1].constant();
      if (!k || *k < 0 || *k > 62) return {};
      return {a.low <= -kUnlimited ? a.low : a.low >> *k,
              a.high >= kUnlimited ? a.high : a.high >> *k};
    }
    case IndexFunction::kDivide: {
      const Interval a = operand(0);
      const Interval b = operand(1);
      if (a.low < 0 || b.low < 1) return {};
      return {0, a.high >= kUnlimited ? a.high : a.high / b.low};
    }
    case IndexFunction::kAnd: {
      const Interval a = operand(0);
      const Interval b = operand(1);
      if (a.low >= 0 && b.low >= 0) return {0, std::min(a.high, b.high)};
      if (a.low >= 0) return {0, a.high};
      if (b.low >= 0) return {0, b.high};
      return {};
    }
    case IndexFunction::kTruncate:
      if (s.is_signed || s.bits > 62) return {};
      return {0, (std::int64_t{1} << s.bits) - 1};
    default:
      return {};
  }
}

Interval SymbolTable::range(const Polynomial& p) const {
  // A remainder a - c * (a / c) has a smaller range than the sum of its terms.
  for (const SymbolId id : p.symbols()) {
    const Symbol& s = symbols_[id];
    if (s.kind != SymbolKind::kFunction) continue;
    const bool shifts = s.function == IndexFunction::kShiftRight;
    if (!shifts && s.function != IndexFunction::kDivide) continue;
    const std::optional<std::int64_t> by = s.operands[1].constant();
    if (!by || *by < 1 || (shifts && *by > 30)) continue;
    const std::int64_t divisor = shifts ? std::int64_t{1} << *by : *by;
    const std::int64_t coefficient = p.coefficient({id});
    if (coefficient >= 0 || coefficient % divisor != 0) continue;
    if (!shifts && range(s.operands[0]).low < 0) continue;
    const std::int64_t times = -(coefficient / divisor);
    const Polynomial remainder = s.operands[0] - Polynomial::symbol(id) * Polynomial(divisor);
    const Polynomial rest = p - remainder * Polynomial(times);
    if (rest.terms().size() >= p.terms().size()) continue;
    return sum(range(rest), {0, clamp(__int128{times} * (divisor - 1))});
  }
  Interval total{0, 0};
  for (const auto& [monomial, coefficient] : p.terms()) {
    Interval term{coefficient, coefficient};
    for (const SymbolId id : monomial) {
      auto found = ranges_.find(id);
      if (found == ranges_.end()) found = ranges_.emplace(id, range_of(id)).first;
      const Interval& factor = found->second;
      term = product(term, factor);
    }
    total = sum(total, term);
  }
  return total;
}

std::optional<std::int64_t> SymbolTable::evaluate(const Polynomial& p,
                                                  const SymbolValues& values) const {
  Known known;
  return evaluate(p, values, known);
}

/// `known`: the functions' values so far.
std::optional<std::int64_t> SymbolTable::evaluate(const Polynomial& p, const SymbolValues& values,
                                                  Known& known) const {
  std::uint64_t total = 0;
  for (const auto& [monomial, coefficient] : p.terms()) {
    auto term = static_cast<std::uint64_t>(coefficient);
    for (const SymbolId id : monomial) {
      const Symbol& s = symbols_[id];
      std::optional<std::int64_t> v;
      if (s.kind != SymbolKind::kFunction) {
        v = values.value(id, s);
      } else if (const auto found = known.find(id); found != known.end()) {
        v = found->second;
      } else {
        v = evaluate_function(s, values, known);
        known.emplace(id, v);
      }
      if (!v) return std::nullopt;
      term *= static_cast<std::uint64_t>(*v);
    }
    total += term;
  }
  return static_cast<std::int64_t>(total);
}

std::optional<std::int64_t> SymbolTable::evaluate_function(const Symbol& s,
                                                           const SymbolValues& values,
                                                           Known& known) const {
  std::array<std::int64_t, 3> v{};
  for (std::size_t i = 0; i < s.operands.size(); ++i) {
    const std::optional<std::int64_t> operand = evaluate(s.operands[i], values, known);
    if (!operand) return std::nullopt;
    v[i] = *operand;
  }
  const bool selects =
      s.function == IndexFunction::kSelectGe || s.function == IndexFunction::kSelectEq;
  if (!selects) {
    for (std::int64_t& x : v) x = typed(x, s.bits, s.is_signed);
  }
  const auto is_less = [&](std::int64_t a, std::int64_t b) {
    return s.is_signed ? a < b : static_cast<std::uint64_t>(a) < static_cast<std::uint64_t>(b);
  };
  const auto u = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
  const auto shift = static_cast<std::uint64_t>(v[1]) & 0xffffffffu;
  std::int64_t r = 0;
  switch (s.function) {
    case IndexFunction::kDivide:
      if (v[1] == 0 || (v[1] == -1 && v[0] == std::numeric_limits<std::int64_t>::min())) {
        return std::nullopt;
      }
      r = s.is_signed ? v[0] / v[1] : static_cast<std::int64_t>(u(v[0]) / u(v[1]));
      break;
    case IndexFunction::kShiftRight:
      if (shift >= s.bits) {
        r = s.is_signed && v[0] < 0 ? -1 : 0;
      } else {
        r = s.is_signed ? v[0] >> shift : static_cast<std::int64_t>(u(v[0]) >> shift);
      }
      break;
    case IndexFunction::kShiftLeft:
      r = shift >= s.bits ? 0 : static_cast<std::int64_t>(u(v[0]) << shift);
      break;
    case IndexFunction::kMinimum:
      r = is_less(v[0], v[1]) ? v[0] : v[1];
      break;
    case IndexFunction::kMaximum:
      r = is_less(v[0], v[1]) ? v[1] : v[0];
      break;
    case IndexFunction::kAnd:
      r = v[0] & v[1];
      break;
    case IndexFunction::kOr:
      r = v[0] | v[1];
      break;
    case IndexFunction::kXor:
      r = v[0] ^ v[1];
      break;
    case IndexFunction::kMultiplyHigh:
      r = upper_half(v[0], v[1], s.bits, s.is_signed);
      break;
    case IndexFunction::kAbsolute:
      r = v[0] < 0 ? static_cast<std::int64_t>(0 - u(v[0])) : v[0];
      break;
    case IndexFunction::kTruncate:
      r = v[0];
      break;
    case IndexFunction::kSelectGe:
      return v[0] >= 0 ? v[1] : v[2];
    case IndexFunction::kSelectEq:
      return v[0] == 0 ? v[1] : v[2];
  }
  return typed(r, s.bits, s.is_signed);
}

unsigned trailing_zeros(const Polynomial& p) {
  unsigned zeros = 62;
  for (const auto& [monomial, coefficient] : p.terms()) {
    zeros = std::min(
        zeros, static_cast<unsigned>(__builtin_ctzll(static_cast<std::uint64_t>(coefficient))));
  }
  return zeros;
}

}  // namespace tessera::ptx
