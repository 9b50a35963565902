// SPDX-License-Identifier: Apache-2.0
#pragma once

// One instruction of PTX text (PTX ISA 4.3). Internal to the parser.

#include "stimuli/ptx/lexer.h"
#include "stimuli/ptx/module.h"

namespace tessera::ptx {

/// Whether the current token can begin an instruction: a guard or an opcode.
bool at_instruction(const TokenStream& in);

/// Reads "@p opcode.modifiers operands;" with its semicolon. Registers and symbols are not yet
/// distinguished: every name is a kRegister, with ".x" in `component`.
Instruction parse_instruction(TokenStream& in);

}  // namespace tessera::ptx
