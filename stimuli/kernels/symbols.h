// SPDX-License-Identifier: Apache-2.0
#pragma once

// Names of a manifest against the symbols of its PTX.

#include <string>
#include <vector>

#include "stimuli/kernels/manifest.h"
#include "stimuli/ptx/module.h"

namespace tessera::kernels {

/// A mangled symbol as C++ writes it, without its parameters: "ns::scale<float>". Others as they
/// are. (Itanium C++ ABI, 5.1, by the compiler's own demangler.)
std::string readable_name(const std::string& symbol);

/// The symbols that a name means: itself, when it is one; else those whose readable name it is,
/// whole, without namespaces, without template arguments, or without both.
std::vector<std::string> find_symbols(const std::string& name,
                                      const std::vector<std::string>& symbols);

/// Replaces the names of kernels, variables and texture references by their symbols, gives
/// variables their counts, and checks launches against the parameters of their kernels. Throws
/// InputError: an unknown or ambiguous name, a kernel that cannot be executed, arguments that do
/// not fit, a variable of another size.
void resolve_symbols(Manifest& manifest, const ptx::Module& module);

}  // namespace tessera::kernels
