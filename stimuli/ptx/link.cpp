// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/link.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "common/error.h"
#include "common/suggest.h"
#include "stimuli/ptx/calls.h"
#include "stimuli/ptx/kernel.h"

namespace tessera::ptx {
namespace {

using Names = std::map<std::string, std::string>;

bool is_exported(const Function& f) {
  return !f.is_declaration && (f.is_entry || f.is_visible || f.is_weak);
}
bool is_exported(const Variable& v) { return !v.is_extern && (v.is_visible || v.is_weak); }
bool is_local(const Function& f) { return !f.is_declaration && !is_exported(f); }
bool is_local(const Variable& v) { return !v.is_extern && !is_exported(v); }
bool is_declaration(const Function& f) { return f.is_declaration; }
bool is_declaration(const Variable& v) { return v.is_extern; }

void rename(std::string& name, const Names& names) {
  const auto it = names.find(name);
  if (it != names.end()) name = it->second;
}

void rename(Operand& o, const Names& names) {
  rename(o.name, names);
  if (!o.second_name.empty()) rename(o.second_name, names);
  for (Operand& e : o.elements) rename(e, names);
}

/// Renames module symbols in a function, unless a local name hides them.
void rename_in(Function& f, Names names) {
  for (const auto* own : {&f.variables, &f.parameters, &f.returns}) {
    for (const Variable& v : *own) names.erase(v.name);
  }
  for (const Label& label : f.labels) names.erase(label.name);
  for (Instruction& i : f.body) {
    for (Operand& o : i.operands) rename(o, names);
  }
  for (auto& targets : f.call_targets) {
    for (std::string& name : targets.second) rename(name, names);
  }
}

void rename_symbols(Module& m, const Names& names) {
  for (Variable& v : m.variables) {
    rename(v.name, names);
    for (auto& symbol : v.initial_symbols) rename(symbol.second, names);
    for (PartialSymbol& symbol : v.partial_symbols) rename(symbol.name, names);
  }
  for (Function& f : m.functions) {
    rename_in(f, names);
    rename(f.name, names);
  }
  Names aliases;
  for (auto [name, of] : m.aliases) {
    rename(of, names);
    aliases.emplace(name, of);
  }
  m.aliases = std::move(aliases);
}

/// Adds the number of the file to every line number, and to every number of a source file.
void mark_lines(Module& m, unsigned file) {
  const auto mark = [file](unsigned& line) { line |= file << kFileShift; };
  const auto mark_all = [&mark](std::vector<Variable>& all) {
    for (Variable& v : all) mark(v.line);
  };
  mark_all(m.variables);
  for (Function& f : m.functions) {
    mark(f.line);
    mark_all(f.variables);
    mark_all(f.parameters);
    mark_all(f.returns);
    for (Instruction& i : f.body) {
      mark(i.line);
      i.source.file |= file << kFileShift;
    }
  }
  SourceFiles files;
  for (auto& [number, name] : m.source_files) files[number | file << kFileShift] = std::move(name);
  m.source_files = std::move(files);
}

class Linker {
 public:
  explicit Linker(std::vector<Module> modules) : modules_(std::move(modules)) {
    for (std::size_t i = 1; i < modules_.size(); ++i) files_.push_back(modules_[i].file);
  }

  Module run() {
    for (std::size_t i = 0; i < modules_.size(); ++i) {
      Module& m = modules_[i];
      if (m.address_bits != modules_[0].address_bits) {
        throw InputError(m.file + " has addresses of " + std::to_string(m.address_bits) +
                         " bits, but " + modules_[0].file + " of " +
                         std::to_string(modules_[0].address_bits));
      }
      mark_lines(m, static_cast<unsigned>(i));
      out_.source_files.merge(m.source_files);
    }
    keep_apart();
    out_.file = modules_[0].file;
    out_.linked_files = files_;
    out_.version = modules_[0].version;
    out_.target = modules_[0].target;
    out_.address_bits = modules_[0].address_bits;
    out_.target_options = modules_[0].target_options;
    merge(&Module::variables);
    merge(&Module::functions);
    for (const Variable& v : out_.variables) refuse_both_kinds(v);
    for (const Module& m : modules_) {
      for (const auto& [name, of] : m.aliases) {
        const auto [known, fresh] = out_.aliases.emplace(name, of);
        if (!fresh && known->second != of) {
          throw InputError(m.file + ": the alias '" + name + "' is that of '" + known->second +
                           "' in another file");
        }
      }
    }
    return std::move(out_);
  }

