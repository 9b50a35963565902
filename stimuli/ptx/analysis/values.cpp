// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/analysis/values.h"

#include <algorithm>
#include <array>
#include <set>

namespace tessera::ptx {

namespace {

/// Larger expressions are not index expressions, and their products would explode.
constexpr std::size_t kMostTerms = 64;
/// Bounds the recursion.
constexpr unsigned kDeepest = 1000;

Definitions::Variables variables_of(const Module& module, const Function& function) {
  Definitions::Variables all;
  for (const Variable& v : module.variables) all.try_emplace(v.name, v.space);
  for (const Variable& v : function.variables) {
    if (v.space != StateSpace::kReg) all[v.name] = v.space;
  }
  return all;
}

}  // namespace

ValueAnalysis::ValueAnalysis(const Module& module, const Function& function, const LoopNest& nest,
                             SymbolTable& symbols)
    : module_(module),
      function_(function),
      nest_(nest),
      symbols_(symbols),
      variables_(variables_of(module, function)),
      definitions_(function, nest, variables_) {
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    parameters_[function.parameters[i].name] = i;
  }
}

Polynomial ValueAnalysis::unknown(std::size_t i, const std::string& why) {
  const Instruction& in = function_.body[i];
  return Polynomial::symbol(
      symbols_.opaque(in.line, nest_.block_of(i), why + " '" + in.text + "'"));
}

Polynomial ValueAnalysis::operand_value(std::size_t i, const Operand& operand) {
  const std::uint32_t block = nest_.block_of(i);
  if (operand.kind == Operand::Kind::kInteger) return Polynomial(operand.integer);
  const bool has_name = operand.kind == Operand::Kind::kRegister ||
                        operand.kind == Operand::Kind::kSymbol ||
                        operand.kind == Operand::Kind::kAddress;
  if (!has_name) return unknown(i, "an operand that is not an integer, in");
  if (operand.name.empty()) return Polynomial(operand.integer);
  const std::string name = Definitions::name_of(operand);
  if (operand.negated) return unknown(i, "a negated operand in");
  if (const auto id = definitions_.reaching(name, i)) {
    return resolved(use(*id, block)) + Polynomial(operand.integer);
  }
  if (name[0] == '%') return special_register(i, name);
  const auto variable = variables_.find(name);
  if (variable == variables_.end()) {
    return unknown(i, "'" + name + "', which has no definition, in");
  }
  if (variable->second != StateSpace::kGlobal) {
    return unknown(i, "the address of '" + name + "', which is not global, in");
  }
  return Polynomial::symbol(symbols_.variable(name)) + Polynomial(operand.integer);
}

/// The value for a use in a block: after a loop, the value of the loop's last iteration.
Polynomial ValueAnalysis::use(Id id, std::uint32_t block) {
  const Polynomial p = value(id);
  return leave_loops(p, definitions_[id].block, block);
}

/// The value that a merge in block `to` receives from its predecessor `from`.
Polynomial ValueAnalysis::use_on_edge(Id id, std::uint32_t from, std::uint32_t to) {
  return leave_loops(use(id, from), from, to);
}

Polynomial ValueAnalysis::leave_loops(const Polynomial& p, std::uint32_t from, std::uint32_t to) {
  Polynomial out = resolved(p);
  for (unsigned l = 0; l < nest_.loops().size(); ++l) {
    const Loop& loop = nest_.loops()[l];
    if (!loop.blocks[from] || loop.blocks[to]) continue;
    // A merge in the loop that has no solution yet can depend on the iteration.
    const bool is_pending = symbols_.any(out, [&](SymbolId, const Symbol& s) {
      return s.kind == SymbolKind::kPending && loop.blocks[s.block];
    });
    if (is_pending) {
      return Polynomial::symbol(
          symbols_.opaque(loop.line, from, "a value carried out of a loop before it is known"));
    }
    const SymbolId iteration = symbols_.iteration(l);
    const Polynomial last =
        Polynomial::symbol(symbols_.trips(l)) - Polynomial(loop.exits_at_latches ? 1 : 0);
    out = symbols_.substituted(out, [&](SymbolId id) {
      return id == iteration ? std::optional<Polynomial>(last) : std::nullopt;
    });
  }
  return out;
}

/// Replaces pending symbols that have a solution.
Polynomial ValueAnalysis::resolved(const Polynomial& p) {
  Polynomial out = p;
  for (;;) {
    Polynomial next = symbols_.substituted(out, [&](SymbolId id) -> std::optional<Polynomial> {
      const auto it = solutions_.find(id);
      if (it == solutions_.end()) return std::nullopt;
      return it->second;
    });
    if (next == out) return out;
    out = std::move(next);
  }
}

