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

/// Stands for "[]" among dimensions: as many as the initialiser has.
constexpr std::uint64_t kUnsized = UINT64_MAX;

/// Reads what follows "=" into the variable. `dimensions` are the array's, outermost first, of
/// which the first may be kUnsized. Throws InputError.
void parse_initializer(TokenStream& in, const std::vector<std::uint64_t>& dimensions,
                       Variable& variable);

}  // namespace tessera::ptx
