// SPDX-License-Identifier: Apache-2.0
#pragma once

// The table of compute instructions: maps the canonical name ("add.ftz.f32") to handler, operand
// kinds and cost. The handlers are compiled twice, portable and for AVX2 and FMA, and the table is
// filled with the fastest ones that the machine supports. Both give the same bits.

#include <map>
#include <string>
#include <vector>

#include "stimuli/ptx/exec.h"

namespace tessera::ptx {

/// Operand kinds of an instruction: results first. Plain data, filled by the handler files.
struct Signature {
  std::uint8_t results = 1;
  std::uint8_t sources = 0;
  Kind kind[6] = {};  ///< results, then sources
};

struct AluEntry {
  Handler run = nullptr;
  Signature signature;
  Unit unit = Unit::kAlu;
  std::uint8_t cost = 1;
};

class AluTable {
 public:
  /// The best table for this machine.
  static const AluTable& get();
  /// The table of the portable handlers, for tests that compare the results.
  static const AluTable& portable();

  /// Adds "a.b.c", without empty parts. Not inline, because handler files compiled for AVX2 must
  /// not emit library templates that the linker could use for other files.
  void add(const AluEntry& entry, const char* a, const char* b = "", const char* c = "",
           const char* d = "", const char* e = "");
  /// Returns nullptr for an unknown name.
  const AluEntry* find(const std::string& name) const;
  /// The address computation of memory accesses.
  AddressHandler addresses = nullptr;
  GatherHandler gather = nullptr;

  /// All names of an opcode, joined for messages; empty if the opcode is unknown.
  std::string names_of(const std::string& opcode) const;
  /// All opcodes, sorted.
  std::vector<std::string> opcodes() const;
  const std::map<std::string, AluEntry>& entries() const { return entries_; }
  /// Whether the AVX2 handlers are in use.
  bool uses_avx2() const { return avx2_; }

 private:
  explicit AluTable(bool allow_avx2);

  std::map<std::string, AluEntry> entries_;
  bool avx2_ = false;
};

}  // namespace tessera::ptx
