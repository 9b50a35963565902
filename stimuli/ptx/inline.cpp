// SPDX-License-Identifier: Apache-2.0
// Expansion of calls. A direct call is replaced by the callee's body with renamed registers, labels
// and variables; the callee's names of parameters and return values are replaced by the caller's
// .param variables. Recursive functions and targets of indirect calls are appended once each, and
// their calls become kCallOpcode (calls.h).

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "common/error.h"
#include "common/suggest.h"
#include "stimuli/ptx/calls.h"
#include "stimuli/ptx/decoder.h"
#include "stimuli/ptx/flat_code.h"
#include "stimuli/ptx/frame_variables.h"
#include "stimuli/ptx/refusal.h"

namespace tessera::ptx {

namespace {

constexpr std::size_t kMostInstructions = 1'000'000;

class Expander {
 public:
  Expander(const Module& module, const Function& entry)
      : module_(module), entry_(entry), graph_(module), result_(flat_.function) {}

  FlatKernel run() {
    result_ = entry_;
    result_.body.clear();
    result_.labels.clear();
    result_.variables.clear();
    copy(entry_, {}, "", "");
    if (!flat_.functions.empty()) end_entry();
    // Functions can add further ones.
    for (std::size_t n = 0; n < flat_.functions.size(); ++n) append(n);
    const bool calls = !flat_.first_call.empty();
    flat_.uses_stack = flat_.uses_stack || calls;
    if (flat_.uses_stack) declare_register(kStackPointer, Type::kB64);
    if (calls) declare_register(kReturnAddress, Type::kB64);
    return std::move(flat_);
  }

 private:
  using Names = std::unordered_map<std::string, std::string>;

  /// Appends the body of `f`. `end`: branch target of returns (empty in the entry).
  void copy(const Function& f, Names names, const std::string& suffix, const std::string& end) {
    for (const Variable& v : f.variables) {
      Variable mine = v;
      // A static shared variable exists once, independent of the number of expansions.
      if (v.space == StateSpace::kShared && !suffix.empty())
        mine.name += "$" + f.name;
      else if (v.space != StateSpace::kGlobal)
        mine.name += suffix;
      names[v.name] = mine.name;
      if (frame_ && v.space == StateSpace::kLocal) {
        frame_->place(mine);
        continue;
      }
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
      if (i < f.body.size()) add(f, f.body[i], names, end);
    }
  }

  void place_label(const std::string& name) {
    result_.labels.push_back(Label{name, result_.body.size()});
  }

  void declare_register(const std::string& name, Type type) {
    result_.variables.push_back(flat_register(name, type, result_.line));
  }

  void add(const Function& f, const Instruction& original, const Names& names,
           const std::string& end) {
    if (result_.body.size() >= kMostInstructions) {
      refuse(original, "the kernel with its calls expanded has more than a million instructions");
    }
    Instruction i = original;
    rename(i.guard, names);
    for (Operand& o : i.operands) rename(o, names);
    if (i.opcode == "call") return call(f, i, original);
    if (is_stack_move(i)) {
      flat_.uses_stack = true;
      if (i.opcode != "alloca") replace_stack_move(i, original);
    }
    if (&f != &entry_ && loads_parameter_by_register(f, original)) make_local(i);
    if (i.opcode == "ret" && !end.empty()) {
      // The code of an out-of-line function continues in its epilogue.
      if (end == epilogue_ && i.guard.empty() && &original == &f.body.back()) return;
      i.opcode = "bra";
      i.operands.assign(1, symbol_operand(end));
    }
    if (frame_) frame_->replace(i);
    result_.body.push_back(std::move(i));
  }

