// SPDX-License-Identifier: Apache-2.0
#pragma once

// Initialisers of variables (PTX ISA 5.4.4). Internal to the parser.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/lexer.h"
#include "stimuli/ptx/module.h"

namespace tessera::ptx {

/// Most elements times bytes of a variable, and most bytes that an initialiser may span.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
constexpr std::uint64_t kMostInitialBytes = std::uint64_t{1} << 26;

/// Reads what follows "=" into the variable. `dimensions` are the array's, outermost first; a
/// leading 0 stands for "[]" and is counted. Throws InputError.
void parse_initializer(TokenStream& in, const std::vector<std::uint64_t>& dimensions,
                       Variable& variable);

}  // namespace tessera::ptx
