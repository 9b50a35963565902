// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/symbols.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>

#include "common/error.h"
#include "common/suggest.h"
#include "common/text.h"
#include "stimuli/ptx/link.h"
#include "stimuli/ptx/program.h"
#include "stimuli/runner/arguments.h"
#include "stimuli/runner/manifest_check.h"

namespace tessera::kernels {
namespace {

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? std::string(text.get()) : symbol;
}

bool opens(char c) { return c == '(' || c == '<'; }
bool closes(char c) { return c == ')' || c == '>'; }

/// Index after the last `separator` outside of brackets; 0 if there is none.
std::size_t after_last(const std::string& text, const std::string& separator) {
  std::size_t found = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (opens(text[i])) ++depth;
    if (closes(text[i])) --depth;
    if (depth == 0 && text.compare(i, separator.size(), separator) == 0) {
      found = i + separator.size();
    }
  }
  return found;
}

/// Index of the bracket that the last character closes.
std::size_t opening_of_last(const std::string& text) {
  int depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (closes(text[i])) ++depth;
    if (opens(text[i]) && --depth == 0) return i;
  }
  return text.size();
}

std::string without_arguments(const std::string& name) {
  return !name.empty() && name.back() == '>' ? name.substr(0, opening_of_last(name)) : name;
}

std::string without_spaces(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

/// Replaces a name by its unique symbol.
class Resolver {
 public:
  Resolver(const Manifest& m, std::vector<std::string> symbols, const char* what)
      : m_(m), symbols_(std::move(symbols)), what_(what) {}

  std::string operator()(const std::string& name, const std::string& pointer) const {
    const std::vector<std::string> found = find_symbols(name, symbols_);
    if (found.size() == 1) return found.front();
    std::vector<std::string> known;
    for (const std::string& s : found.empty() ? symbols_ : found) {
      known.push_back(found.empty() ? readable_name(s) : s + " (" + demangled(s) + ")");
    }
    if (!found.empty()) {
      m_.fail(pointer, "the name \"" + name + "\" is not unique in " + joined(m_.ptx) +
                           "; expected one of " + joined(known));
    }
    std::vector<std::string> candidates = known;
    candidates.insert(candidates.end(), symbols_.begin(), symbols_.end());
    m_.fail(pointer, joined(m_.ptx) + " has no " + what_ + " \"" + name + "\"" +
                         did_you_mean(name, candidates) + " (it has: " + joined(known) + ")");
  }

 private:
  const Manifest& m_;
  std::vector<std::string> symbols_;
  const char* what_;
};

void resolve_variables(Manifest& m, const ptx::Module& module) {
  std::vector<std::string> symbols;
  for (const ptx::Variable& v : module.variables) {
    const bool placed = v.space == ptx::StateSpace::kGlobal || v.space == ptx::StateSpace::kConst;
    if (placed && ptx::type_bytes(v.type) != 0) symbols.push_back(v.name);
  }
  const Resolver resolve(m, symbols, "module variable");
  const auto undefined = ptx::undefined_variables(module);
  for (ArraySpec& spec : m.variables) {
    spec.symbol = resolve(spec.symbol, spec.pointer + "/name");
    const auto why = undefined.find(spec.symbol);
    if (why != undefined.end()) m.fail(spec.pointer + "/name", why->second);
    for (const ArraySpec& other : m.variables) {
      if (&other != &spec && other.symbol == spec.symbol) {
        m.fail(spec.pointer + "/name", "the variable \"" + spec.symbol + "\" is listed already");
      }
    }
    const auto variable =
        std::find_if(module.variables.begin(), module.variables.end(),
                     [&spec](const ptx::Variable& v) { return v.name == spec.symbol; });
    const std::uint64_t bytes = variable->bytes();
    const unsigned step = element_bytes(spec.type);
    if (bytes % step != 0) {
      m.fail(spec.pointer + "/type", "the variable \"" + spec.name + "\" has " +
                                         std::to_string(bytes) + " bytes, which elements of " +
                                         std::to_string(step) + " bytes do not divide");
    }
    spec.count = Formula{std::to_string(bytes / step), spec.pointer};
  }
}

void resolve_references(Manifest& m, const ptx::Module& module) {
  for (TextureSpec& t : m.textures) {
    if (t.reference.empty()) continue;
    const ptx::Type type = t.is_surface ? ptx::Type::kSurfref : ptx::Type::kTexref;
    std::vector<std::string> symbols;
    for (const ptx::Variable& v : module.variables) {
      if (v.type == type) symbols.push_back(v.name);
    }
    const Resolver resolve(m, symbols, t.is_surface ? ".surfref" : ".texref");
    t.reference = resolve(t.reference, t.pointer + "/reference");
    for (const TextureSpec& other : m.textures) {
      if (&other != &t && other.reference == t.reference) {
        m.fail(t.pointer + "/reference",
               "\"" + t.reference + "\" is bound to \"" + other.name + "\" already");
      }
    }
  }
}

/// Rejects used constants without a value, which indicate a missing cudaMemcpyToSymbol.
void check_constants(const Manifest& m, const LaunchSpec& launch,
                     const std::vector<std::string>& blank) {
  for (const std::string& symbol : blank) {
    const bool listed = std::any_of(m.variables.begin(), m.variables.end(),
                                    [&](const ArraySpec& v) { return v.symbol == symbol; });
    if (listed) continue;
    m.fail(launch.pointer + "/kernel",
           "\"" + readable_name(launch.kernel) + "\" reads the constant \"" +
               readable_name(symbol) +
               "\", which neither the PTX nor the manifest gives a value; "
               "expected it in \"variables\" (with \"init\": \"zero\" if it is to be 0)");
  }
}

void resolve_launches(Manifest& m, const ptx::Module& module) {
  const Resolver resolve(m, module.entries(), "kernel");
  std::set<std::string> decoded;
  for_each_launch(m.steps, [&](LaunchSpec& launch) {
    launch.kernel = resolve(launch.kernel, launch.pointer + "/kernel");
    // Only launched kernels are checked; other kernels can use unsupported instructions.
    if (decoded.insert(launch.kernel).second) {
      const std::shared_ptr<const ptx::Kernel> kernel = ptx::decode(module, launch.kernel);
      ptx::check_symbols(module, *kernel);
      check_constants(m, launch, ptx::blank_constants(module, *kernel));
    }
    check_arguments(m, launch, *module.function(launch.kernel));
  });
}

}  // namespace