  /// `i`: the call with the caller's renamed operands.
  void call(const Function& caller, const Instruction& i, const Instruction& original) {
    std::size_t at = 0;
    std::vector<Operand> returned;
    std::vector<Operand> passed;
    if (at < i.operands.size() && i.operands[at].kind == Operand::Kind::kParenList) {
      returned = i.operands[at++].elements;
    }
    if (at >= i.operands.size()) refuse(original, "the callee is missing");
    const Operand& target = original.operands[at];
    const Operand& renamed_target = i.operands[at++];
    const std::string callee_name = target.name;
    if (at < i.operands.size() && i.operands[at].kind == Operand::Kind::kParenList) {
      passed = i.operands[at++].elements;
    }
    const std::string suffix = "$" + std::to_string(++calls_);
    const std::string end = "$end" + suffix;
    if (target.kind == Operand::Kind::kRegister) {
      const std::string list = at < original.operands.size() ? original.operands[at].name : "";
      const auto targets = graph_.targets(caller, list);
      if (!targets) {
        refuse(original,
               "an indirect call needs the name of a .callprototype, of .calltargets or "
               "of a table of functions");
      }
      return call_out_of_line(i, original, renamed_target, *targets, returned, passed, end);
    }
    const Function* callee = graph_.body_of(callee_name);
    if (callee != nullptr && graph_.is_recursive(*callee)) {
      return call_out_of_line(i, original, sink_operand(), {callee}, returned, passed, end);
    }
    // The stack pointer is restored at the end of the expansion, but not if the call is skipped.
    const bool restores = callee != nullptr && graph_.moves_stack(*callee);
    const std::string skip = restores ? "$skip" + suffix : end;
    const Operand sp = register_operand(kStackPointer);
    const Operand saved = register_operand("@stack" + suffix);
    if (!i.guard.empty()) jump_over(i, skip);
    if (callee != nullptr) {
      Names names;
      bind(original, *callee, callee->returns, returned, "return values", names);
      bind(original, *callee, callee->parameters, passed, "arguments", names);
      if (restores) {
        declare_register(saved.name, Type::kB64);
        result_.body.push_back(made(original, "mov.u64", {saved, sp}));
      }
      const std::uint64_t mark = frame_ ? frame_->mark() : 0;
      copy(*callee, names, suffix, end);
      if (frame_) frame_->release(mark);
    } else {
      stand_in(original, callee_name, returned, passed);
    }
    place_label(end);
    if (!restores) return;
    result_.body.push_back(made(original, "mov.u64", {sp, saved}));
    place_label(skip);
  }

  void bind(const Instruction& at, const Function& callee, const std::vector<Variable>& formal,
            const std::vector<Operand>& actual, const char* what, Names& names) const {
    check_arguments(at, formal, actual, what);
    for (std::size_t k = 0; k < formal.size(); ++k) {
      names[formal[k].name] = actual[k].name;
      if (is_kernel_parameter(actual[k].name) && CallGraph::takes_address(callee, formal[k].name)) {
        refuse(at, "the callee takes the address of '" + formal[k].name +
                       "', for which a kernel parameter is passed; copy it to a .param variable");
      }
    }
  }

  void check_arguments(const Instruction& at, const std::vector<Variable>& formal,
                       const std::vector<Operand>& actual, const char* what) const {
    if (formal.size() != actual.size()) {
      refuse(at, "the callee has " + std::to_string(formal.size()) + " " + what);
    }
    for (std::size_t k = 0; k < formal.size(); ++k) {
      const bool is_variable =
          std::any_of(result_.variables.begin(), result_.variables.end(), [&](const Variable& v) {
            return v.name == actual[k].name && v.space == StateSpace::kParam;
          });
      const bool passes_on = is_kernel_parameter(actual[k].name);
      if (formal[k].space != StateSpace::kParam || (!is_variable && !passes_on)) {
        refuse(at, std::string(what) + " must be .param variables");
      }
    }
  }

