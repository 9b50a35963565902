// SPDX-License-Identifier: Apache-2.0
#pragma once

// Links several PTX files to one module, like nvlink does with relocatable device code (PTX ISA,
// 5.1 and 10: linking directives).

#include <map>
#include <string>
#include <vector>

#include "stimuli/ptx/module.h"
#include "stimuli/ptx/program.h"

namespace tessera::ptx {

/// Links modules in order; a single module is returned unchanged. .extern symbols are bound to the
/// .visible or .weak definition in another file. Other symbols are local to their file; if another
/// file has the same name, they are renamed to NAME@STEM (a PTX name has no '@'). Kernels are
/// always visible. Symbols without a definition remain .extern. Throws InputError, with the names
/// of both files, for two definitions of one visible name (a .visible one overrides .weak ones),
/// for a declaration that does not match the definition, and for files of different address sizes.
Module link(std::vector<Module> modules);

/// A symbol's name in its own file.
std::string unlinked_name(const std::string& symbol);

/// The .global and .const variables without a location in device memory, each with the reason: no
/// file defines it, or its initialiser refers to a symbol without an address.
std::map<std::string, std::string> undefined_variables(const Module& module);

/// The initial contents of a variable. `symbols`: addresses of variables; it must have the
/// variables that the initialiser names.
std::vector<std::byte> initial_contents(const Module& module, const Variable& variable,
                                        const std::map<std::string, Address>& symbols);

/// The .const variables without an initialiser that the kernel uses: zero, unless the host writes
/// them.
std::vector<std::string> blank_constants(const Module& module, const Kernel& kernel);

/// Throws InputError if the kernel uses a variable of undefined_variables().
void check_symbols(const Module& module, const Kernel& kernel);

}  // namespace tessera::ptx
