// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/frame_variables.h"

#include <algorithm>

#include "stimuli/ptx/flat_code.h"

namespace tessera::ptx {

namespace {

bool is_param_space(const std::string& modifier) {
  return modifier == "param" || modifier == "param::func";
}

unsigned last_bytes(const Instruction& i) {
  return i.modifiers.empty() ? 0 : type_bytes(type_from_name(i.modifiers.back()));
}

}  // namespace

bool loads_parameter_by_register(const Function& f, const Instruction& load) {
  if (load.opcode != "ld" || load.operands.size() != 2) return false;
  const Operand& at = load.operands[1];
  const bool is_param = std::any_of(load.modifiers.begin(), load.modifiers.end(), is_param_space);
  return is_param && at.kind == Operand::Kind::kAddress &&
         std::any_of(f.variables.begin(), f.variables.end(), [&](const Variable& v) {
           return v.space == StateSpace::kReg && v.name == at.name;
         });
}

void make_local(Instruction& load) {
  for (std::string& m : load.modifiers) {
    if (is_param_space(m)) m = "local";
  }
}

std::string FrameVariables::declare(const std::string& name, Type type) {
  // The number of variables makes the name unique.
  std::string unique = name + std::to_string(flat_.variables.size());
  flat_.variables.push_back(flat_register(unique, type, flat_.line));
  return unique;
}

void FrameVariables::place(const Variable& v) {
  alignment_ = std::max(alignment_, alignment_of(v));
  const std::uint64_t at = align_up(end_, alignment_of(v));
  offsets_[v.name] = at;
  end_ = at + v.bytes();
  bytes_ = std::max(bytes_, end_);
}

void FrameVariables::copy_parameter(const Instruction& at, const Variable& parameter) {
  place(parameter);
  const std::uint64_t offset = offsets_.at(parameter.name);
  const unsigned bytes = word_bytes(parameter);
  const std::string type = "b" + std::to_string(8 * bytes);
  const Operand word = register_operand(declare("@word", bytes == 4 ? Type::kB32 : Type::kB16));
  for (std::uint64_t k = 0; k < parameter.bytes(); k += bytes) {
    flat_.body.push_back(made(at, "ld.param." + type, {word, address_operand(parameter.name, k)}));
    flat_.body.push_back(made(at, "st.local." + type, {address_operand(base_, offset + k), word}));
  }
}

void FrameVariables::replace(Instruction& i) {
  if (offsets_.empty()) return;
  if (i.opcode == "mov" && i.operands.size() == 2 && last_bytes(i) == 8) {
    const auto local = offsets_.find(i.operands[1].name);
    if (local == offsets_.end()) return;
    const auto offset = static_cast<std::int64_t>(local->second) + i.operands[1].integer;
    i.opcode = "add";
    i.modifiers.assign(1, "u64");
    i.operands[1] = register_operand(base_);
    i.operands.push_back(integer_operand(offset));
    return;
  }
  for (Operand& o : i.operands) {
    if (o.kind == Operand::Kind::kAddress && offsets_.count(o.name) != 0) make_local(i);
    replace(i, o);
  }
}

void FrameVariables::replace(const Instruction& i, Operand& o) {
  for (Operand& e : o.elements) replace(i, e);
  const auto local = offsets_.find(o.name);
  if (local == offsets_.end()) return;
  const auto offset = static_cast<std::int64_t>(local->second) + o.integer;
  if (o.kind == Operand::Kind::kAddress) {
    o.name = base_;
    o.integer = offset;
    return;
  }
  // As a value: its address in a register of the instruction's width.
  const Operand wide = register_operand(declare("@address", Type::kB64));
  flat_.body.push_back(
      made(i, "add.u64", {wide, register_operand(base_), integer_operand(offset)}));
  o = wide;
  if (last_bytes(i) != 4) return;
  o = register_operand(declare("@address", Type::kB32));
  flat_.body.push_back(made(i, "cvt.u32.u64", {o, wide}));
}

}  // namespace tessera::ptx