  /// Arguments are passed one after the other: a recursive call must not pass a parameter that
  /// another argument has replaced.
  void check_own_parameters(const Instruction& at, const Function& callee,
                            const std::vector<std::string>& parameters,
                            const std::vector<Operand>& passed) const {
    for (std::size_t k = 0; k < passed.size(); ++k) {
      const auto own = std::find(parameters.begin(), parameters.end(), passed[k].name);
      if (own == parameters.end() || own == parameters.begin() + std::ptrdiff_t(k)) continue;
      refuse(at, "'" + callee.name +
                     "' passes its own parameter to itself at another place; copy " +
                     "it to a .param variable");
    }
  }

  bool is_kernel_parameter(const std::string& name) const {
    return std::any_of(entry_.parameters.begin(), entry_.parameters.end(),
                       [&](const Variable& v) { return v.name == name; });
  }

  void call_out_of_line(const Instruction& i, const Instruction& original, const Operand& target,
                        const std::vector<const Function*>& targets,
                        const std::vector<Operand>& returned, const std::vector<Operand>& passed,
                        const std::string& end) {
    const bool is_direct = target.kind == Operand::Kind::kSink;
    if (flat_.first_call.empty()) {
      flat_.first_call =
          module_.where(original.line) + ": '" + original.text + "': " +
          (is_direct ? "'" + targets[0]->name + "' is recursive" : "the target is an address");
    }
    if (!i.guard.empty()) jump_over(i, end);
    Instruction c =
        made(original, kCallOpcode, {target, list_operand(returned), list_operand(passed)});
    for (const Function* f : targets) {
      check_arguments(original, f->returns, returned, "return values");
      check_arguments(original, f->parameters, passed, "arguments");
      const std::size_t n = out_of_line(*f);
      check_own_parameters(original, *f, flat_.functions[n].parameters, passed);
      const auto names = [](const std::vector<std::string>& all) {
        std::vector<Operand> out;
        for (const std::string& name : all) out.push_back(symbol_operand(name));
        return list_operand(out);
      };
      Operand o =
          list_operand({names(flat_.functions[n].results), names(flat_.functions[n].parameters)});
      o.integer = static_cast<std::int64_t>(n);
      c.operands.push_back(std::move(o));
    }
    result_.body.push_back(std::move(c));
    if (!i.guard.empty()) place_label(end);
  }

  /// The index of a function in FlatKernel::functions; adds it if necessary.
  std::size_t out_of_line(const Function& f) {
    const auto [known, fresh] = numbers_.try_emplace(&f, flat_.functions.size());
    if (!fresh) return known->second;
    OutOfLineFunction o;
    o.name = f.name;
    o.address = function_address(module_, f.name);
    const std::string suffix = "$" + std::to_string(++calls_);
    if (graph_.moves_stack(f)) {
      o.base = kFramePointer + suffix;
      declare_register(o.base, Type::kB64);
    }
    Names names;
    const auto declare = [&](const std::vector<Variable>& formals, std::vector<std::string>& to) {
      for (const Variable& formal : formals) {
        if (formal.space != StateSpace::kParam) {
          throw InputError(module_.where(f.line) + ": the results and parameters of '" + f.name +
                           "' must be .param variables");
        }
        Variable v = formal;
        v.name += suffix;
        names[formal.name] = v.name;
        to.push_back(v.name);
        result_.variables.push_back(std::move(v));
      }
    };
    declare(f.returns, o.results);
    declare(f.parameters, o.parameters);
    flat_.functions.push_back(std::move(o));
    sources_.push_back(Source{&f, suffix, std::move(names)});
    return known->second;
  }

