// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/points_to.h"

#include <algorithm>
#include <initializer_list>

#include "stimuli/ptx/calls.h"
#include "stimuli/ptx/words.h"

namespace tessera::ptx {

namespace {

constexpr unsigned kWord = 8;  ///< bytes of a pointer

bool is_address(const Operand& o) { return o.kind == Operand::Kind::kAddress; }

Type last_type(const Instruction& i) {
  return i.modifiers.empty() ? Type::kNone : type_from_name(i.modifiers.back());
}

template <class Visit>
void visit_names(const Operand& o, const Visit& visit) {
  if (!o.name.empty()) visit(o.name);
  for (const Operand& e : o.elements) visit_names(e, visit);
}

}  // namespace

bool PointsTo::Value::add(const Value& v) {
  const std::size_t before = whole.size() + derived.size();
  whole.insert(v.whole.begin(), v.whole.end());
  derived.insert(v.derived.begin(), v.derived.end());
  return whole.size() + derived.size() != before;
}

PointsTo::PointsTo(const Module& module, const Function& function)
    : module_(module), function_(function) {
  name_origins();
  name_cells();
  solve();
  find_proven();
}

void PointsTo::name_origins() {
  for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
    const Variable& p = function_.parameters[i];
    Parameter mine{static_cast<std::uint32_t>(origins_.size()), 0};
    // Parameters of less than 8 bytes cannot contain a pointer.
    if (p.bytes() >= kWord) mine.words = static_cast<std::uint32_t>((p.bytes() - 1) / kWord + 1);
    for (std::uint32_t w = 0; w < mine.words; ++w) {
      origins_.push_back(PointerOrigin{false, p.name, i, w * kWord});
      if (p.is_pointer && w == 0) proven_.insert(mine.first);
    }
    parameters_[p.name] = mine;
  }
  for (const Variable& v : module_.variables) {
    // References to textures and surfaces have no address.
    if (v.space != StateSpace::kGlobal || type_bytes(v.type) == 0) continue;
    const auto index = static_cast<std::uint32_t>(origins_.size());
    if (!variables_.try_emplace(v.name, index).second) continue;  // declared, then defined
    origins_.push_back(PointerOrigin{true, v.name, 0, 0});
    proven_.insert(index);
  }
  other_ = static_cast<std::uint32_t>(origins_.size());
  loaded_ = other_ + 1;
  proven_.insert(other_);
  for (const Variable& v : module_.variables) {
    if (v.space == StateSpace::kConst || v.space == StateSpace::kShared) {
      variables_.try_emplace(v.name, other_);
    }
  }
  for (const Variable& v : function_.variables) {
    if (v.space == StateSpace::kShared || v.space == StateSpace::kLocal ||
        v.space == StateSpace::kConst || is_stack_register(v.name)) {
      variables_[v.name] = other_;
    }
  }
}

void PointsTo::name_cells() {
  for (const Variable& v : function_.variables) {
    // Predicates hold no addresses, and the condition of a select must not flow into its result.
    const bool is_register = v.space == StateSpace::kReg && v.type != Type::kPred;
    if ((!is_register && v.space != StateSpace::kParam) || is_stack_register(v.name)) continue;
    cells_.try_emplace(v.name, static_cast<std::uint32_t>(cells_.size()));
    if (!is_register) param_variables_.insert(v.name);
  }
  values_.resize(cells_.size());
  users_.resize(cells_.size());
  for (std::size_t i = 0; i < function_.body.size(); ++i) {
    for (const Operand& o : function_.body[i].operands) {
      visit_names(o, [&](const std::string& name) {
        const auto it = cells_.find(name);
        if (it == cells_.end()) return;
        std::vector<std::uint32_t>& users = users_[it->second];
        if (users.empty() || users.back() != i) users.push_back(static_cast<std::uint32_t>(i));
      });
    }
  }
}

void PointsTo::solve() {
  for (const Instruction& i : function_.body) step(i);
  // Terminates, because values only grow.
  while (!changed_.empty()) {
    const std::uint32_t cell = changed_.back();
    changed_.pop_back();
    for (const std::uint32_t user : users_[cell]) step(function_.body[user]);
  }
}

/// Whether an address can only point to one origin: it has one origin and no loaded part.
bool PointsTo::is_singleton(const Value& v) const {
  return v.whole.size() == 1 && *v.whole.begin() != loaded_ && v.derived.empty();
}

