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

namespace tessera::ptx {

enum class Type : std::uint8_t {
  kNone,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,
  kF16,
  kF16x2,
  kBf16,
  kBf16x2,
  kF32,
  kF64,
  kPred,
  kTexref,
  kSamplerref,
  kSurfref
};

/// Bytes of a value of that type in memory (0 for predicates and opaque types).
unsigned type_bytes(Type t);
/// The type named by a token without its dot ("u32"), or kNone.
Type type_from_name(std::string_view name);
const char* type_name(Type t);

enum class StateSpace : std::uint8_t { kReg, kGlobal, kShared, kLocal, kConst, kParam, kGeneric };

struct Operand {
  enum class Kind : std::uint8_t {
    kRegister,   ///< name (also special registers: "%tid.x")
    kInteger,    ///< integer
    kFloat,      ///< float_bits: an IEEE double; is_f32_literal when written as 0f........
    kSymbol,     ///< name of a variable, label or function, plus integer as offset
    kAddress,    ///< [base + integer]; base in name: a register, a symbol, or empty (absolute)
    kVector,     ///< {elements}
    kSink,       ///< _
    kParenList,  ///< (elements): return values or arguments of a call
  };

  Kind kind = Kind::kRegister;
  std::string name;
  /// kRegister: element of a vector register (".x" = 0 ...), or -1.
  int component = -1;
  /// Part selector of a video instruction's operand: "b0", "h1", "b3210"; else empty.
  std::string selector;
  /// kRegister: "!p" or "-r".
  bool negated = false;
  /// kRegister of "p|q" destinations: the second register. "_|q" is a kSink with this name set;
  /// "p|_" is plain p.
  std::string second_name;
  std::int64_t integer = 0;
  std::uint64_t float_bits = 0;
  bool is_f32_literal = false;
  /// kVector and kParenList: what stands between the brackets. kAddress: what follows the first
  /// comma, as in "[tex, sampler, {x, y}]".
  std::vector<Operand> elements;
};

struct Instruction {
  unsigned line = 0;  ///< 1-based line of the opcode in the text
  /// Guard predicate: empty, or the register's name.
  std::string guard;
  bool guard_negated = false;
  /// First token: "ld", "setp", "bar", ...
  std::string opcode;
  /// The rest, in order, without dots: {"global", "nc", "v4", "f32"}. "::" stays inside a token.
  std::vector<std::string> modifiers;
  std::vector<Operand> operands;
  /// Whole text of the instruction, for messages.
  std::string text;
};

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

class Module {
 public:
  std::string file;     ///< for messages
  std::string version;  ///< "6.0"
  std::string target;   ///< "sm_75"
  unsigned address_bits = 64;
  std::vector<Variable> variables;  ///< module scope: .global, .const, .shared, .extern, texrefs
  std::vector<Function> functions;
  std::vector<std::string> target_options;     ///< after the first of .target: "debug", ...
  std::map<std::string, std::string> aliases;  ///< .alias: name to the function it stands for

  /// Nullptr when there is none of that name. Follows aliases. A definition replaces its
  /// prototypes.
  const Function* function(std::string_view name) const;
  /// Names of the entries, in order.
  std::vector<std::string> entries() const;
};

/// Parses PTX text. Throws InputError "FILE:LINE: what; expected ..." on garbled text.
Module parse(std::string_view text, const std::string& file);
/// Reads and parses a file. Throws InputError when it cannot be read.
Module parse_file(const std::string& path);

}  // namespace tessera::ptx
