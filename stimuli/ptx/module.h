// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parsed PTX: what the text says, before any meaning is given to opcodes. The parser accepts the
// whole language; program.h decodes what can be executed and refuses the rest by name.
// Reference: PTX ISA, sections 4 (syntax) and 5 (state spaces, types, variables).

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stimuli/ptx/syntax.h"

namespace tessera::ptx {

/// A symbol's address in an initialiser that is not a whole 8-byte address: the `bytes` lowest
/// bytes of (address + addend) >> shift.
struct PartialSymbol {
  std::uint64_t offset = 0;  ///< byte offset in the variable
  std::string name;
  std::int64_t addend = 0;
  unsigned bytes = 0;
  unsigned shift = 0;
};

struct Variable {
  unsigned line = 0;
  StateSpace space = StateSpace::kReg;
  Type type = Type::kNone;
  std::string name;
  /// Elements of ".v2"/".v4"; 1 otherwise.
  unsigned vector = 1;
  /// 0 = natural alignment of the type.
  unsigned align = 0;
  bool is_array = false;
  /// Elements of an array, product of its dimensions; 0 for an unsized extern array.
  std::uint64_t elements = 1;
  bool is_extern = false;
  bool is_visible = false;  ///< .visible: other files that are linked see it
  bool is_weak = false;     ///< .weak or .common: so, and another definition may replace it
  /// Bytes of the initialiser (shorter than the variable: the rest is zero), and symbol addresses
  /// to be stored at byte offsets (8 bytes each).
  std::vector<std::uint8_t> initial;
  std::vector<std::pair<std::uint64_t, std::string>> initial_symbols;
  /// Parallel to initial_symbols: what is added to each address ("sym+4").
  std::vector<std::int64_t> initial_addends;
  /// "0xFF00(sym)" masks and 32-bit addresses. Eight byte masks in a row that make up one whole
  /// address are in initial_symbols instead.
  std::vector<PartialSymbol> partial_symbols;
  /// Parameters declared ".ptr": the space pointed into and the pointee's alignment (0: not said).
  bool is_pointer = false;
  StateSpace pointer_space = StateSpace::kGeneric;
  unsigned pointer_align = 0;

  std::uint64_t bytes() const { return std::uint64_t{type_bytes(type)} * vector * elements; }
};

/// `.callprototype`, the shape of an indirect call.
struct Prototype {
  std::vector<Variable> returns;
  std::vector<Variable> parameters;
  bool noreturn = false;
};

struct Label {
  std::string name;
  /// Index into Function::body of the instruction that follows.
  std::size_t position = 0;
};

struct Function {
  unsigned line = 0;
  bool is_entry = false;
  bool is_declaration = false;  ///< prototype without a body
  bool noreturn = false;
  bool is_visible = false;  ///< as Variable's
  bool is_weak = false;
  std::string name;
  std::vector<Variable> returns;
  std::vector<Variable> parameters;
  /// .reg, .shared, .local, .const, .param declared in the body; "%r<5>" expanded to its names.
  /// Names of inner scopes `{ .reg ... }` are made unique (the suffix "@" and the scope's number)
  /// and renamed in the body; labels of inner scopes as well.
  std::vector<Variable> variables;
  std::vector<Instruction> body;
  std::vector<Label> labels;
  /// `.branchtargets` / `.calltargets` / `.callprototype`, kept by name.
  std::map<std::string, std::vector<std::string>> branch_targets;
  std::map<std::string, std::vector<std::string>> call_targets;
  std::map<std::string, Prototype> prototypes;
  /// .maxntid / .reqntid, or absent.
  std::optional<std::array<std::uint32_t, 3>> max_threads;
  std::optional<std::array<std::uint32_t, 3>> required_threads;
  /// Other performance directives and pragmas by name without the dot, as text; several pragmas are
  /// joined by ", ".
  std::map<std::string, std::string> directives;
};

/// Lines of a linked module carry the number of their file in the bits from here on.
inline constexpr unsigned kFileShift = 24;

/// "FILE:LINE". `linked`: the files of a linked module after its first, `file`.
std::string place_text(const std::string& file, const std::vector<std::string>& linked,
                       unsigned line);

class Module {
 public:
  std::string file;                       ///< for messages
  std::vector<std::string> linked_files;  ///< that link() added to `file`
  std::string version;                    ///< "6.0"
  std::string target;                     ///< "sm_75"
  unsigned address_bits = 64;
  std::vector<Variable> variables;  ///< module scope: .global, .const, .shared, .extern, texrefs
  std::vector<Function> functions;
  std::vector<std::string> target_options;     ///< after the first of .target: "debug", ...
  std::map<std::string, std::string> aliases;  ///< .alias: name to the function it stands for

  /// Nullptr when there is none of that name. Follows aliases. A definition replaces its
  /// prototypes.
  const Function* function(std::string_view name) const;
  /// "FILE:LINE" of something in this module, for messages.
  std::string where(unsigned line) const { return place_text(file, linked_files, line); }
  /// Names of the entries, in order.
  std::vector<std::string> entries() const;
};

/// Parses PTX text. Throws InputError "FILE:LINE: what; expected ..." on garbled text.
Module parse(std::string_view text, const std::string& file);
/// Reads and parses a file. Throws InputError when it cannot be read.
Module parse_file(const std::string& path);

}  // namespace tessera::ptx
