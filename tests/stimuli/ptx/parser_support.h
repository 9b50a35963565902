// SPDX-License-Identifier: Apache-2.0
#pragma once

// Short texts for the tests of the PTX parser.

#include <catch2/catch.hpp>
#include <string>

#include "common/error.h"
#include "stimuli/ptx/module.h"

namespace tessera::ptx {

/// Three lines, so that what follows begins in line 4.
inline const std::string kHeader = ".version 7.8\n.target sm_75\n.address_size 64\n";

/// A module of that text at module scope.
inline Module module_of(const std::string& text) { return parse(kHeader + text, "t.ptx"); }

/// The one variable declared by that text at module scope.
inline Variable variable_of(const std::string& text) {
  const Module m = module_of(text);
  REQUIRE(m.variables.size() == 1);
  return m.variables.front();
}

/// A function with some registers and that text as its body, which begins in line 5.
inline Function body_of(const std::string& text) {
  const Module m = module_of(
      ".entry k(.param .u64 a) { .reg .pred p, q; .reg .b32 %r<9>; .reg .b64 %rd<9>; "
      ".reg .f32 %f<9>; .reg .v4 .f32 v;\n" +
      text + "\n}");
  REQUIRE(m.functions.size() == 1);
  return m.functions.front();
}

/// The one instruction of that text.
inline Instruction instruction_of(const std::string& text) {
  const Function f = body_of(text);
  REQUIRE(f.body.size() == 1);
  return f.body.front();
}

/// The operands of "op ...;".
inline std::vector<Operand> operands_of(const std::string& text) {
  return instruction_of("op " + text + ";").operands;
}

/// Text of the InputError that the text gives; empty when it parses.
inline std::string error_of(const std::string& text) {
  try {
    parse(text, "t.ptx");
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

using Strings = std::vector<std::string>;
using Bytes = std::vector<std::uint8_t>;

}  // namespace tessera::ptx