void PointsTo::find_proven() {
  for (const Instruction& i : function_.body) {
    const bool to_address = i.opcode == "cvta" && i.operands.size() == 2;
    if (to_address) {
      const Value v = value_of(i.operands[1]);
      if (is_singleton(v)) proven_.insert(*v.whole.begin());
    }
    for (const Operand& o : i.operands) {
      if (!is_address(o)) continue;
      const Value v = named(o.name);
      if (is_singleton(v)) proven_.insert(*v.whole.begin());
    }
  }
}

void PointsTo::step(const Instruction& i) {
  if (i.operands.empty()) return;
  Value from_memory;
  from_memory.whole.insert(loaded_);
  if (i.opcode == "call") {
    if (i.operands[0].kind != Operand::Kind::kParenList) return;
    for (const Operand& o : i.operands[0].elements) write(o, from_memory);
    return;
  }
  if (i.opcode == kCallOpcode) return pass_values(i);
  // A value is restored to the register from which it was saved.
  if (is_one_of(i.opcode, {kSaveOpcode, kRestoreOpcode, kReturnOpcode, kLandOpcode})) return;
  if (i.opcode == "alloca") {
    Value in_stack;
    in_stack.whole.insert(other_);
    return write(i.operands[0], in_stack);
  }
  // System calls. Other launches can have left pointers to the block of malloc.
  if (i.opcode[0] == '_') return write(i.operands[0], from_memory);
  // Variables with arguments and results are tracked. A register in brackets is an address, and its
  // target is not tracked.
  if (i.opcode == "st") {
    if (i.operands.size() == 2 && is_call_variable(i.operands[0].name)) {
      write(i.operands[0], value_of(i.operands[1]));
    }
    return;
  }
  if (i.opcode == "ld" && i.operands.size() == 2) {
    const std::string& name = i.operands[1].name;
    if (parameters_.count(name) != 0) return load_parameter(i);
    if (is_call_variable(name)) return write(i.operands[0], named(name));
  }
  const bool memory = std::any_of(i.operands.begin(), i.operands.end(), is_address);
  write(i.operands[0], memory ? from_memory : computed(i));
}

/// Arguments and results of a call of an out-of-line function.
void PointsTo::pass_values(const Instruction& call) {
  const std::vector<Operand>& results = call.operands[1].elements;
  const std::vector<Operand>& arguments = call.operands[2].elements;
  for (std::size_t f = 3; f < call.operands.size(); ++f) {
    const std::vector<Operand>& formal_results = call.operands[f].elements[0].elements;
    const std::vector<Operand>& parameters = call.operands[f].elements[1].elements;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      write(parameters[k], named(arguments[k].name));
    }
    for (std::size_t k = 0; k < results.size(); ++k) {
      write(results[k], named(formal_results[k].name));
    }
  }
}

void PointsTo::load_parameter(const Instruction& i) {
  const Parameter& p = parameters_.at(i.operands[1].name);
  const Type type = last_type(i);
  if (type == Type::kF16 || type == Type::kF32 || type == Type::kF64) return;
  const unsigned bytes = type_bytes(type);
  std::int64_t offset = i.operands[1].integer;
  const Operand& to = i.operands[0];
  if (to.kind != Operand::Kind::kVector) return write(to, parameter_value(p, offset, bytes));
  for (const Operand& e : to.elements) {
    write(e, parameter_value(p, offset, bytes));
    offset += bytes;
  }
}

PointsTo::Value PointsTo::parameter_value(const Parameter& p, std::int64_t offset,
                                          unsigned bytes) const {
  Value v;
  if (p.words == 0) return v;
  if (offset < 0 || offset % kWord + bytes > kWord || offset / kWord >= p.words) {
    // An access across words: a packed structure, whose pointers are not aligned to words.
    v.whole.insert(loaded_);
  } else {
    v.whole.insert(p.first + static_cast<std::uint32_t>(offset / kWord));
  }
  return v;
}

PointsTo::Value PointsTo::named(const std::string& name) const {
  const auto cell = cells_.find(name);
  if (cell != cells_.end()) return values_[cell->second];
  Value v;
  const auto variable = variables_.find(name);
  if (variable != variables_.end() && parameters_.count(name) == 0)
    v.whole.insert(variable->second);
  return v;
}

PointsTo::Value PointsTo::value_of(const Operand& o) const {
  if (o.kind == Operand::Kind::kRegister || o.kind == Operand::Kind::kSymbol) return named(o.name);
  Value v;
  if (is_address(o)) return v;
  for (const Operand& e : o.elements) v.add(value_of(e));
  return v;
}

