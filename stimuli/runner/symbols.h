// SPDX-License-Identifier: Apache-2.0
#pragma once

// Resolves names of a manifest to the symbols of its PTX.

#include <string>
#include <vector>

#include "stimuli/ptx/module.h"
#include "stimuli/runner/manifest.h"

namespace tessera::kernels {

/// The demangled name of a symbol without its parameters: "ns::scale<float>". Other symbols are
/// returned unchanged. (Itanium C++ ABI, 5.1, by the compiler's demangler.)
std::string readable_name(const std::string& symbol);

/// The symbols of a name: the symbol with exactly this name, otherwise all symbols whose readable
/// name matches, with or without namespaces and template arguments.
std::vector<std::string> find_symbols(const std::string& name,
                                      const std::vector<std::string>& symbols);

/// Replaces the names of kernels, variables and texture references by their symbols, gives
/// variables their counts, and checks launches against the parameters of their kernels. Throws
/// InputError: an unknown or ambiguous name, a kernel that cannot be executed, arguments that do
/// not fit, a variable of another size.
void resolve_symbols(Manifest& manifest, const ptx::Module& module);

}  // namespace tessera::kernels
