// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/body.h"

#include <utility>

#include "common/suggest.h"
#include "stimuli/ptx/declaration.h"
#include "stimuli/ptx/instruction.h"
#include "stimuli/ptx/scope.h"

namespace tessera::ptx {
namespace {

class BodyParser {
 public:
  BodyParser(TokenStream& in, Function& function, SourceFiles& files)
      : in_(in), function_(function), files_(files), scopes_(in.file()) {}

  void run() {
    const unsigned first_line = in_.line();
    in_.expect("{", "to open the body of '" + function_.name + "'");
    for (Variable& v : function_.returns) declare(v);
    for (Variable& v : function_.parameters) declare(v);
    for (;;) {
      if (in_.at(Token::Kind::kEnd)) {
        in_.fail(in_.line(),
                 "end of the text in '" + function_.name + "', whose body was opened in line " +
                     std::to_string(first_line),
                 "'}'");
      }
      if (in_.accept("}")) {
        if (!scopes_.close()) break;
      } else {
        statement();
      }
    }
    resolve_names();
  }

 private:
  void statement() {
    if (in_.at("{")) {
      scopes_.open(in_.next().line);
    } else if (in_.accept(";")) {
      // an empty statement
    } else if (in_.at(Token::Kind::kDotWord)) {
      directive();
    } else if (in_.at(Token::Kind::kWord) && in_.at(":", 1)) {
      label();
    } else if (at_instruction(in_)) {
      function_.body.push_back(parse_instruction(in_));
      function_.body.back().source = source_;
      scope_of_.push_back(scopes_.current());
    } else {
      in_.fail("a directive, a label, an instruction or '}'");
    }
  }

  void directive() {
    if (at_declaration(in_)) {
      std::vector<Variable> variables = parse_variables(in_, false);
      for (Variable& v : variables) {
        declare(v);
        if (v.space == StateSpace::kReg && ++registers_ > kMostRegisters) {
          in_.fail(v.line, "more registers than a function can have",
                   "at most " + std::to_string(kMostRegisters));
        }
        function_.variables.push_back(std::move(v));
      }
      return;
    }
    if (parse_debug_directive(in_, files_, &source_)) return;
    if (in_.at(".pragma")) return parse_pragma(in_, function_.directives["pragma"]);
    const std::string name(in_.peek().text);
    in_.fail("a directive of a function's body" +
             did_you_mean(name, {".reg", ".param", ".shared", ".local", ".global", ".const", ".loc",
                                 ".pragma", ".file"}));
  }

  void declare(Variable& v) {
    const Scopes::Kind kind =
        v.space == StateSpace::kReg ? Scopes::Kind::kRegister : Scopes::Kind::kVariable;
    v.name = scopes_.declare(v.name, kind, v.line, function_.body.size());
  }

  void label() {
    const Token token = in_.next();
    in_.expect(":", "after the label");
    const std::size_t position = function_.body.size();
    const std::string name =
        scopes_.declare(std::string(token.text), Scopes::Kind::kLabel, token.line, position);
    if (in_.accept(".branchtargets")) {
      function_.branch_targets[name] = parse_name_list(in_, "a label");
      target_scopes_[name] = scopes_.current();
    } else if (in_.accept(".calltargets")) {
      function_.call_targets[name] = parse_name_list(in_, "a function's name");
    } else if (in_.at(".callprototype")) {
      function_.prototypes[name] = parse_prototype(in_);
    } else {
      function_.labels.push_back({name, position});
    }
  }

  void resolve_names() {
    for (std::size_t i = 0; i < function_.body.size(); ++i) {
      Instruction& instruction = function_.body[i];
      instruction.guard = unique(instruction.guard, i);
      for (Operand& o : instruction.operands) resolve(o, i);
    }
    for (auto& [name, targets] : function_.branch_targets) {
      for (std::string& target : targets) {
        const Scopes::Symbol* symbol = scopes_.find(target, target_scopes_[name], 0);
        if (symbol != nullptr) target = symbol->unique;
      }
    }
  }

  std::string unique(const std::string& name, std::size_t index) const {
    const Scopes::Symbol* symbol = scopes_.find(name, scope_of_[index], index);
    return symbol == nullptr ? name : symbol->unique;
  }

  /// Recursive; the parser limits the nesting of operands.
  void resolve(Operand& o, std::size_t index) {
    for (Operand& element : o.elements) resolve(element, index);
    if (!o.second_name.empty()) o.second_name = unique(o.second_name, index);
    if ((o.kind != Operand::Kind::kRegister && o.kind != Operand::Kind::kAddress) ||
        o.name.empty()) {
      return;
    }
    const Scopes::Symbol* symbol = scopes_.find(o.name, scope_of_[index], index);
    const bool percent = o.name[0] == '%';
    if (symbol != nullptr) {
      o.name = symbol->unique;
    } else if (percent && o.component >= 0) {
      // The component is part of a special register's name.
      o.name += '.';
      o.name += "xyzw"[o.component];
      o.component = -1;
    }
    if (o.kind == Operand::Kind::kAddress) return;
    const bool is_register = symbol == nullptr ? percent : symbol->kind == Scopes::Kind::kRegister;
    if (!is_register) o.kind = Operand::Kind::kSymbol;
    if (is_register && o.integer != 0) {
      in_.fail(function_.body[index].line, "offset on register '" + o.name + "' outside [ ]",
               "a register or an address");
    }
  }

  TokenStream& in_;
  Function& function_;
  SourceFiles& files_;
  SourceLine source_;  ///< of the last .loc
  Scopes scopes_;
  std::vector<std::size_t> scope_of_;  ///< scope of each instruction
  std::map<std::string, std::size_t> target_scopes_;
  std::uint64_t registers_ = 0;
};

}  // namespace

void parse_body(TokenStream& in, Function& function, SourceFiles& files) {
  BodyParser(in, function, files).run();
}

}  // namespace tessera::ptx