 private:
  std::string where(unsigned line) const { return place_text(modules_[0].file, files_, line); }

  /// Renames local symbols whose names other files also use.
  void keep_apart() {
    std::map<std::string, unsigned> uses;  // files that have the name at module scope
    for (const Module& m : modules_) {
      for (const Variable& v : m.variables) ++uses[v.name];
      for (const Function& f : m.functions) ++uses[f.name];
    }
    std::set<std::string> stems;
    for (Module& m : modules_) {
      const std::string file = std::filesystem::path(m.file).stem().string();
      std::string stem = file;
      for (unsigned n = 2; !stems.insert(stem).second; ++n) stem = file + "#" + std::to_string(n);
      Names names;
      for (const Variable& v : m.variables) {
        if (is_local(v) && uses[v.name] > 1) names[v.name] = v.name + "@" + stem;
      }
      for (const Function& f : m.functions) {
        if (is_local(f) && uses[f.name] > 1) names[f.name] = f.name + "@" + stem;
      }
      if (!names.empty()) rename_symbols(m, names);
    }
  }

  /// Adds the symbols of every file: each definition once, and declarations without a definition.
  template <class Symbol>
  void merge(std::vector<Symbol> Module::*symbols) {
    std::vector<Symbol>& to = out_.*symbols;
    std::map<std::string, std::size_t> known;
    for (Module& m : modules_) {
      for (Symbol& s : m.*symbols) {
        const auto [at, fresh] = known.emplace(s.name, to.size());
        if (fresh) {
          to.push_back(std::move(s));
          continue;
        }
        Symbol& other = to[at->second];
        check_shapes(other, s);
        if (is_declaration(s)) {
          if (is_declaration(other)) keep_stricter(other, s);
        } else if (is_declaration(other) || (other.is_weak && !s.is_weak)) {
          other = std::move(s);
        } else if (!s.is_weak) {
          throw InputError(where(s.line) + ": '" + s.name + "' is defined in " + where(other.line) +
                           " already; one .visible definition of a name "
                           "can be linked");
        }
      }
    }
  }

  static void keep_stricter(Variable& to, const Variable& from) {
    to.align = std::max(to.align, from.align);
  }
  static void keep_stricter(Function& /*to*/, const Function& /*from*/) {}

  void check_shapes(const Variable& a, const Variable& b) const {
    const bool sized = !(a.is_extern && a.elements == 0) && !(b.is_extern && b.elements == 0);
    if (a.space == b.space && (!sized || a.bytes() == b.bytes())) return;
    const auto shape = [](const Variable& v) {
      return std::to_string(v.bytes()) + " bytes of " + space_name(v.space);
    };
    throw InputError(where(b.line) + ": '" + b.name + "' has " + shape(b) + ", but in " +
                     where(a.line) + " it has " + shape(a));
  }

  void check_shapes(const Function& a, const Function& b) const {
    const auto same = [](const std::vector<Variable>& x, const std::vector<Variable>& y) {
      return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                        [](const auto& p, const auto& q) { return p.bytes() == q.bytes(); });
    };
    if (a.is_entry == b.is_entry && same(a.parameters, b.parameters) &&
        same(a.returns, b.returns)) {
      return;
    }
    throw InputError(where(b.line) + ": '" + b.name +
                     "' has other parameters or return values than in " + where(a.line));
  }

  void refuse_both_kinds(const Variable& v) const {
    for (const Function& f : out_.functions) {
      if (f.name != v.name) continue;
      throw InputError(where(v.line) + ": '" + v.name + "' is a variable, but in " + where(f.line) +
                       " it is a function");
    }
  }

  static std::string space_name(StateSpace s) {
    switch (s) {
      case StateSpace::kConst:
        return ".const";
      case StateSpace::kShared:
        return ".shared";
      default:
        return ".global";
    }
  }

  std::vector<Module> modules_;
  std::vector<std::string> files_;  ///< without the first
  Module out_;
};

void put_low_bytes(std::vector<std::byte>& contents, std::uint64_t offset, std::uint64_t value,
                   unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) {
    contents.at(offset + i) = static_cast<std::byte>(value >> (8 * i));
  }
}