void PointsTo::make_derived(Value& v) {
  v.derived.insert(v.whole.begin(), v.whole.end());
  v.whole.clear();
}

/// Converts `derived` to `whole`, because parts can have been combined to a pointer, of several
/// pointers to any of them.
void PointsTo::join(Value& v) const {
  v.whole.insert(v.derived.begin(), v.derived.end());
  v.derived.clear();
  if (v.whole.size() > 1) v.whole.insert(loaded_);
}

PointsTo::Value PointsTo::computed(const Instruction& i) const {
  const std::string& op = i.opcode;
  Value all;
  unsigned sources = 0;  // sources with origins
  const auto take = [&](const Operand& o) {
    const Value v = value_of(o);
    if (!v.empty()) ++sources;
    all.add(v);
  };
  for (std::size_t k = 1; k < i.operands.size(); ++k) {
    if (i.operands[k].kind == Operand::Kind::kVector) {
      for (const Operand& e : i.operands[k].elements) take(e);
    } else {
      take(i.operands[k]);
    }
  }
  if (all.empty() || is_one_of(op, {"setp", "set"})) return Value{};
  const bool packs =
      op == "mov" && i.operands.size() == 2 && i.operands[1].kind == Operand::Kind::kVector;
  if (packs || op == "or") {
    if (sources > 1) {
      join(all);
    } else if (packs) {
      make_derived(all);  // half of an address is no address
    }
    return all;
  }
  if (is_one_of(op, {"mov", "cvta", "add", "sub", "addc", "subc", "and", "selp", "slct", "min",
                     "max", "neg", "not", "abs", "shr", "div", "rem", "bfe", "shfl"})) {
    return all;
  }
  if (is_one_of(op, {"mul", "mul24", "shl"})) {
    make_derived(all);
    return all;
  }
  if (is_one_of(op, {"mad", "mad24", "madc", "fma"}) && i.operands.size() == 4) {
    Value product = value_of(i.operands[1]);
    product.add(value_of(i.operands[2]));
    make_derived(product);
    product.add(value_of(i.operands[3]));
    return product;
  }
  if (op == "cvt") {
    const Type from = last_type(i);
    if (from != Type::kU64 && from != Type::kS64) make_derived(all);
    return all;
  }
  // Other instructions can split and combine pointers.
  join(all);
  return all;
}

void PointsTo::write(const Operand& to, const Value& v) {
  // A register in brackets is read, not written.
  if (is_address(to) && !is_call_variable(to.name)) return;
  for (const Operand& e : to.elements) write(e, v);
  const auto cell = cells_.find(to.name);
  if (cell == cells_.end() || !values_[cell->second].add(v)) return;
  changed_.push_back(cell->second);
}

Bases PointsTo::bases(const Operand& address) const {
  Value v = named(address.name);
  Bases b;
  b.anywhere = v.whole.count(loaded_) != 0;
  if (!b.anywhere) {
    const bool proven = std::any_of(v.whole.begin(), v.whole.end(),
                                    [&](std::uint32_t o) { return proven_.count(o) != 0; });
    // Without a proven pointer, `whole` can be a number that is added to an address in `derived` (a
    // 32-bit index times 16).
    if (!proven && (v.whole.empty() || !v.derived.empty())) {
      v.whole.insert(v.derived.begin(), v.derived.end());
      b.anywhere = v.whole.empty() || v.whole.count(loaded_) != 0;
    }
  }
  for (const std::uint32_t o : v.whole) {
    if (o == other_) b.other = true;
    if (o < other_) b.origins.push_back(o);
  }
  return b;
}

std::vector<std::uint32_t> PointsTo::held(const Operand& operand) const {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t o : value_of(operand).whole) {
    if (o < other_) out.push_back(o);
  }
  return out;
}

std::vector<std::uint32_t> PointsTo::parameter_origins(const std::string& name) const {
  std::vector<std::uint32_t> out;
  const auto it = parameters_.find(name);
  if (it == parameters_.end()) return out;
  for (std::uint32_t w = 0; w < it->second.words; ++w) out.push_back(it->second.first + w);
  return out;
}

std::int64_t PointsTo::variable_origin(const std::string& name) const {
  const auto it = variables_.find(name);
  return it == variables_.end() || it->second >= other_ ? -1 : std::int64_t{it->second};
}

}  // namespace tessera::ptx
