// SPDX-License-Identifier: Apache-2.0

// Module scope and function headers (PTX ISA 4.3.1, 11).

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "common/error.h"
#include "common/file_kind.h"
#include "common/suggest.h"
#include "stimuli/ptx/body.h"
#include "stimuli/ptx/declaration.h"
#include "stimuli/ptx/lexer.h"
#include "stimuli/ptx/module.h"

namespace tessera::ptx {
namespace {

class ModuleParser {
 public:
  ModuleParser(std::string_view text, const std::string& file) : in_(text, file) {
    module_.file = file;
  }

  Module run() {
    if (!in_.at(".version")) in_.fail("PTX text, which begins with .version");
    while (!in_.at(Token::Kind::kEnd)) statement();
    if (module_.target.empty()) in_.fail("a .target directive before it");
    check_aliases();
    return std::move(module_);
  }

 private:
  void statement() {
    if (in_.accept(";")) return;
    if (in_.accept(".version")) return version();
    if (in_.accept(".target")) return target();
    if (in_.accept(".address_size")) return address_size();
    if (in_.accept(".alias")) return alias();
    if (parse_debug_directive(in_, module_.source_files)) return;
    if (in_.at(".pragma")) {
      std::string dropped;
      return parse_pragma(in_, dropped);
    }
    const Linking how = linking();
    skip_attribute(in_);
    if (in_.accept(".entry")) return function(true, how);
    if (in_.accept(".func")) return function(false, how);
    if (at_declaration(in_)) return variables(how);
    in_.fail("a directive at module scope" +
             did_you_mean(in_.peek().text,
                          {".version", ".target", ".address_size", ".file", ".loc", ".section",
                           ".pragma", ".alias", ".visible", ".extern", ".weak", ".common", ".entry",
                           ".func", ".global", ".const", ".shared", ".local"}));
  }

  void version() {
    if (!module_.version.empty()) in_.fail("one .version only");
    if (!in_.at(Token::Kind::kInteger)) {
      module_.version = in_.expect(Token::Kind::kFloat, "a version such as 8.0").text;
    } else {
      module_.version = in_.next().text;
    }
  }

  void target() {
    do {
      const Token word = in_.expect(Token::Kind::kWord, "a target such as sm_75");
      if (module_.target.empty()) {
        module_.target = word.text;
      } else {
        module_.target_options.emplace_back(word.text);
      }
    } while (in_.accept(","));
  }

  void address_size() {
    const unsigned line = in_.line();
    const std::uint64_t bits = in_.expect_integer(64, "32 or 64");
    if (bits != 32 && bits != 64) {
      in_.fail(line, "address size " + std::to_string(bits), "32 or 64");
    }
    module_.address_bits = static_cast<unsigned>(bits);
  }

  void alias() {
    const Token name = in_.expect(Token::Kind::kWord, "the alias");
    in_.expect(",", "after the alias");
    const Token aliased = in_.expect(Token::Kind::kWord, "a function's name");
    in_.expect(";", "to end the alias");
    if (!module_.aliases.emplace(name.text, aliased.text).second) {
      in_.fail(name.line, "second alias '" + std::string(name.text) + "'", "one alias of a name");
    }
    alias_lines_[std::string(name.text)] = name.line;
  }

  void check_aliases() const {
    for (const auto& [name, aliased] : module_.aliases) {
      const auto at = functions_.find(aliased);
      if (at == functions_.end() || module_.functions[at->second].is_declaration) {
        in_.fail(alias_lines_.at(name), "alias of '" + aliased + "'",
                 "the name of a function with a body");
      }
    }
  }

  struct Linking {
    bool is_extern = false;
    bool is_visible = false;
    bool is_weak = false;
  };

  Linking linking() {
    Linking how;
    for (;;) {
      if (in_.accept(".extern")) {
        how.is_extern = true;
      } else if (in_.accept(".visible")) {
        how.is_visible = true;
      } else if (in_.accept(".weak") || in_.accept(".common")) {
        how.is_weak = true;
      } else {
        return how;
      }
    }
  }

