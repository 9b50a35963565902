// SPDX-License-Identifier: Apache-2.0
#pragma once

// The definitions of registers that reach each instruction of a kernel, in static single assignment
// form. They are found when they are asked for.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stimuli/ptx/analysis/loops.h"
#include "stimuli/ptx/module.h"

namespace tessera::ptx {

/// A definition of a register: by an instruction, at a merge of control flow, or none.
struct Definition {
  enum class Kind : std::uint8_t { kUndefined, kInstruction, kMerge };
  Kind kind = Kind::kUndefined;
  std::uint32_t block = 0;
  std::size_t instruction = 0;
  int part = -1;                        ///< element of a vector result, or -1
  std::vector<std::uint32_t> incoming;  ///< of a merge: by predecessor
  std::string name;
};

class Definitions {
 public:
  using Id = std::uint32_t;
  using Variables = std::unordered_map<std::string, StateSpace>;

  /// `function` without calls. `variables`: all that it names. `nest` must outlive the object.
  Definitions(const Function& function, const LoopNest& nest, const Variables& variables);

  /// The name of the register, or of the component of a vector, that an operand names.
  static std::string name_of(const Operand& operand);
  /// The name of an argument of an expanded call, which a store defines as it does a register:
  /// "st.param.b32 [param0], %r1".
  static std::string argument_name(const Operand& address);

  /// Whether an instruction of the function defines the register.
  bool has(const std::string& name) const { return registers_.count(name) != 0; }
  /// The definition that an instruction reads; none if no instruction defines the register.
  std::optional<Id> reaching(const std::string& name, std::size_t instruction);
  /// Stays valid.
  const Definition& operator[](Id id) const { return all_[id]; }

 private:
  using RegisterId = std::uint32_t;

  void define(const Operand& operand, std::size_t instruction, int part);
  void define(const std::string& name, std::size_t instruction, int part);
  const std::vector<bool>& merge_blocks(RegisterId r);
  Id at_entry(RegisterId r, std::uint32_t block);
  Id at_end(RegisterId r, std::uint32_t block);
  void fill_merges();
  Id add(Definition definition);

  const LoopNest& nest_;
  std::unordered_map<std::string, RegisterId> registers_;
  std::deque<Definition> all_;
  /// By block: the definitions of each register, ascending instructions.
  std::vector<std::map<RegisterId, std::vector<std::pair<std::size_t, Id>>>> by_block_;
  std::map<std::pair<RegisterId, std::uint32_t>, Id> entry_values_;
  std::map<RegisterId, std::vector<bool>> merge_blocks_;
  std::vector<std::pair<RegisterId, Id>> unfilled_;  ///< merges without incoming values yet
  bool is_filling_ = false;
};

}  // namespace tessera::ptx
