// SPDX-License-Identifier: Apache-2.0
#pragma once

// Instructions that are added to the code of a kernel. For the files that build or
// decode flat code.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "stimuli/ptx/module.h"

namespace tessera::ptx {

inline Operand named_operand(Operand::Kind kind, const std::string& name) {
  Operand o;
  o.kind = kind;
  o.name = name;
  return o;
}
inline Operand symbol_operand(const std::string& name) {
  return named_operand(Operand::Kind::kSymbol, name);
}
inline Operand register_operand(const std::string& name) {
  return named_operand(Operand::Kind::kRegister, name);
}
inline Operand sink_operand() { return named_operand(Operand::Kind::kSink, ""); }
inline Operand integer_operand(std::int64_t value) {
  Operand o;
  o.kind = Operand::Kind::kInteger;
  o.integer = value;
  return o;
}
/// [base + offset].
inline Operand address_operand(const std::string& base, std::uint64_t offset) {
  Operand o = named_operand(Operand::Kind::kAddress, base);
  o.integer = static_cast<std::int64_t>(offset);
  return o;
}
inline Operand list_operand(std::vector<Operand> elements,
                            Operand::Kind kind = Operand::Kind::kParenList) {
  Operand o;
  o.kind = kind;
  o.elements = std::move(elements);
  return o;
}

/// An unguarded instruction at the line of `at`. `name`: opcode and modifiers, "add.u64". Its text
/// is that of `at`, or its name if `at` has none.
inline Instruction made(const Instruction& at, const std::string& name,
                        std::vector<Operand> operands) {
  Instruction i;
  i.line = at.line;
  i.source = at.source;
  i.text = at.text.empty() ? name : at.text;
  std::size_t dot = name.find('.');
  i.opcode = name.substr(0, dot);
  while (dot != std::string::npos) {
    const std::size_t next = name.find('.', dot + 1);
    i.modifiers.push_back(name.substr(dot + 1, next == std::string::npos ? next : next - dot - 1));
    dot = next;
  }
  i.operands = std::move(operands);
  return i;
}

inline Variable flat_register(const std::string& name, Type type, unsigned line) {
  Variable v;
  v.line = line;
  v.type = type;
  v.name = name;
  return v;
}

inline std::uint64_t align_up(std::uint64_t v, std::uint64_t alignment) {
  return (v + alignment - 1) / alignment * alignment;
}

/// The alignment of a variable in memory.
inline std::uint64_t alignment_of(const Variable& v) {
  if (v.align != 0) return v.align;
  const std::uint64_t natural = std::uint64_t{type_bytes(v.type)} * v.vector;
  return natural == 0 ? 1 : natural;
}

/// The bytes of the largest words, at most 4, of which the variable consists.
inline unsigned word_bytes(const Variable& v) {
  for (unsigned bytes = 4; bytes > 1; bytes /= 2) {
    if (alignment_of(v) % bytes == 0 && v.bytes() % bytes == 0) return bytes;
  }
  return 1;
}

}  // namespace tessera::ptx
