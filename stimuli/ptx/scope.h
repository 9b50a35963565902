// SPDX-License-Identifier: Apache-2.0
#pragma once

// The nested scopes of a function body. Internal to the parser.

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace tessera::ptx {

/// Names of one function by scope. Scope 0 holds the parameters and the body's own names; names of
/// inner scopes get a suffix that no PTX name can have.
class Scopes {
 public:
  enum class Kind : std::uint8_t { kRegister, kVariable, kLabel };

  struct Symbol {
    Kind kind = Kind::kVariable;
    unsigned line = 0;
    /// Variables are seen by instructions from this index on; labels by all of their scope.
    std::size_t position = 0;
    std::string unique;
  };

  explicit Scopes(std::string file) : file_(std::move(file)) {}

  std::size_t current() const { return current_; }
  void open(unsigned line);
  /// False when the current scope is the body itself.
  bool close();

  /// Adds a name to the current scope and returns what it is called in the parsed function.
  /// Throws InputError when the scope has that name already. "_" may be repeated.
  std::string declare(const std::string& name, Kind kind, unsigned line, std::size_t position);

  /// What that name means to an instruction of that scope and index; nullptr when the function
  /// declares nothing of that name there.
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
