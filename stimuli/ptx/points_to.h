// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which pointers a register of a kernel may hold: a points-to analysis that heeds no order of
// instructions (PTX of clang and nvcc gives nearly every value a register of its own), for the
// compiler passes. docs/passes/read-only.md has the rules and what they give up.

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "stimuli/ptx/module.h"

namespace tessera::ptx {

/// What a kernel may reach global memory by: 8 bytes of a parameter, or a .global variable.
struct PointerOrigin {
  bool is_variable = false;
  std::string name;           ///< of the parameter or variable
  std::size_t parameter = 0;  ///< index of the parameter
  std::uint32_t offset = 0;   ///< byte in the parameter, a multiple of 8
};

/// Where an address may point.
struct Bases {
  std::vector<std::uint32_t> origins;  ///< ascending indices of PointsTo::origins()
  /// Also a shared, local, constant or parameter variable.
  bool other = false;
  /// Also anywhere: the address was loaded from memory, or is made of integers.
  bool anywhere = false;
};

class PointsTo {
 public:
  /// Both must outlive this. `function` may have calls left: what they return may be anything.
  PointsTo(const Module& module, const Function& function);

  /// Parameters of 8 bytes and more, 8 bytes each, in order; then the module's .global variables.
  const std::vector<PointerOrigin>& origins() const { return origins_; }
  /// Where the address operand "[...]" may point.
  Bases bases(const Operand& address) const;
  /// The origins that the operand's value may be a copy of, or a place near (p + 4).
  std::vector<std::uint32_t> held(const Operand& operand) const;
  /// The origins within the entry parameter of that name; empty when it is none.
  std::vector<std::uint32_t> parameter_origins(const std::string& name) const;
  /// Whether the name is that of a .param variable that carries arguments or results of a call.
  bool is_call_variable(const std::string& name) const { return param_variables_.count(name) != 0; }
  /// The origin of the module's .global variable of that name, or -1.
  std::int64_t variable_origin(const std::string& name) const;

 private:
  /// What a value is made of. `whole`: it may be that pointer, moved. `derived`: an integer that
  /// was computed from it, or half of it: an offset, but no address by itself.
  struct Value {
    std::set<std::uint32_t> whole;
    std::set<std::uint32_t> derived;
    bool empty() const { return whole.empty() && derived.empty(); }
    /// Whether anything was added.
    bool add(const Value& v);
  };
  struct Parameter {
    std::uint32_t first = 0;  ///< origin
    std::uint32_t words = 0;
  };

  void name_origins();
  void name_cells();
  void solve();
  void find_proven();

  void step(const Instruction& i);
  void load_parameter(const Instruction& i);
  Value computed(const Instruction& i) const;
  /// Bytes [offset, offset + bytes) of an entry parameter.
  Value parameter_value(const Parameter& p, std::int64_t offset, unsigned bytes) const;
  Value value_of(const Operand& operand) const;
  Value named(const std::string& name) const;
  static void make_derived(Value& v);
  void join(Value& v) const;
  void write(const Operand& to, const Value& v);
  bool is_singleton(const Value& v) const;

  const Module& module_;
  const Function& function_;
  std::vector<PointerOrigin> origins_;
  std::uint32_t other_ = 0;   ///< stands for variables outside .global, in Value
  std::uint32_t loaded_ = 0;  ///< stands for what came out of memory
  std::map<std::string, Parameter> parameters_;
  std::unordered_map<std::string, std::uint32_t> variables_;  ///< to an origin, or other_
  /// Registers, and .param variables of calls.
  std::unordered_map<std::string, std::uint32_t> cells_;
  std::set<std::string> param_variables_;  ///< those of the cells that are no registers
  std::vector<Value> values_;
  std::vector<std::vector<std::uint32_t>> users_;  ///< of each cell: instructions that read it
  std::vector<std::uint32_t> changed_;             ///< cells whose users must be stepped again
  /// Origins that some address consists of alone: they are pointers, not numbers.
  std::set<std::uint32_t> proven_;
};

/// Whether a modifier of the instruction is that word.
bool has_modifier(const Instruction& i, const char* word);

}  // namespace tessera::ptx
