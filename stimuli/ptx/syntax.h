// SPDX-License-Identifier: Apache-2.0
#pragma once

// The elements of PTX text: types, state spaces, operands, instructions. Used by module.h.
// Reference: PTX ISA, sections 4 (syntax) and 5 (state spaces, types, variables).

#include <cstdint>
#include <string>
#include <string_view>
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

/// Bytes of a value of the type in memory (0 for predicates and opaque types).
unsigned type_bytes(Type t);
/// The type named by a token without its dot ("u32"), or kNone.
Type type_from_name(std::string_view name);
const char* type_name(Type t);

enum class StateSpace : std::uint8_t { kReg, kGlobal, kShared, kLocal, kConst, kParam, kGeneric };

struct Operand {
  enum class Kind : std::uint8_t {
    kRegister,   ///< name (also special registers: "%tid.x")
    kInteger,    ///< integer
    kFloat,      ///< float_bits: an IEEE double; is_f32_literal if written as 0f........
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
  /// Part selector of a video instruction's operand: "b0", "h1", "b3210"; otherwise empty.
  std::string selector;
  /// kRegister: "!p" or "-r".
  bool negated = false;
  /// kRegister of "p|q" destinations: the second register. "_|q" is a kSink with this name set;
  /// "p|_" is plain p.
  std::string second_name;
  std::int64_t integer = 0;
  std::uint64_t float_bits = 0;
  bool is_f32_literal = false;
  /// kVector and kParenList: the operands between the brackets. kAddress: the operands after the
  /// first comma, as in "[tex, sampler, {x, y}]".
  std::vector<Operand> elements;
};

/// A place in the source from which PTX was compiled (.loc).
struct SourceLine {
  std::uint32_t file = 0;  ///< key of Module::source_files
  unsigned line = 0;       ///< from 1; 0: unknown
};

struct Instruction {
  unsigned line = 0;  ///< 1-based line of the opcode in the text
  SourceLine source;  ///< of the .loc before it in its function
  /// Guard predicate: empty, or the register's name.
  std::string guard;
  bool guard_negated = false;
  /// First token: "ld", "setp", "bar", ...
  std::string opcode;
  /// The modifiers in order, without dots: {"global", "nc", "v4", "f32"}. A token can contain "::".
  std::vector<std::string> modifiers;
  std::vector<Operand> operands;
  /// Whole text of the instruction, for messages.
  std::string text;
};

}  // namespace tessera::ptx