Polynomial ValueAnalysis::value(Id id) {
  const Definition& d = definitions_[id];
  Solving& solving = values_[id];
  if (solving.has_result) return solving.result;
  if (solving.in_progress) return Polynomial::symbol(*solving.pending);
  const unsigned line = function_.body[nest_.blocks()[d.block].first].line;
  if (depth_ > kDeepest) {
    return Polynomial::symbol(
        symbols_.opaque(line, d.block, "a chain of more than 1000 operations"));
  }
  ++depth_;
  Polynomial p;
  if (d.kind == Definition::Kind::kMerge) {
    p = merge(id);
  } else if (d.kind == Definition::Kind::kUndefined) {
    p = Polynomial::symbol(symbols_.opaque(0, d.block, "a register that has no value yet"));
  } else {
    p = compute(d);
    if (!function_.body[d.instruction].guard.empty()) {
      const Id before = *definitions_.reaching(d.name, d.instruction);
      if (resolved(use(before, d.block)) != resolved(p)) {
        p = unknown(d.instruction, "a value that depends on a predicate,");
      }
    }
  }
  --depth_;
  if (p.terms().size() > kMostTerms) {
    p = Polynomial::symbol(symbols_.opaque(line, d.block, "an expression of more than 64 terms"));
  }
  solving.has_result = true;
  solving.result = p;
  return p;
}

Polynomial ValueAnalysis::merge(Id id) {
  const Definition& d = definitions_[id];
  Solving& solving = values_[id];
  const std::uint32_t block = d.block;
  const std::optional<unsigned> loop = nest_.loop_of_header(block);
  if (loop) {
    // The values of loops around this one come first. Their solution can include this value.
    const std::vector<std::uint32_t>& from = nest_.predecessors(block);
    for (std::size_t k = 0; k < from.size(); ++k) {
      if (!nest_.loops()[*loop].blocks[from[k]]) value(d.incoming[k]);
    }
    if (solving.has_result) return solving.result;
  }
  const SymbolId pending = symbols_.pending(block);
  solving.in_progress = true;
  solving.pending = pending;
  std::optional<Polynomial> solution;
  if (loop) {
    solution = induction(id, *loop);
  } else {
    const Polynomial p = resolved(join(id));
    if (!symbols_.any(p, [&](SymbolId s, const Symbol&) { return s == pending; })) solution = p;
  }
  if (!solution) {
    const unsigned line = function_.body[nest_.blocks()[block].first].line;
    const std::string why =
        loop ? "a value that its loop changes by another amount in each iteration"
             : "a value that depends on the path";
    solution = Polynomial::symbol(symbols_.opaque(line, block, why));
  }
  solving.in_progress = false;
  solutions_[pending] = *solution;
  return *solution;
}

/// The value where paths meet, if all paths agree.
Polynomial ValueAnalysis::join(Id id) {
  const Definition& d = definitions_[id];
  const std::uint32_t block = d.block;
  const std::vector<std::uint32_t>& from = nest_.predecessors(block);
  std::vector<Polynomial> in;
  for (std::size_t k = 0; k < from.size(); ++k) {
    in.push_back(use_on_edge(d.incoming[k], from[k], block));
  }
  for (Polynomial& p : in) p = resolved(p);
  if (std::all_of(in.begin(), in.end(), [&](const Polynomial& p) { return p == in[0]; })) {
    return in[0];
  }
  if (const auto p = joined_with_bypass(d, in)) return *p;
  if (const auto p = joined_by_branch(d, in)) return *p;
  const unsigned line = function_.body[nest_.blocks()[block].first].line;
  const std::string why = "a value that depends on the path";
  const auto is_uniform = [&](const Polynomial& p) {
    return !symbols_.any(p, [](SymbolId, const Symbol& s) {
      return s.kind != SymbolKind::kParameter && s.kind != SymbolKind::kNtid &&
             s.kind != SymbolKind::kNctaid && s.kind != SymbolKind::kFunction;
    });
  };
  const bool is_one_path = has_uniform_path(block);
  if (is_one_path && std::all_of(in.begin(), in.end(), is_uniform)) {
    return Polynomial::symbol(symbols_.choice(line, block, why));
  }
  // Values at multiples of a distance, as after iterations that the compiler has peeled. Their
  // number can differ by thread if they stride by the grid or the CTA.
  const auto is_grid_stride = [&](const Polynomial& p) {
    return symbols_.any(p, [](SymbolId, const Symbol& s) {
      return s.kind == SymbolKind::kNctaid || s.kind == SymbolKind::kNtid;
    });
  };
  for (const Polynomial& other : in) {
    const Polynomial distance = other - in[0];
    if (distance.is_zero() || !is_uniform(distance)) continue;
    if (!is_one_path && !is_grid_stride(distance)) continue;
    const bool are_multiples = std::all_of(in.begin(), in.end(), [&](const Polynomial& p) {
      return integer_ratio(p - in[0], distance).has_value();
    });
    if (are_multiples) {
      return in[0] + distance * Polynomial::symbol(symbols_.choice(line, block, why));
    }
  }
  return Polynomial::symbol(symbols_.opaque(line, block, why));
}

