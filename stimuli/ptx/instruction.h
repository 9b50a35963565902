// SPDX-License-Identifier: Apache-2.0
#pragma once

// One instruction of PTX text (PTX ISA 4.3). Internal to the parser.

#include "stimuli/ptx/lexer.h"
#include "stimuli/ptx/module.h"

namespace tessera::ptx {

/// Whether the current token can begin an instruction: a guard or an opcode.
bool at_instruction(const TokenStream& in);

/// Reads "@p opcode.modifiers operands;" with its semicolon. What is a register and what a symbol
/// is not known yet: every name is a kRegister, with ".x" in `component`.
Instruction parse_instruction(TokenStream& in);

}  // namespace tessera::ptx
