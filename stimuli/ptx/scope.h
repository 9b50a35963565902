// SPDX-License-Identifier: Apache-2.0
#pragma once

// The nested scopes of a function body. Internal to the parser.

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace tessera::ptx {

/// Names of one function by scope. Scope 0 holds the parameters and the names of the body. Names of
/// inner scopes get a suffix that is not valid in PTX names.
class Scopes {
 public:
  enum class Kind : std::uint8_t { kRegister, kVariable, kLabel };

  struct Symbol {
    Kind kind = Kind::kVariable;
    unsigned line = 0;
    /// Variables are visible to instructions from this index; labels are visible in their whole
    /// scope.
    std::size_t position = 0;
    std::string unique;
  };

  explicit Scopes(std::string file) : file_(std::move(file)) {}

  std::size_t current() const { return current_; }
  void open(unsigned line);
  /// Closes the current scope. Returns false if it is the body.
  bool close();

  /// Adds a name to the current scope and returns its unique name in the parsed function. Throws
  /// InputError if the scope already has the name. "_" can be repeated.
  std::string declare(const std::string& name, Kind kind, unsigned line, std::size_t position);

  /// The symbol of a name for an instruction of that scope and index; nullptr if no declaration is
  /// visible.
  const Symbol* find(const std::string& name, std::size_t scope, std::size_t position) const;

 private:
  struct Scope {
    std::size_t parent = 0;
    std::size_t depth = 0;
    std::unordered_map<std::string, Symbol> symbols;
  };

  std::string file_;
  std::vector<Scope> scopes_ = std::vector<Scope>(1);
  std::size_t current_ = 0;
};

}  // namespace tessera::ptx