/// Whether a predicate is the same for all threads: comparisons, and combinations of them, of known
/// values. A value that its loop still defines, and a number of iterations, can differ by thread.
bool ValueAnalysis::is_uniform_predicate(std::size_t i, const Operand& operand, unsigned depth) {
  constexpr unsigned kDeepestPredicate = 8;
  const auto id = definitions_.reaching(Definitions::name_of(operand), i);
  if (!id || depth > kDeepestPredicate) return false;
  const Definition& d = definitions_[*id];
  if (d.kind != Definition::Kind::kInstruction) return false;
  const std::size_t k = d.instruction;
  const Instruction& in = function_.body[k];
  const bool compares = in.opcode == "setp";
  const bool combines = std::count(in.modifiers.begin(), in.modifiers.end(), "pred") != 0;
  // A guarded instruction leaves the predicate of some threads as it was.
  if ((!compares && !combines) || !in.guard.empty()) return false;
  for (std::size_t n = 1; n < in.operands.size(); ++n) {
    if (!compares) {
      if (!is_uniform_predicate(k, in.operands[n], depth + 1)) return false;
      continue;
    }
    const Polynomial p = operand_value(k, in.operands[n]);
    const bool varies = symbols_.any(p, [](SymbolId, const Symbol& s) {
      return s.kind == SymbolKind::kTid || s.kind == SymbolKind::kCtaid ||
             s.kind == SymbolKind::kTrips || s.kind == SymbolKind::kPending ||
             (s.kind == SymbolKind::kOpaque && !s.is_uniform_choice);
    });
    if (varies) return false;
  }
  return true;
}

/// Whether all threads reach a block by one path from its dominator: each branch on the way has
/// a predicate that is the same for all threads.
bool ValueAnalysis::has_uniform_path(std::uint32_t block) {
  const std::uint32_t split = nest_.immediate_dominator(block);
  std::vector<std::uint32_t> waiting = nest_.predecessors(block);
  std::set<std::uint32_t> seen = {block};
  while (!waiting.empty()) {
    const std::uint32_t b = waiting.back();
    waiting.pop_back();
    if (!seen.insert(b).second) continue;
    const std::size_t i = nest_.blocks()[b].last;
    const Instruction& branch = function_.body[i];
    if (branch.opcode == "bra" && !branch.guard.empty()) {
      Operand guard;
      guard.name = branch.guard;
      if (!is_uniform_predicate(i, guard, 0)) return false;
    }
    if (b == split) continue;
    const std::vector<std::uint32_t>& before = nest_.predecessors(b);
    waiting.insert(waiting.end(), before.begin(), before.end());
  }
  return true;
}

/// The value where a path around a loop meets the path through it: v and v + stride * trips. Both
/// are the second one, because trips is 0 on the first path.
std::optional<Polynomial> ValueAnalysis::joined_with_bypass(const Definition& d,
                                                            const std::vector<Polynomial>& in) {
  const std::vector<std::uint32_t>& from = nest_.predecessors(d.block);
  for (const Polynomial& through : in) {
    for (const SymbolId s : through.symbols()) {
      if (symbols_[s].kind != SymbolKind::kTrips || through.degree(s) != 1) continue;
      const unsigned l = symbols_[s].loop;
      if (nest_.loops()[l].blocks[d.block]) continue;
      const Polynomial around = through - through.factor(s) * Polynomial::symbol(s);
      bool agrees = true;
      for (std::size_t k = 0; k < in.size() && agrees; ++k) {
        agrees = in[k] == through || (in[k] == around && !nest_.reaches_in_iteration(l, from[k]));
      }
      if (agrees) return through;
    }
  }
  return std::nullopt;
}

