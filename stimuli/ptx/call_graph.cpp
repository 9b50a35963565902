// SPDX-License-Identifier: Apache-2.0
// Which functions call each other, and which of them an indirect call can reach.

#include <algorithm>
#include <set>

#include "stimuli/ptx/calls.h"

namespace tessera::ptx {

namespace {

bool same_bytes(const std::vector<Variable>& a, const std::vector<Variable>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Variable& x, const Variable& y) { return x.bytes() == y.bytes(); });
}

}  // namespace

const Operand* call_target(const Instruction& call) {
  const bool has_results =
      !call.operands.empty() && call.operands[0].kind == Operand::Kind::kParenList;
  const std::size_t at = has_results ? 1 : 0;
  return at < call.operands.size() ? &call.operands[at] : nullptr;
}

bool is_stack_move(const Instruction& i) {
  return i.opcode == "alloca" || i.opcode == "stacksave" || i.opcode == "stackrestore";
}

std::uint64_t function_address(const Module& module, const std::string& name) {
  const Function* f = module.function(name);
  if (f == nullptr || f->is_entry) return 0;
  return code_address(static_cast<std::uint64_t>(f - module.functions.data()));
}

CallGraph::CallGraph(const Module& module) : module_(module) {
  for (const Function& f : module.functions) {
    if (!f.is_declaration && !f.is_entry) bodies_[f.name] = &f;
  }
  for (const auto& [name, of] : module.aliases) {
    const Function* f = module.function(name);
    if (f != nullptr && !f->is_declaration && !f->is_entry) bodies_[name] = f;
  }
}

const Function* CallGraph::body_of(const std::string& name) const {
  const auto it = bodies_.find(name);
  return it == bodies_.end() ? nullptr : it->second;
}

bool CallGraph::is_recursive(const Function& f) {
  const auto [known, fresh] = recursive_.try_emplace(&f, false);
  if (fresh) known->second = reaches_itself(f);
  return known->second;
}

bool CallGraph::moves_stack(const Function& f) {
  const auto known = moves_stack_.find(&f);
  if (known != moves_stack_.end()) return known->second;
  const bool moves = std::any_of(f.body.begin(), f.body.end(), [&](const Instruction& i) {
    if (i.opcode != "call") return is_stack_move(i);
    const Operand* target = call_target(i);
    const Function* callee = target == nullptr ? nullptr : body_of(target->name);
    return callee != nullptr && !is_recursive(*callee) && moves_stack(*callee);
  });
  moves_stack_[&f] = moves;
  return moves;
}

bool CallGraph::takes_address(const Function& f, const std::string& parameter) {
  return std::any_of(f.body.begin(), f.body.end(), [&](const Instruction& i) {
    return i.opcode != "call" &&
           std::any_of(i.operands.begin(), i.operands.end(), [&](const Operand& o) {
             return o.kind != Operand::Kind::kAddress && o.name == parameter;
           });
  });
}

bool CallGraph::reaches_itself(const Function& f) const {
  std::set<const Function*> seen;
  std::vector<const Function*> work{&f};
  while (!work.empty()) {
    const Function& next = *work.back();
    work.pop_back();
    for (const Instruction& i : next.body) {
      if (i.opcode != "call") continue;
      const Operand* target = call_target(i);
      const Function* callee = target == nullptr ? nullptr : body_of(target->name);
      if (callee == &f) return true;
      if (callee != nullptr && seen.insert(callee).second) work.push_back(callee);
    }
  }
  return false;
}

const std::vector<const Function*>& CallGraph::address_taken() {
  if (address_taken_) return *address_taken_;
  std::set<const Function*> taken;
  const auto name = [&](const std::string& symbol) {
    if (const Function* f = body_of(symbol)) taken.insert(f);
  };
  const auto operand = [&](const auto& self, const Operand& o) -> void {
    if (o.kind == Operand::Kind::kSymbol) name(o.name);
    for (const Operand& e : o.elements) self(self, e);
  };
  const auto variables = [&](const std::vector<Variable>& all) {
    for (const Variable& v : all) {
      for (const auto& symbol : v.initial_symbols) name(symbol.second);
      for (const PartialSymbol& p : v.partial_symbols) name(p.name);
    }
  };
  variables(module_.variables);
  for (const Function& f : module_.functions) {
    variables(f.variables);
    for (const Instruction& i : f.body) {
      const Operand* target = i.opcode == "call" ? call_target(i) : nullptr;
      for (const Operand& o : i.operands) {
        if (&o != target) operand(operand, o);
      }
    }
  }
  // Functions are elements of one vector.
  address_taken_.emplace(taken.begin(), taken.end());
  return *address_taken_;
}

const Variable* CallGraph::table(const Function& caller, const std::string& name) const {
  for (const auto* variables : {&caller.variables, &module_.variables}) {
    for (const Variable& v : *variables) {
      if (v.name == name && !v.initial_symbols.empty()) return &v;
    }
  }
  return nullptr;
}

std::optional<std::vector<const Function*>> CallGraph::targets(const Function& caller,
                                                               const std::string& list) {
  std::vector<const Function*> out;
  const auto add = [&](const Function* f) {
    if (f != nullptr && std::find(out.begin(), out.end(), f) == out.end()) out.push_back(f);
  };
  if (const auto named = caller.call_targets.find(list); named != caller.call_targets.end()) {
    for (const std::string& name : named->second) add(body_of(name));
    return out;
  }
  const auto prototype = caller.prototypes.find(list);
  if (prototype == caller.prototypes.end()) {
    const Variable* of = table(caller, list);
    if (of == nullptr) return std::nullopt;
    for (const auto& symbol : of->initial_symbols) add(body_of(symbol.second));
    return out;
  }
  for (const Function* f : address_taken()) {
    if (same_bytes(f->returns, prototype->second.returns) &&
        same_bytes(f->parameters, prototype->second.parameters)) {
      add(f);
    }
  }
  return out;
}

}  // namespace tessera::ptx