  /// Appends the code of an out-of-line function: the prologue, its body, and the
  /// epilogue, to which all its returns branch. frames.cpp completes prologue and epilogue.
  void append(std::size_t n) {
    const Source source = sources_[n];
    const Function& f = *source.function;
    const std::string base = flat_.functions[n].base;
    frame_.emplace(result_, base);
    const std::string end = epilogue_ = "@return" + source.suffix;
    Instruction first;
    first.line = f.line;
    Instruction last;
    last.line = f.body.empty() ? f.line : f.body.back().line;
    last.text = "ret";
    const Operand sp = register_operand(kStackPointer);
    const std::size_t begin = result_.body.size();
    result_.body.push_back(made(first, "sub.u64", {sp, sp, integer_operand(0)}));
    if (base != kStackPointer) {
      result_.body.push_back(made(first, "mov.u64", {register_operand(base), sp}));
    }
    for (Variable formal : f.parameters) {
      if (!CallGraph::takes_address(f, formal.name)) continue;
      formal.name = source.names.at(formal.name);
      frame_->copy_parameter(first, formal);
    }
    copy(f, source.names, source.suffix, end);
    place_label(end);
    result_.body.push_back(made(last, "add.u64", {sp, register_operand(base), integer_operand(0)}));
    result_.body.push_back(made(last, kReturnOpcode, {}));
    OutOfLineFunction& o = flat_.functions[n];
    o.begin = begin;
    o.end = result_.body.size();
    o.frame_bytes = frame_->bytes();
    flat_.stack_alignment = std::max(flat_.stack_alignment, frame_->alignment());
  }

  /// The entry must not continue in the code of the first function.
  void end_entry() {
    const bool has_label =
        std::any_of(result_.labels.begin(), result_.labels.end(),
                    [&](const Label& l) { return l.position == result_.body.size(); });
    const bool ends = !result_.body.empty() && result_.body.back().opcode == "ret" &&
                      result_.body.back().guard.empty();
    if (ends && !has_label) return;
    Instruction end;
    end.line = result_.body.empty() ? entry_.line : result_.body.back().line;
    end.opcode = "ret";
    end.text = "(end of kernel)";
    result_.body.push_back(std::move(end));
  }

  /// stacksave and stackrestore are moves from and to the stack pointer.
  void replace_stack_move(Instruction& i, const Instruction& original) const {
    const bool wide = i.modifiers == std::vector<std::string>{"u64"};
    const bool narrow = i.modifiers == std::vector<std::string>{"u32"};
    if ((!wide && !narrow) || i.operands.size() != 1) {
      refuse(original, "supported: stacksave.{u32,u64} %r, stackrestore.{u32,u64} %r");
    }
    const bool saves = i.opcode == "stacksave";
    const Operand sp = register_operand(kStackPointer);
    const Operand own = i.operands[0];
    i.operands = {saves ? own : sp, saves ? sp : own};
    i.opcode = wide ? "mov" : "cvt";
    if (wide) return;
    i.modifiers =
        saves ? std::vector<std::string>{"u32", "u64"} : std::vector<std::string>{"u64", "u32"};
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
    std::vector<Operand> operands = returned;
    operands.insert(operands.end(), passed.begin(), passed.end());
    result_.body.push_back(made(at, system->second, std::move(operands)));
  }

  void jump_over(const Instruction& call, const std::string& to) {
    Instruction i = made(call, "bra", {symbol_operand(to)});
    i.guard = call.guard;
    i.guard_negated = !call.guard_negated;
    result_.body.push_back(std::move(i));
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

  struct Source {
    const Function* function = nullptr;
    std::string suffix;
    Names names;  ///< of results and parameters
  };

  const Module& module_;
  const Function& entry_;
  CallGraph graph_;
  FlatKernel flat_;
  Function& result_;
  unsigned calls_ = 0;
  std::map<const Function*, std::size_t> numbers_;  ///< indices in FlatKernel::functions
  std::vector<Source> sources_;                     ///< parallel to FlatKernel::functions
  std::string epilogue_;  ///< label of the epilogue of the function that is being appended
  std::optional<FrameVariables> frame_;  ///< of the out-of-line function that is being appended
};

}  // namespace

FlatKernel expand_calls(const Module& module, const Function& entry) {
  const bool expands = std::any_of(entry.body.begin(), entry.body.end(), [](const Instruction& i) {
    return i.opcode == "call" || is_stack_move(i);
  });
  if (expands) return Expander(module, entry).run();
  FlatKernel flat;
  flat.function = entry;
  return flat;
}

}  // namespace tessera::ptx