/// The value where the two sides of one branch meet: a select with the branch's condition.
std::optional<Polynomial> ValueAnalysis::joined_by_branch(const Definition& d,
                                                          const std::vector<Polynomial>& in) {
  if (in.size() != 2) return std::nullopt;
  const std::uint32_t block = d.block;
  const std::uint32_t split = nest_.immediate_dominator(block);
  const std::size_t i = nest_.blocks()[split].last;
  const Instruction& branch = function_.body[i];
  if (branch.opcode != "bra" || branch.guard.empty()) return std::nullopt;
  const std::vector<std::uint32_t>& from = nest_.predecessors(block);
  const bool is_end = i + 1 >= function_.body.size();
  if (is_end || nest_.blocks()[split].successors.size() != 2) return std::nullopt;
  const std::uint32_t next = nest_.block_of(i + 1);  // if the branch is not taken
  // By incoming edge: whether it is on the taken side.
  std::array<bool, 2> taken{};
  for (std::size_t k = 0; k < 2; ++k) {
    const bool is_direct = from[k] == split;
    const std::vector<std::uint32_t>& before = nest_.predecessors(from[k]);
    if (!is_direct && (before.size() != 1 || before[0] != split)) return std::nullopt;
    taken[k] = (is_direct ? block : from[k]) != next;
  }
  if (taken[0] == taken[1]) return std::nullopt;
  Operand predicate;
  predicate.name = branch.guard;
  predicate.negated = branch.guard_negated;
  const std::optional<Condition> c = condition(i, predicate);
  if (!c) return std::nullopt;
  return selected(i, *c, in[taken[0] ? 0 : 1], in[taken[0] ? 1 : 0]);
}

std::optional<Polynomial> ValueAnalysis::induction(Id id, unsigned l) {
  const Loop& loop = nest_.loops()[l];
  const std::vector<Id>& incoming = definitions_[id].incoming;
  const SymbolId pending = *values_[id].pending;
  const std::vector<std::uint32_t>& from = nest_.predecessors(loop.header);
  std::vector<Polynomial> initial;
  std::vector<Polynomial> next;
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (loop.blocks[from[k]]) continue;
    initial.push_back(use_on_edge(incoming[k], from[k], loop.header));
  }
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (!loop.blocks[from[k]]) continue;
    next.push_back(use_on_edge(incoming[k], from[k], loop.header));
  }
  for (Polynomial& p : initial) p = resolved(p);
  for (Polynomial& p : next) p = resolved(p);
  if (initial.empty() || next.empty()) return std::nullopt;
  const auto all_equal = [](const std::vector<Polynomial>& v) {
    return std::all_of(v.begin(), v.end(), [&](const Polynomial& p) { return p == v[0]; });
  };
  if (!all_equal(initial) || !all_equal(next)) return std::nullopt;
  const SymbolId iteration = symbols_.iteration(l);
  const Polynomial m = Polynomial::symbol(iteration);
  const auto has = [&](const Polynomial& p, SymbolId s) {
    return symbols_.any(p, [&](SymbolId t, const Symbol&) { return t == s; });
  };
  const auto is_settled = [&](const Polynomial& p) {
    return !symbols_.any(p,
                         [&](SymbolId, const Symbol& s) { return s.kind == SymbolKind::kPending; });
  };
  // Incremented: next = value + stride.
  const Polynomial stride = next[0] - Polynomial::symbol(pending);
  if (stride.is_zero()) return initial[0];
  // An initial value that is pending belongs to a loop around this one, and a stride cannot.
  if (is_settled(stride) && !varies_in(stride, l)) return initial[0] + stride * m;
  // Assigned: the value is f(m - 1), if that is the initial value for m = 0.
  if (has(next[0], pending) || !is_settled(next[0])) return std::nullopt;
  const Polynomial before = symbols_.substituted(next[0], [&](SymbolId s) {
    return s == iteration ? std::optional<Polynomial>(m - Polynomial(1)) : std::nullopt;
  });
  const Polynomial first = before.substituted(iteration, Polynomial(0));
  const bool is_other = symbols_.any(next[0], [&](SymbolId s, const Symbol&) {
    return s != iteration && varies_in(Polynomial::symbol(s), l);
  });
  if (is_other || first != initial[0]) return std::nullopt;
  return before;
}

bool ValueAnalysis::varies_in(const Polynomial& p, unsigned l) const {
  const Loop& loop = nest_.loops()[l];
  return symbols_.any(p, [&](SymbolId, const Symbol& s) {
    switch (s.kind) {
      case SymbolKind::kIteration:
        return s.loop == l;
      case SymbolKind::kTrips:
        return s.loop == l || loop.blocks[nest_.loops()[s.loop].header];
      case SymbolKind::kOpaque:
      case SymbolKind::kPending:
        return bool{loop.blocks[s.block]};
      default:
        return false;
    }
  });
}

}  // namespace tessera::ptx
