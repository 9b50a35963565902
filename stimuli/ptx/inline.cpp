// SPDX-License-Identifier: Apache-2.0
// Inline expansion: every call is replaced by the callee's body with renamed registers, labels and
// variables. The callee's names of parameters and return values are replaced by the caller's .param
// variables. Recursion is an error, because it cannot be expanded.

#include <algorithm>
#include <unordered_map>

#include "common/error.h"
#include "common/suggest.h"
#include "stimuli/ptx/decoder.h"
#include "stimuli/ptx/refusal.h"

namespace tessera::ptx {

namespace {

constexpr std::size_t kMostInstructions = 1'000'000;

class Expander {
 public:
  Expander(const Module& module, const Function& entry) : module_(module), entry_(entry) {}

  Function run() {
    result_ = entry_;
    result_.body.clear();
    result_.labels.clear();
    result_.variables.clear();
    copy(entry_, {}, "", "");
    return std::move(result_);
  }

 private:
  using Names = std::unordered_map<std::string, std::string>;

  /// Appends the body of `f`. `end`: branch target of returns (empty in the entry).
  void copy(const Function& f, Names names, const std::string& suffix, const std::string& end) {
    chain_.push_back(f.name);
    for (const Variable& v : f.variables) {
      Variable mine = v;
      // A static shared variable exists once, independent of the number of expansions.
      if (v.space == StateSpace::kShared && !suffix.empty())
        mine.name += "$" + f.name;
      else if (v.space != StateSpace::kGlobal)
        mine.name += suffix;
      names[v.name] = mine.name;
      const bool known = v.space == StateSpace::kShared &&
                         std::any_of(result_.variables.begin(), result_.variables.end(),
                                     [&](const Variable& x) { return x.name == mine.name; });
      if (!known) result_.variables.push_back(std::move(mine));
    }
    for (const Label& label : f.labels) names[label.name] = label.name + suffix;
    std::vector<std::size_t> order(f.labels.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return f.labels[a].position < f.labels[b].position;
    });
    std::size_t next_label = 0;
    for (std::size_t i = 0; i <= f.body.size(); ++i) {
      for (; next_label < order.size() && f.labels[order[next_label]].position == i; ++next_label) {
        place_label(names[f.labels[order[next_label]].name]);
      }
      if (i < f.body.size()) add(f.body[i], names, end);
    }
    chain_.pop_back();
  }

  void place_label(const std::string& name) {
    result_.labels.push_back(Label{name, result_.body.size()});
  }

  void add(const Instruction& original, const Names& names, const std::string& end) {
    if (result_.body.size() >= kMostInstructions) {
      refuse(original, "the kernel with its calls expanded has more than a million instructions");
    }
    Instruction i = original;
    rename(i.guard, names);
    for (Operand& o : i.operands) rename(o, names);
    if (i.opcode == "call") return call(i, original);
    if (i.opcode == "ret" && !end.empty()) {
      i.opcode = "bra";
      i.operands.assign(1, symbol(end));
    }
    result_.body.push_back(std::move(i));
  }

  /// `i`: the call with the caller's renamed operands.
  void call(const Instruction& i, const Instruction& original) {
    std::size_t at = 0;
    std::vector<Operand> returned;
    std::vector<Operand> passed;
    if (at < i.operands.size() && i.operands[at].kind == Operand::Kind::kParenList) {
      returned = i.operands[at++].elements;
    }
    if (at >= i.operands.size()) refuse(original, "the callee is missing");
    const Operand& target = original.operands[at++];
    const std::string callee_name = target.name;
    if (at < i.operands.size() && i.operands[at].kind == Operand::Kind::kParenList) {
      passed = i.operands[at++].elements;
    }
    const Function* callee = body_of(callee_name);
    if (callee == nullptr && target.kind == Operand::Kind::kRegister) {
      refuse(original, "calls through function pointers are not modelled; supported: direct calls");
    }
    const std::string suffix = "$" + std::to_string(++calls_);
    const std::string end = "$end" + suffix;
    if (!i.guard.empty()) jump_over(i, end);
    if (callee != nullptr) {
      expand(original, *callee, returned, passed, suffix, end);
    } else {
      stand_in(original, callee_name, returned, passed);
    }
    place_label(end);
  }