  void variables(const Linking& how) {
    std::vector<Variable> declared = parse_variables(in_, how.is_extern);
    for (Variable& v : declared) {
      v.is_visible = how.is_visible;
      v.is_weak = how.is_weak;
      const auto [at, added] = variables_.emplace(v.name, module_.variables.size());
      if (added) {
        module_.variables.push_back(std::move(v));
        continue;
      }
      // A definition replaces its declaration.
      Variable& known = module_.variables[at->second];
      if (!known.is_extern && !v.is_extern) {
        in_.fail(v.line,
                 "variable '" + v.name + "' was defined in line " + std::to_string(known.line) +
                     " already",
                 "another name");
      }
      if (!v.is_extern) known = std::move(v);
    }
  }

  void function(bool is_entry, const Linking& how) {
    Function f;
    f.is_entry = is_entry;
    f.is_visible = how.is_visible;
    f.is_weak = how.is_weak;
    skip_attribute(in_);
    if (!is_entry && in_.at("(")) f.returns = parse_parameters(in_);
    while (in_.accept(".noreturn")) f.noreturn = true;
    const Token name = in_.expect(Token::Kind::kWord, "a function's name");
    f.line = name.line;
    f.name = std::string(name.text);
    if (in_.at("(")) f.parameters = parse_parameters(in_);
    function_directives(f);
    if (in_.accept(";")) {
      f.is_declaration = true;
    } else {
      if (!in_.at("{")) in_.fail("'{' or ';' after the header of '" + f.name + "'");
      parse_body(in_, f, module_.source_files);
    }
    add(std::move(f));
  }

  void function_directives(Function& f) {
    while (in_.at(Token::Kind::kDotWord)) {
      if (in_.at(".pragma")) {
        parse_pragma(in_, f.directives["pragma"]);
      } else if (in_.accept(".noreturn")) {
        f.noreturn = true;
      } else if (in_.accept(".maxntid")) {
        f.max_threads = thread_counts();
      } else if (in_.accept(".reqntid")) {
        f.required_threads = thread_counts();
      } else if (in_.at(".attribute")) {
        skip_attribute(in_);
      } else if (!parse_debug_directive(in_, module_.source_files)) {
        other_directive(f);
      }
    }
  }

  std::array<std::uint32_t, 3> thread_counts() {
    std::array<std::uint32_t, 3> counts = {1, 1, 1};
    std::size_t n = 0;
    do {
      if (n == counts.size()) in_.fail("at most three numbers of threads");
      counts[n++] =
          static_cast<std::uint32_t>(in_.expect_integer(UINT32_MAX, "a number of threads"));
    } while (in_.accept(","));
    return counts;
  }

  /// Parses an unknown directive with numbers or names, because later versions of PTX can add some.
  void other_directive(Function& f) {
    const std::string name(in_.next().text.substr(1));
    const std::size_t first = in_.position();
    while (in_.at(Token::Kind::kInteger) || in_.at(Token::Kind::kWord) ||
           in_.at(Token::Kind::kString)) {
      in_.next();
      if (!in_.accept(",")) break;
    }
    f.directives[name] = in_.text_between(first, in_.position());
  }

  void add(Function f) {
    const auto [at, added] = functions_.emplace(f.name, module_.functions.size());
    if (added) {
      module_.functions.push_back(std::move(f));
      return;
    }
    Function& known = module_.functions[at->second];
    if (!known.is_declaration && !f.is_declaration) {
      in_.fail(f.line,
               "function '" + f.name + "' was defined in line " + std::to_string(known.line) +
                   " already",
               "another name");
    }
    if (!f.is_declaration) known = std::move(f);
  }

  TokenStream in_;
  Module module_;
  std::unordered_map<std::string, std::size_t> functions_;  ///< index by name
  std::unordered_map<std::string, std::size_t> variables_;  ///< index by name
  std::unordered_map<std::string, unsigned> alias_lines_;
};

}  // namespace

Module parse(std::string_view text, const std::string& file) {
  const std::string wrong = wrong_kind(ExpectedFile::kPtx, text, file);
  if (!wrong.empty()) throw InputError(file + ": " + wrong);
  return ModuleParser(text, file).run();
}

}  // namespace tessera::ptx
