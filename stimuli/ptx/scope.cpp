// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/scope.h"

#include <utility>

#include "stimuli/ptx/lexer.h"

namespace tessera::ptx {
namespace {
constexpr std::size_t kDeepestScope = 64;
}

void Scopes::open(unsigned line) {
  Scope scope;
  scope.parent = current_;
  scope.depth = scopes_[current_].depth + 1;
  if (scope.depth > kDeepestScope) {
    fail_at(file_, line, "blocks nested too deeply",
            "at most " + std::to_string(kDeepestScope) + " levels");
  }
  current_ = scopes_.size();
  scopes_.push_back(std::move(scope));
}

bool Scopes::close() {
  if (current_ == 0) return false;
  current_ = scopes_[current_].parent;
  return true;
}

std::string Scopes::declare(const std::string& name, Kind kind, unsigned line,
                            std::size_t position) {
  if (name == "_") return name;
  Symbol symbol;
  symbol.kind = kind;
  symbol.line = line;
  symbol.position = position;
  symbol.unique = current_ == 0 ? name : name + "@" + std::to_string(current_);
  const auto [at, added] = scopes_[current_].symbols.emplace(name, std::move(symbol));
  if (!added) {
    fail_at(file_, line,
            std::string(kind == Kind::kLabel ? "label" : "name") + " '" + name +
                "' was defined in line " + std::to_string(at->second.line) + " already",
            "another name");
  }
  return at->second.unique;
}

const Scopes::Symbol* Scopes::find(const std::string& name, std::size_t scope,
                                   std::size_t position) const {
  for (;;) {
    const auto at = scopes_[scope].symbols.find(name);
    if (at != scopes_[scope].symbols.end() &&
        (at->second.kind == Kind::kLabel || at->second.position <= position)) {
      return &at->second;
    }
    if (scope == 0) return nullptr;
    scope = scopes_[scope].parent;
  }
}

}  // namespace tessera::ptx