  void expand(const Instruction& at, const Function& callee, const std::vector<Operand>& returned,
              const std::vector<Operand>& passed, const std::string& suffix,
              const std::string& end) {
    if (std::find(chain_.begin(), chain_.end(), callee.name) != chain_.end()) {
      refuse(at, "'" + callee.name +
                     "' is recursive, and calls are expanded in place; write it as a loop");
    }
    Names names;
    bind(at, callee.returns, returned, "return values", names);
    bind(at, callee.parameters, passed, "arguments", names);
    copy(callee, names, suffix, end);
  }

  void bind(const Instruction& at, const std::vector<Variable>& formal,
            const std::vector<Operand>& actual, const char* what, Names& names) {
    if (formal.size() != actual.size()) {
      refuse(at, "the callee has " + std::to_string(formal.size()) + " " + what);
    }
    for (std::size_t k = 0; k < formal.size(); ++k) {
      const bool is_variable =
          std::any_of(result_.variables.begin(), result_.variables.end(), [&](const Variable& v) {
            return v.name == actual[k].name && v.space == StateSpace::kParam;
          });
      const bool passes_on =
          std::any_of(entry_.parameters.begin(), entry_.parameters.end(),
                      [&](const Variable& v) { return v.name == actual[k].name; });
      if (formal[k].space != StateSpace::kParam || (!is_variable && !passes_on)) {
        refuse(at, std::string(what) + " must be .param variables");
      }
      names[formal[k].name] = actual[k].name;
    }
  }

  /// Replaces a call of a system function without a body by an instruction.
  void stand_in(const Instruction& at, const std::string& name,
                const std::vector<Operand>& returned, const std::vector<Operand>& passed) {
    static const Names kSystemCalls = {{"vprintf", kPrintCall},
                                       {"__assertfail", kAssertCall},
                                       {"malloc", kMallocCall},
                                       {"free", kFreeCall}};
    const auto system = kSystemCalls.find(name);
    if (system == kSystemCalls.end()) {
      std::vector<std::string> known;
      for (const Function& f : module_.functions) {
        if (!f.is_declaration && !f.is_entry) known.push_back(f.name);
      }
      refuse(at, "there is no function '" + name + "' with a body in this module" +
                     did_you_mean(name, known) +
                     "; supported: functions of this or a linked file, vprintf, __assertfail, "
                     "malloc, free");
    }
    Instruction i = at;
    i.guard.clear();
    i.modifiers.clear();
    i.opcode = system->second;
    i.operands = returned;
    i.operands.insert(i.operands.end(), passed.begin(), passed.end());
    result_.body.push_back(std::move(i));
  }

  void jump_over(const Instruction& call, const std::string& to) {
    Instruction i;
    i.line = call.line;
    i.text = call.text;
    i.opcode = "bra";
    i.guard = call.guard;
    i.guard_negated = !call.guard_negated;
    i.operands.push_back(symbol(to));
    result_.body.push_back(std::move(i));
  }

  const Function* body_of(const std::string& name) const {
    const Function* f = module_.function(name);
    return f != nullptr && !f->is_declaration && !f->is_entry ? f : nullptr;
  }

  static Operand symbol(const std::string& name) {
    Operand o;
    o.kind = Operand::Kind::kSymbol;
    o.name = name;
    return o;
  }

  static void rename(std::string& name, const Names& names) {
    const auto it = names.find(name);
    if (it != names.end()) name = it->second;
  }

  static void rename(Operand& o, const Names& names) {
    rename(o.name, names);
    if (!o.second_name.empty()) rename(o.second_name, names);
    for (Operand& e : o.elements) rename(e, names);
  }

  [[noreturn]] void refuse(const Instruction& i, const std::string& why) const {
    throw Refusal(module_.where(i.line), i.line, i.text, why);
  }

  const Module& module_;
  const Function& entry_;
  Function result_;
  std::vector<std::string> chain_;
  unsigned calls_ = 0;
};

}  // namespace

Function expand_calls(const Module& module, const Function& entry) {
  const bool calls = std::any_of(entry.body.begin(), entry.body.end(),
                                 [](const Instruction& i) { return i.opcode == "call"; });
  return calls ? Expander(module, entry).run() : entry;
}

}  // namespace tessera::ptx