bool has_memory(const Variable& v) {
  return (v.space == StateSpace::kGlobal || v.space == StateSpace::kConst) &&
         type_bytes(v.type) != 0;
}

}  // namespace

Module link(std::vector<Module> modules) {
  if (modules.size() == 1) return std::move(modules.front());
  return Linker(std::move(modules)).run();
}

std::string unlinked_name(const std::string& symbol) { return symbol.substr(0, symbol.find('@')); }

std::map<std::string, std::string> undefined_variables(const Module& module) {
  std::map<std::string, std::string> out;
  std::set<std::string> placed;
  for (const Variable& v : module.variables) {
    if (!has_memory(v)) continue;
    if (v.is_extern || v.bytes() == 0) {
      out[v.name] = module.where(v.line) + ": the variable '" + v.name + "' is .extern, and " +
                    (module.linked_files.empty() ? "this file does not define it"
                                                 : "no file that is linked defines it") +
                    "; link the file that does (\"ptx\": [...])";
    } else {
      placed.insert(v.name);
    }
  }
  // Repeated, because an initialiser can refer to a variable that is undefined for the same reason.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Variable& v : module.variables) {
      if (placed.count(v.name) == 0) continue;
      std::vector<std::string> names;
      for (const auto& symbol : v.initial_symbols) names.push_back(symbol.second);
      for (const PartialSymbol& symbol : v.partial_symbols) names.push_back(symbol.name);
      for (const std::string& name : names) {
        if (placed.count(name) != 0 || function_address(module, name) != 0) continue;
        const auto why = out.find(name);
        out[v.name] =
            why != out.end()
                ? why->second
                : module.where(v.line) + ": the initialiser of '" + v.name + "' names '" + name +
                      "', which is no .global or .const variable and no function of the module" +
                      did_you_mean(name, std::vector<std::string>(placed.begin(), placed.end()));
        placed.erase(v.name);
        changed = true;
        break;
      }
    }
  }
  return out;
}

std::vector<std::byte> initial_contents(const Module& module, const Variable& variable,
                                        const std::map<std::string, Address>& symbols) {
  const auto address_of = [&](const std::string& name) {
    const auto symbol = symbols.find(name);
    return symbol != symbols.end() ? symbol->second : function_address(module, name);
  };
  std::vector<std::byte> contents(variable.bytes());
  const std::size_t given = std::min(contents.size(), variable.initial.size());
  if (given != 0) std::memcpy(contents.data(), variable.initial.data(), given);
  for (std::size_t i = 0; i < variable.initial_symbols.size(); ++i) {
    const auto& [offset, name] = variable.initial_symbols[i];
    const std::int64_t addend =
        i < variable.initial_addends.size() ? variable.initial_addends[i] : 0;
    put_low_bytes(contents, offset, address_of(name) + static_cast<std::uint64_t>(addend), 8);
  }
  for (const PartialSymbol& p : variable.partial_symbols) {
    const std::uint64_t address = address_of(p.name) + static_cast<std::uint64_t>(p.addend);
    put_low_bytes(contents, p.offset, address >> p.shift, p.bytes);
  }
  return contents;
}

std::vector<std::string> blank_constants(const Module& module, const Kernel& kernel) {
  std::vector<std::string> out;
  for (const Variable& v : module.variables) {
    const bool blank = v.initial.empty() && v.initial_symbols.empty() && v.partial_symbols.empty();
    if (v.space != StateSpace::kConst || !has_memory(v) || !blank) continue;
    const bool used = std::any_of(kernel.symbols.begin(), kernel.symbols.end(),
                                  [&v](const SymbolUse& use) { return use.name == v.name; });
    if (used) out.push_back(v.name);
  }
  return out;
}

void check_symbols(const Module& module, const Kernel& kernel) {
  if (kernel.symbols.empty()) return;
  const std::map<std::string, std::string> undefined = undefined_variables(module);
  for (const SymbolUse& use : kernel.symbols) {
    const auto why = undefined.find(use.name);
    if (why == undefined.end()) continue;
    throw InputError(why->second + " (used by the kernel '" + kernel.name + "')");
  }
}

}  // namespace tessera::ptx