std::string readable_name(const std::string& symbol) {
  std::string own = ptx::unlinked_name(symbol);
  std::string name = demangled(own);
  if (name == own) return own;
  if (name.back() == ')') name.resize(opening_of_last(name));
  return name.substr(after_last(name, " "));
}

std::vector<std::string> find_symbols(const std::string& name,
                                      const std::vector<std::string>& symbols) {
  if (std::find(symbols.begin(), symbols.end(), name) != symbols.end()) return {name};
  const std::string wanted = without_spaces(name);
  std::vector<std::string> found;
  for (const std::string& symbol : symbols) {
    const std::string whole = readable_name(symbol);
    const std::string last = whole.substr(after_last(whole, "::"));
    for (const std::string& spelling : {ptx::unlinked_name(symbol), whole, last,
                                        without_arguments(whole), without_arguments(last)}) {
      if (without_spaces(spelling) != wanted) continue;
      found.push_back(symbol);
      break;
    }
  }
  return found;
}

void resolve_symbols(Manifest& manifest, const ptx::Module& module) {
  resolve_variables(manifest, module);
  resolve_references(manifest, module);
  resolve_launches(manifest, module);
  // Counts of variables are known only now.
  if (!manifest.variables.empty()) check_formulas(manifest);
}

}  // namespace tessera::kernels
