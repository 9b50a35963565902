// SPDX-License-Identifier: Apache-2.0
// ValueAnalysis: the results of single instructions.

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>

#include "stimuli/ptx/analysis/values.h"
#include "stimuli/ptx/points_to.h"
#include "stimuli/ptx/words.h"

namespace tessera::ptx {

namespace {

constexpr unsigned kDeepestFunction = 8;
constexpr std::int64_t kMostInt32 = std::numeric_limits<std::int32_t>::max();

struct IntegerType {
  unsigned bits = 0;  ///< 0: no integer type
  bool is_signed = false;
};

IntegerType integer_type(const std::string& name) {
  if (name.size() < 2 || (name[0] != 'u' && name[0] != 's' && name[0] != 'b')) return {};
  const unsigned bits = 8 * type_bytes(type_from_name(name));
  if (bits > 64) return {};
  return {bits, name[0] == 's'};
}

IntegerType last_type(const Instruction& in) {
  return in.modifiers.empty() ? IntegerType{} : integer_type(in.modifiers.back());
}

std::optional<unsigned> power_of_two(std::int64_t v) {
  if (v <= 0 || (v & (v - 1)) != 0) return std::nullopt;
  return static_cast<unsigned>(__builtin_ctzll(static_cast<std::uint64_t>(v)));
}

/// Splits a sum into a multiple of `divisor` and the rest, and returns the quotient if the rest is
/// in 0 .. divisor - 1.
std::optional<Polynomial> exact_quotient(const SymbolTable& symbols, const Polynomial& p,
                                         std::int64_t divisor) {
  Polynomial multiple;
  Polynomial rest;
  for (const auto& [monomial, coefficient] : p.terms()) {
    // The rest's share of a constant is not negative.
    const std::int64_t remainder =
        monomial.empty() ? ((coefficient % divisor) + divisor) % divisor : coefficient % divisor;
    if (remainder == 0 || monomial.empty()) {
      multiple.add_term(monomial, (coefficient - remainder) / divisor);
      rest.add_term(monomial, remainder);
    } else {
      rest.add_term(monomial, coefficient);
    }
  }
  if (!symbols.range(rest).within(0, divisor - 1)) return std::nullopt;
  return multiple;
}

}  // namespace

Polynomial ValueAnalysis::function(std::size_t i, IndexFunction f, unsigned bits, bool is_signed,
                                   std::vector<Polynomial> operands) {
  unsigned nesting = 0;
  for (const Polynomial& p : operands) {
    for (const SymbolId id : p.symbols()) {
      const Symbol& s = symbols_[id];
      nesting = std::max(nesting, s.nesting);
      if (s.kind != SymbolKind::kOpaque) continue;
      // The reason is the operand's.
      return Polynomial::symbol(symbols_.opaque(s.line, nest_.block_of(i), s.why));
    }
  }
  if (nesting >= kDeepestFunction) return unknown(i, "a long chain of integer operations, last");
  return Polynomial::symbol(symbols_.function(f, bits, is_signed, std::move(operands)));
}

Polynomial ValueAnalysis::compute(const Definition& v) {
  const Instruction& in = function_.body[v.instruction];
  const std::string& op = in.opcode;
  if (op == "st") return operand_value(v.instruction, in.operands[1]);
  if (op == "ld" || op == "ldu") return load(v);
  const bool reads_memory =
      std::any_of(in.operands.begin(), in.operands.end(),
                  [](const Operand& o) { return o.kind == Operand::Kind::kAddress; });
  if (reads_memory) {
    return Polynomial::symbol(symbols_.loaded(in.line, v.block, v.instruction, v.part,
                                              "a value from memory, '" + in.text + "'"));
  }
  const bool is_second = v.part < 0 && in.operands[0].second_name == v.name;
  if (v.part < 0 && !is_second) {
    if (const auto p = integer_result(v.instruction)) return *p;
  }
  return unknown(v.instruction, "a value that is no polynomial of indices,");
}

Polynomial ValueAnalysis::load(const Definition& v) {
  const Instruction& in = function_.body[v.instruction];
  if (in.operands.size() >= 2) {
    if (const auto p = load_parameter(v)) return *p;
    const Operand& from = in.operands[1];
    const auto argument = definitions_.reaching(Definitions::argument_name(from), v.instruction);
    const auto variable = variables_.find(from.name);
    const bool is_argument = variable != variables_.end() && v.part < 0 &&
                             variable->second == StateSpace::kParam && argument;
    if (is_argument) return resolved(use(*argument, v.block));
  }
  return Polynomial::symbol(symbols_.loaded(in.line, v.block, v.instruction, v.part,
                                            "a loaded value, '" + in.text + "'"));
}

/// The parameter whose address a register holds: "mov.b64 %rd1, parameter; mov.u64 %rd2, %rd1".
std::optional<Operand> ValueAnalysis::parameter_address(const Definition& v) {
  constexpr int kMostMoves = 8;
  Operand from = function_.body[v.instruction].operands[1];
  std::size_t at = v.instruction;
  for (int n = 0; n < kMostMoves; ++n) {
    if (parameters_.count(from.name) != 0) return from;
    const auto id = definitions_.reaching(Definitions::name_of(from), at);
    if (!id) return std::nullopt;
    const Definition& base = definitions_[*id];
    if (base.kind != Definition::Kind::kInstruction) return std::nullopt;
    const Instruction& move = function_.body[base.instruction];
    const bool is_plain = move.opcode == "mov" && move.guard.empty() && move.operands.size() == 2;
    if (!is_plain) return std::nullopt;
    at = base.instruction;
    const std::int64_t offset = from.integer;
    from = move.operands[1];
    from.integer += offset;
  }
  return std::nullopt;
}

std::optional<Polynomial> ValueAnalysis::load_parameter(const Definition& v) {
  const Instruction& in = function_.body[v.instruction];
  if (!has_modifier(in, "param")) return std::nullopt;
  const std::optional<Operand> from = parameter_address(v);
  if (!from) return std::nullopt;
  const std::size_t parameter = parameters_.at(from->name);
  const IntegerType type = last_type(in);
  const std::uint32_t bytes = type.bits / 8;
  const std::int64_t offset = from->integer + std::int64_t{bytes} * std::max(v.part, 0);
  const auto size = static_cast<std::int64_t>(function_.parameters[parameter].bytes());
  if (bytes == 0 || offset < 0 || offset + bytes > size) {
    return unknown(v.instruction, "a parameter that is no integer,");
  }
  return Polynomial::symbol(
      symbols_.parameter(parameter, from->name, static_cast<std::uint32_t>(offset), bytes));
}

/// A source operand. Constants of 32-bit instructions are signed.
Polynomial ValueAnalysis::source(std::size_t i, std::size_t operand, unsigned bits) {
  const Instruction& in = function_.body[i];
  if (operand >= in.operands.size()) return unknown(i, "a missing operand in");
  const Operand& o = in.operands[operand];
  if (o.kind == Operand::Kind::kInteger && bits == 32) {
    return Polynomial(static_cast<std::int32_t>(static_cast<std::uint32_t>(o.integer)));
  }
  return operand_value(i, o);
}

/// The value in a register of less than 32 bits.
Polynomial ValueAnalysis::narrowed(std::size_t i, const Polynomial& p, unsigned bits,
                                   bool is_signed) {
  if (bits >= 32) return p;
  const std::int64_t least = is_signed ? -(std::int64_t{1} << (bits - 1)) : 0;
  const std::int64_t most = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  if (symbols_.range(p).within(least, most)) return p;
  return function(i, IndexFunction::kTruncate, bits, is_signed, {p});
}

/// The value of a register of `bits` bits, extended. Bit patterns such as hash values use the full
/// range of the register, and wrap.
Polynomial ValueAnalysis::widened(std::size_t i, const Polynomial& p, unsigned bits,
                                  bool is_signed) {
  if (bits < 32) return narrowed(i, p, bits, is_signed);
  const bool is_pattern = symbols_.any(p, [](SymbolId, const Symbol& s) {
    if (s.kind != SymbolKind::kFunction) return false;
    return s.function == IndexFunction::kXor || s.function == IndexFunction::kOr ||
           s.function == IndexFunction::kShiftLeft || s.function == IndexFunction::kMultiplyHigh;
  });
  if (!is_pattern) return p;
  const std::int64_t least = is_signed ? -kMostInt32 - 1 : 0;
  if (symbols_.range(p).within(least, is_signed ? kMostInt32 : 0xffffffff)) return p;
  return function(i, IndexFunction::kTruncate, bits, is_signed, {p});
}

std::optional<Polynomial> ValueAnalysis::integer_result(std::size_t i) {
  const Instruction& in = function_.body[i];
  const std::string& op = in.opcode;
  if (op == "cvt") return convert(i);
  const IntegerType type = last_type(in);
  if (type.bits == 0) return std::nullopt;
  for (const char* refused : {"sat", "cc", "hi"}) {
    if (has_modifier(in, refused) && !(op == "mul" && std::string(refused) == "hi")) {
      return std::nullopt;
    }
  }
  if (op == "mov" || op == "cvta") {
    if (in.operands.size() != 2) return std::nullopt;
    return source(i, 1, type.bits);
  }
  if (op == "selp") return select(i);
  std::optional<Polynomial> p = arithmetic(i, type.bits, type.is_signed);
  if (!p) p = bitwise(i, type.bits, type.is_signed);
  if (!p || type.bits >= 32 || has_modifier(in, "wide")) return p;
  return narrowed(i, *p, type.bits, type.is_signed);
}

std::optional<Polynomial> ValueAnalysis::arithmetic(std::size_t i, unsigned bits, bool is_signed) {
  const Instruction& in = function_.body[i];
  const std::string& op = in.opcode;
  const auto at = [&](std::size_t k) { return source(i, k, bits); };
  if (op == "add") return at(1) + at(2);
  if (op == "sub") return at(1) - at(2);
  if (op == "neg") return Polynomial(0) - at(1);
  if (op == "mul" && has_modifier(in, "hi")) {
    return function(i, IndexFunction::kMultiplyHigh, bits, is_signed, {at(1), at(2)});
  }
  const bool is_wide = has_modifier(in, "wide");
  const auto factor = [&](std::size_t k) {
    return is_wide ? widened(i, at(k), bits, is_signed) : at(k);
  };
  if (op == "mul" || op == "mul24") return factor(1) * factor(2);
  if (op == "mad" || op == "mad24") {
    // The addend of mad.wide has twice the bits.
    return factor(1) * factor(2) + source(i, 3, is_wide ? 2 * bits : bits);
  }
  if (op == "div") return divide(i, at(1), at(2), bits, is_signed);
  if (op == "rem") {
    const Polynomial a = at(1);
    const Polynomial b = at(2);
    return a - b * divide(i, a, b, bits, is_signed);
  }
  if (op == "min") return extreme(i, IndexFunction::kMinimum, at(1), at(2), bits, is_signed);
  if (op == "max") return extreme(i, IndexFunction::kMaximum, at(1), at(2), bits, is_signed);
  if (op == "abs") {
    const Polynomial a = at(1);
    if (symbols_.range(a).low >= 0) return a;
    return function(i, IndexFunction::kAbsolute, bits, true, {a});
  }
  return std::nullopt;
}

/// Whether an arithmetic right shift extends the sign of a value's lowest bits, fewer than 32: its
/// source was shifted left by as much, or by up to 4 more (an element's size).
bool ValueAnalysis::extends_sign(std::size_t i, unsigned bits) {
  const Instruction& in = function_.body[i];
  const auto id = definitions_.reaching(Definitions::name_of(in.operands[1]), i);
  const std::optional<std::int64_t> right = source(i, 2, 32).constant();
  if (!id || !right) return false;
  const Definition& v = definitions_[*id];
  if (v.kind != Definition::Kind::kInstruction) return false;
  const std::size_t k = v.instruction;
  if (function_.body[k].opcode != "shl") return false;
  const std::optional<std::int64_t> left = source(k, 2, 32).constant();
  if (!left || *left < *right || *left > *right + 4) return false;
  const std::int64_t kept = std::int64_t{bits} - *left;
  const std::int64_t limit = std::int64_t{1} << std::max<std::int64_t>(kept - 1, 0);
  return kept < 32 && *left >= 8 && !symbols_.range(source(k, 1, bits)).within(-limit, limit - 1);
}

std::optional<Polynomial> ValueAnalysis::bitwise(std::size_t i, unsigned bits, bool is_signed) {
  const std::string& op = function_.body[i].opcode;
  const auto at = [&](std::size_t k) { return source(i, k, bits); };
  if (op == "shl") {
    const Polynomial by = source(i, 2, 32);
    const std::optional<std::int64_t> k = by.constant();
    if (!k) return function(i, IndexFunction::kShiftLeft, bits, false, {at(1), by});
    if (*k < 0 || *k >= std::int64_t{bits}) return std::nullopt;
    return at(1) * Polynomial(std::int64_t{1} << *k);
  }
  if (op == "shr") {
    if (is_signed && extends_sign(i, bits)) return std::nullopt;
    return shift_right(i, at(1), source(i, 2, 32), bits, is_signed);
  }
  if (op == "and") return bit_and(i, at(1), at(2), bits);
  if (op == "or") return bit_or(i, at(1), at(2), bits);
  if (op == "not") return Polynomial(-1) - at(1);
  if (op == "xor") {
    const Polynomial a = at(1);
    const Polynomial b = at(2);
    if (b.constant() == -1) return Polynomial(-1) - a;
    return function(i, IndexFunction::kXor, bits, true, {a, b});
  }
  if (op == "bfe") {
    const std::optional<std::int64_t> from = source(i, 2, 32).constant();
    const std::optional<std::int64_t> count = source(i, 3, 32).constant();
    if (is_signed || !from || !count || *from < 0 || *count < 1 || *from + *count > bits ||
        *count > 31) {
      return std::nullopt;
    }
    return bit_and(i, shift_right(i, at(1), *from, bits, false), (std::int64_t{1} << *count) - 1,
                   bits);
  }
  return std::nullopt;
}

Polynomial ValueAnalysis::bit_and(std::size_t i, const Polynomial& a, const Polynomial& b,
                                  unsigned bits) {
  if (a.constant() && !b.constant()) return bit_and(i, b, a, bits);
  const std::optional<std::int64_t> constant = b.constant();
  if (!constant) return function(i, IndexFunction::kAnd, bits, true, {a, b});
  const std::int64_t mask = *constant;
  if (a.constant()) return Polynomial(*a.constant() & mask);
  if (mask == 0) return Polynomial(0);
  // The lowest 32 or more bits: an extension to 64 bits.
  if (mask > kMostInt32 && power_of_two(mask + 1)) return a;
  const auto floor_to = [&](unsigned k) {
    return shift_right(i, a, std::int64_t{k}, bits, true) * Polynomial(std::int64_t{1} << k);
  };
  if (const auto k = power_of_two(mask + 1); k && *k < 32) {
    if (symbols_.range(a).within(0, mask)) return a;
    return a - floor_to(*k);
  }
  // Ones from bit k to the sign, or to the highest bit of a non-negative value.
  const auto k = static_cast<unsigned>(__builtin_ctzll(static_cast<std::uint64_t>(mask)));
  const std::int64_t filled = mask | ((std::int64_t{1} << k) - 1);
  const bool is_high = filled == -1 || filled == kMostInt32 || filled == 0xffffffff ||
                       filled == std::numeric_limits<std::int64_t>::max();
  if (is_high && k < 32) return floor_to(k);
  return function(i, IndexFunction::kAnd, bits, true, {a, b});
}

Polynomial ValueAnalysis::bit_or(std::size_t i, const Polynomial& a, const Polynomial& b,
                                 unsigned bits) {
  if (a.constant() && b.constant()) return Polynomial(*a.constant() | *b.constant());
  const auto disjoint = [&](const Polynomial& high, const Polynomial& low) {
    const unsigned zeros = trailing_zeros(high);
    return zeros > 0 && symbols_.range(low).within(0, (std::int64_t{1} << zeros) - 1);
  };
  if (disjoint(a, b) || disjoint(b, a)) return a + b;
  return function(i, IndexFunction::kOr, bits, true, {a, b});
}

Polynomial ValueAnalysis::shift_right(std::size_t i, const Polynomial& a, const Polynomial& by,
                                      unsigned bits, bool is_signed) {
  const std::optional<std::int64_t> k = by.constant();
  if (!k || *k < 0 || *k >= std::int64_t{bits} || *k > 62) {
    return function(i, IndexFunction::kShiftRight, bits, is_signed, {a, by});
  }
  if (*k == 0) return a;
  const Interval range = symbols_.range(a);
  if (range.within(0, (std::int64_t{1} << *k) - 1)) return Polynomial(0);
  // The quotient of a sign-extended or non-negative value. A logical shift of a negative value
  // is no quotient.
  if (is_signed || range.low >= 0) {
    if (const auto q = exact_quotient(symbols_, a, std::int64_t{1} << *k)) return *q;
    return function(i, IndexFunction::kShiftRight, bits, true, {a, by});
  }
  return function(i, IndexFunction::kShiftRight, bits, false, {a, by});
}

Polynomial ValueAnalysis::divide(std::size_t i, const Polynomial& a, const Polynomial& by,
                                 unsigned bits, bool is_signed) {
  const std::optional<std::int64_t> divisor = by.constant();
  const bool is_positive = symbols_.range(a).low >= 0;
  if (divisor && *divisor > 0 && is_positive) {
    if (const auto k = power_of_two(*divisor)) return shift_right(i, a, *k, bits, is_signed);
    if (const auto q = exact_quotient(symbols_, a, *divisor)) return *q;
  }
  return function(i, IndexFunction::kDivide, bits, is_signed, {a, by});
}

Polynomial ValueAnalysis::extreme(std::size_t i, IndexFunction f, const Polynomial& a,
                                  const Polynomial& b, unsigned bits, bool is_signed) {
  if (a == b) return a;
  const bool comparable = is_signed || (symbols_.range(a).low >= 0 && symbols_.range(b).low >= 0);
  if (comparable) {
    const Interval difference = symbols_.range(a - b);
    const bool is_minimum = f == IndexFunction::kMinimum;
    if (difference.high <= 0) return is_minimum ? a : b;
    if (difference.low >= 0) return is_minimum ? b : a;
  }
  return function(i, f, bits, is_signed || comparable, {a, b});
}

std::optional<Polynomial> ValueAnalysis::convert(std::size_t i) {
  const Instruction& in = function_.body[i];
  if (in.modifiers.size() < 2 || has_modifier(in, "sat")) return std::nullopt;
  const IntegerType to = integer_type(in.modifiers[in.modifiers.size() - 2]);
  const IntegerType from = integer_type(in.modifiers.back());
  if (to.bits == 0 || from.bits == 0) return std::nullopt;
  const Polynomial p = source(i, 1, from.bits);
  if (from.bits < to.bits) return widened(i, p, from.bits, from.is_signed);
  if (from.bits == to.bits) return narrowed(i, p, from.bits, from.is_signed);
  return narrowed(i, p, to.bits, to.is_signed);
}

/// The comparison that a predicate holds, if it is one of integers.
std::optional<ValueAnalysis::Condition> ValueAnalysis::condition(std::size_t i,
                                                                 const Operand& predicate) {
  const auto id = definitions_.reaching(predicate.name, i);
  if (!id) return std::nullopt;
  const Definition& v = definitions_[*id];
  if (v.kind != Definition::Kind::kInstruction) return std::nullopt;
  const Instruction& in = function_.body[v.instruction];
  const IntegerType type = last_type(in);
  const bool is_plain = in.opcode == "setp" && in.guard.empty() && in.operands.size() == 3 &&
                        in.modifiers.size() == 2 && in.operands[0].second_name.empty();
  if (!is_plain || type.bits < 32) return std::nullopt;
  const auto at = [&](std::size_t k) {
    return leave_loops(source(v.instruction, k, type.bits), v.block, nest_.block_of(i));
  };
  const Polynomial a = at(1);
  const Polynomial b = at(2);
  const std::string& compare = in.modifiers[0];
  Condition c;
  c.negated = predicate.negated;
  if (is_one_of(compare, {"eq", "ne"})) {
    c.is_equality = true;
    c.negated = c.negated != (compare == "ne");
    c.e = a - b;
    return c;
  }
  const bool comparable =
      type.is_signed || (symbols_.range(a).low >= 0 && symbols_.range(b).low >= 0);
  if (!comparable) return std::nullopt;
  if (is_one_of(compare, {"ge", "hs"})) {
    c.e = a - b;
  } else if (is_one_of(compare, {"gt", "hi"})) {
    c.e = a - b - Polynomial(1);
  } else if (is_one_of(compare, {"le", "ls"})) {
    c.e = b - a;
  } else if (is_one_of(compare, {"lt", "lo"})) {
    c.e = b - a - Polynomial(1);
  } else {
    return std::nullopt;
  }
  return c;
}

std::optional<Polynomial> ValueAnalysis::select(std::size_t i) {
  const Instruction& in = function_.body[i];
  const IntegerType type = last_type(in);
  if (in.operands.size() != 4) return std::nullopt;
  const Polynomial a = source(i, 1, type.bits);
  const Polynomial b = source(i, 2, type.bits);
  if (a == b) return a;
  const std::optional<Condition> c = condition(i, in.operands[3]);
  if (!c) return std::nullopt;
  return selected(i, *c, a, b);
}

/// The condition ? a : b.
Polynomial ValueAnalysis::selected(std::size_t i, const Condition& c, Polynomial a, Polynomial b) {
  if (c.negated) std::swap(a, b);
  if (c.is_equality) return function(i, IndexFunction::kSelectEq, 64, true, {c.e, a, b});
  const Polynomial difference = a - b;
  if (c.e == difference || c.e == difference - Polynomial(1)) {
    return extreme(i, IndexFunction::kMaximum, a, b, 64, true);
  }
  const Polynomial opposite = b - a;
  if (c.e == opposite || c.e == opposite - Polynomial(1)) {
    return extreme(i, IndexFunction::kMinimum, a, b, 64, true);
  }
  return function(i, IndexFunction::kSelectGe, 64, true, {c.e, a, b});
}

Polynomial ValueAnalysis::special_register(std::size_t i, const std::string& name) {
  constexpr std::array<const char*, 3> kAxes = {".x", ".y", ".z"};
  constexpr std::array<std::pair<const char*, SymbolKind>, 4> kIndices = {
      {{"%tid", SymbolKind::kTid},
       {"%ctaid", SymbolKind::kCtaid},
       {"%ntid", SymbolKind::kNtid},
       {"%nctaid", SymbolKind::kNctaid}}};
  for (const auto& [prefix, kind] : kIndices) {
    for (unsigned a = 0; a < kAxes.size(); ++a) {
      if (name == std::string(prefix) + kAxes[a])
        return Polynomial::symbol(symbols_.index(kind, a));
    }
  }
  if (name == "%laneid") {
    const auto index = [&](SymbolKind kind, unsigned axis) {
      return Polynomial::symbol(symbols_.index(kind, axis));
    };
    const Polynomial row = index(SymbolKind::kNtid, 0);
    const Polynomial plane = row * index(SymbolKind::kNtid, 1);
    return bit_and(i,
                   index(SymbolKind::kTid, 0) + row * index(SymbolKind::kTid, 1) +
                       plane * index(SymbolKind::kTid, 2),
                   31, 32);
  }
  if (name == "WARP_SZ") return Polynomial(32);
  return unknown(i, "the special register " + name + " in");
}

}  // namespace tessera::ptx
