// SPDX-License-Identifier: Apache-2.0
#pragma once

// Points-to analysis for the compiler passes: the pointers that a register of a kernel can hold.
// The analysis is flow-insensitive, because PTX of clang and nvcc has a separate register for
// nearly every value. Rules and limits: docs/passes/read-only.md.

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "stimuli/ptx/module.h"

namespace tessera::ptx {

/// The origin of a pointer to global memory: 8 bytes of a parameter, or a .global variable.
struct PointerOrigin {
  bool is_variable = false;
  std::string name;           ///< of the parameter or variable
  std::size_t parameter = 0;  ///< index of the parameter
  std::uint32_t offset = 0;   ///< byte offset in the parameter, a multiple of 8
};

/// The possible targets of an address.
struct Bases {
  std::vector<std::uint32_t> origins;  ///< ascending indices of PointsTo::origins()
  /// Can also be a shared, local, constant or parameter variable.
  bool other = false;
  /// Can be any address: it was loaded from memory or computed from integers.
  bool anywhere = false;
};

class PointsTo {
 public:
  /// Both must outlive the object. `function` can contain calls; their results can be any address.
  PointsTo(const Module& module, const Function& function);

  /// Parameters of 8 bytes and more, 8 bytes each, in order; then the module's .global variables.
  const std::vector<PointerOrigin>& origins() const { return origins_; }
  /// The possible targets of the address operand "[...]".
  Bases bases(const Operand& address) const;
  /// The origins from which the operand's value can be derived, with or without an offset (p + 4).
  std::vector<std::uint32_t> held(const Operand& operand) const;
  /// The origins within the entry parameter of a name; empty if there is no such parameter.
  std::vector<std::uint32_t> parameter_origins(const std::string& name) const;
  /// Whether the name is a .param variable with arguments or results of a call.
  bool is_call_variable(const std::string& name) const { return param_variables_.count(name) != 0; }
  /// The origin of the module's .global variable of that name, or -1.
  std::int64_t variable_origin(const std::string& name) const;

 private:
  /// The origins of a value. `whole`: the value can be that pointer plus an offset. `derived`: the
  /// value is an integer computed from the pointer, or half of it, and is no address by itself.
  struct Value {
    std::set<std::uint32_t> whole;
    std::set<std::uint32_t> derived;
    bool empty() const { return whole.empty() && derived.empty(); }
    /// Returns true if an origin was added.
    bool add(const Value& v);
  };
  struct Parameter {
    std::uint32_t first = 0;  ///< index of the first origin
    std::uint32_t words = 0;
  };

  void name_origins();
  void name_cells();
  void solve();
  void find_proven();

  void step(const Instruction& i);
  void load_parameter(const Instruction& i);
  void pass_values(const Instruction& call);
  Value computed(const Instruction& i) const;
  /// Value of the bytes [offset, offset + bytes) of an entry parameter.
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
  std::uint32_t other_ = 0;   ///< pseudo-origin in Value: variables outside .global
  std::uint32_t loaded_ = 0;  ///< pseudo-origin in Value: values loaded from memory
  std::map<std::string, Parameter> parameters_;
  std::unordered_map<std::string, std::uint32_t> variables_;  ///< name to an origin or other_
  /// Registers and .param variables of calls.
  std::unordered_map<std::string, std::uint32_t> cells_;
  std::set<std::string> param_variables_;  ///< the cells that are not registers
  std::vector<Value> values_;
  std::vector<std::vector<std::uint32_t>> users_;  ///< per cell: instructions that read it
  std::vector<std::uint32_t> changed_;             ///< cells whose users must be evaluated again
  /// Origins that are the only origin of an address, and are therefore pointers and not numbers.
  std::set<std::uint32_t> proven_;
};

}  // namespace tessera::ptx
