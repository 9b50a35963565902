// SPDX-License-Identifier: Apache-2.0
#pragma once

// Backward substitution (LADM III-C): the value of a register as a polynomial over prime variables.
// Registers are followed through their reaching definitions. A value that is merged at a loop's
// header becomes initial value + stride * iteration, if its update per iteration is invariant.
//
// Assumption: 32-bit index arithmetic does not overflow, as in C for signed indices. Values are
// mathematical integers, so that extensions and truncations to 32 bits change nothing.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stimuli/ptx/analysis/definitions.h"
#include "stimuli/ptx/analysis/loops.h"
#include "stimuli/ptx/analysis/symbols.h"
#include "stimuli/ptx/module.h"

namespace tessera::ptx {

class ValueAnalysis {
 public:
  /// `function` without calls; all must outlive the object. LoopNest::obstacle() must be empty.
  ValueAnalysis(const Module& module, const Function& function, const LoopNest& nest,
                SymbolTable& symbols);

  /// The value of an operand of an instruction before it executes. For an address operand: the
  /// address. Unknown values are opaque symbols.
  Polynomial operand_value(std::size_t instruction, const Operand& operand);

  /// Whether the value differs between iterations of the loop, for a use in the loop.
  bool varies_in(const Polynomial& p, unsigned loop) const;

 private:
  using Id = Definitions::Id;

  /// What is known of a definition's value.
  struct Solving {
    bool has_result = false;
    bool in_progress = false;
    std::optional<SymbolId> pending;
    Polynomial result;
  };
  /// A predicate: e >= 0 or e == 0, or its negation.
  struct Condition {
    bool is_equality = false;
    bool negated = false;
    Polynomial e;
  };

  Polynomial use(Id id, std::uint32_t block);
  Polynomial use_on_edge(Id id, std::uint32_t from, std::uint32_t to);
  Polynomial leave_loops(const Polynomial& p, std::uint32_t from, std::uint32_t to);
  Polynomial value(Id id);
  Polynomial merge(Id id);
  Polynomial join(Id id);
  std::optional<Polynomial> joined_with_bypass(const Definition& d,
                                               const std::vector<Polynomial>& in);
  std::optional<Polynomial> joined_by_branch(const Definition& d,
                                             const std::vector<Polynomial>& in);
  bool is_uniform_predicate(std::size_t i, const Operand& operand, unsigned depth);
  bool has_uniform_path(std::uint32_t block);
  std::optional<Polynomial> induction(Id id, unsigned loop);
  Polynomial resolved(const Polynomial& p);

  // values_alu.cpp
  Polynomial compute(const Definition& v);
  Polynomial load(const Definition& v);
  std::optional<Operand> parameter_address(const Definition& v);
  std::optional<Polynomial> load_parameter(const Definition& v);
  std::optional<Polynomial> integer_result(std::size_t i);
  std::optional<Polynomial> arithmetic(std::size_t i, unsigned bits, bool is_signed);
  bool extends_sign(std::size_t i, unsigned bits);
  std::optional<Polynomial> bitwise(std::size_t i, unsigned bits, bool is_signed);
  std::optional<Polynomial> convert(std::size_t i);
  std::optional<Polynomial> select(std::size_t i);
  Polynomial selected(std::size_t i, const Condition& c, Polynomial a, Polynomial b);
  std::optional<Condition> condition(std::size_t i, const Operand& predicate);
  Polynomial source(std::size_t i, std::size_t operand, unsigned bits);
  Polynomial special_register(std::size_t i, const std::string& name);
  Polynomial bit_and(std::size_t i, const Polynomial& a, const Polynomial& b, unsigned bits);
  Polynomial bit_or(std::size_t i, const Polynomial& a, const Polynomial& b, unsigned bits);
  Polynomial shift_right(std::size_t i, const Polynomial& a, const Polynomial& by, unsigned bits,
                         bool is_signed);
  Polynomial divide(std::size_t i, const Polynomial& a, const Polynomial& by, unsigned bits,
                    bool is_signed);
  Polynomial extreme(std::size_t i, IndexFunction f, const Polynomial& a, const Polynomial& b,
                     unsigned bits, bool is_signed);
  Polynomial widened(std::size_t i, const Polynomial& p, unsigned bits, bool is_signed);
  Polynomial narrowed(std::size_t i, const Polynomial& p, unsigned bits, bool is_signed);
  /// A function symbol; an opaque one if an operand is opaque or the nesting is deep.
  Polynomial function(std::size_t i, IndexFunction f, unsigned bits, bool is_signed,
                      std::vector<Polynomial> operands);
  /// An opaque symbol: `why` and the text of the instruction.
  Polynomial unknown(std::size_t i, const std::string& why);

  const Module& module_;
  const Function& function_;
  const LoopNest& nest_;
  SymbolTable& symbols_;
  std::unordered_map<std::string, std::size_t> parameters_;
  Definitions::Variables variables_;
  Definitions definitions_;
  std::unordered_map<Id, Solving> values_;    ///< by definition
  std::map<SymbolId, Polynomial> solutions_;  ///< of pending symbols
  unsigned depth_ = 0;
};

}  // namespace tessera::ptx
