// SPDX-License-Identifier: Apache-2.0
#pragma once

// Initialisers of variables (PTX ISA 5.4.4). Internal to the parser.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/lexer.h"
#include "stimuli/ptx/module.h"

namespace tessera::ptx {

/// Maximum size of a variable and of an initialiser, in bytes.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
constexpr std::uint64_t kMostInitialBytes = std::uint64_t{1} << 26;

/// The dimension "[]": its size is that of the initialiser.
constexpr std::uint64_t kUnsized = UINT64_MAX;

/// Parses the initialiser after "=" into the variable. `dimensions`: those of the array, outermost
/// first; the first can be kUnsized. Throws InputError.
void parse_initializer(TokenStream& in, const std::vector<std::uint64_t>& dimensions,
                       Variable& variable);

}  // namespace tessera::ptx
