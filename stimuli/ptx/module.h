// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parsed PTX, before the interpretation of opcodes. The parser accepts the whole language;
// program.h decodes the supported instructions and reports an error for others.
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

/// A part of a symbol's address in an initialiser: the `bytes` lowest bytes of (address + addend)
/// >> shift.
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
  bool is_visible = false;  ///< .visible: visible to other linked files
  bool is_weak = false;     ///< .weak or .common: visible, and another definition can replace it
  /// Bytes of the initialiser (if shorter than the variable, the rest is zero), and symbol
  /// addresses of 8 bytes with their byte offsets.
  std::vector<std::uint8_t> initial;
  std::vector<std::pair<std::uint64_t, std::string>> initial_symbols;
  /// Parallel to initial_symbols: the addend of each address ("sym+4").
  std::vector<std::int64_t> initial_addends;
  /// "0xFF00(sym)" masks and 32-bit addresses. Eight consecutive byte masks of one address are
  /// merged into initial_symbols.
  std::vector<PartialSymbol> partial_symbols;
  /// Parameters declared ".ptr": state space and alignment of the pointee (0: not given).
  bool is_pointer = false;
  StateSpace pointer_space = StateSpace::kGeneric;
  unsigned pointer_align = 0;

  std::uint64_t bytes() const { return std::uint64_t{type_bytes(type)} * vector * elements; }
};

/// `.callprototype`, the signature of an indirect call.
struct Prototype {
  std::vector<Variable> returns;
  std::vector<Variable> parameters;
  bool noreturn = false;
};

struct Label {
  std::string name;
  /// Index into Function::body of the next instruction.
  std::size_t position = 0;
};

struct Function {
  unsigned line = 0;
  bool is_entry = false;
  bool is_declaration = false;  ///< prototype without a body
  bool noreturn = false;
  bool is_visible = false;  ///< see Variable::is_visible
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

/// Line numbers of a linked module contain the number of their file from this bit up.
inline constexpr unsigned kFileShift = 24;

/// "FILE:LINE". `linked`: the files of a linked module after its first, `file`.
std::string place_text(const std::string& file, const std::vector<std::string>& linked,
                       unsigned line);

/// Names of source files by their numbers in .loc.
using SourceFiles = std::map<std::uint32_t, std::string>;

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
  /// .file: names as written, by their numbers (of a linked module: with the number of the PTX file
  /// from bit kFileShift up).
  SourceFiles source_files;

  /// The function of a name, or nullptr. Resolves aliases. A definition replaces its prototypes.
  const Function* function(std::string_view name) const;
  /// "FILE:LINE" of a line of this module, for messages.
  std::string where(unsigned line) const { return place_text(file, linked_files, line); }
  /// Names of the entries, in order.
  std::vector<std::string> entries() const;
};

/// Parses PTX text. Throws InputError "FILE:LINE: WHAT; expected EXPECTED" for malformed text.
Module parse(std::string_view text, const std::string& file);
/// Reads and parses a file. Throws InputError if it cannot be read.
Module parse_file(const std::string& path);

}  // namespace tessera::ptx
