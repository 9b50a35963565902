// SPDX-License-Identifier: Apache-2.0
#pragma once

// Several PTX files as one module, as nvlink makes it of relocatable device code (PTX ISA, 5.1 and
// 10: linking directives).

#include <map>
#include <string>
#include <vector>

#include "stimuli/ptx/module.h"
#include "stimuli/ptx/program.h"

namespace tessera::ptx {

/// Links modules in their order; one is returned as it is. .extern symbols get the .visible or
/// .weak definition of another file. Other symbols stay their file's own: where another file has
/// the name too, they are called NAME@STEM (a PTX name has no '@'). Kernels are always visible.
/// What has no definition stays .extern. Throws InputError, naming both files, for two definitions
/// of one visible name (.weak gives way), for a declaration of another shape than the definition,
/// and for files of different address sizes.
Module link(std::vector<Module> modules);

/// A symbol's name as it is in its own file.
std::string unlinked_name(const std::string& symbol);

/// The .global and .const variables that have no place in device memory, each with the reason: no
/// file defines it, or its initialiser names something without an address.
std::map<std::string, std::string> undefined_variables(const Module& module);

/// The .const variables that the kernel uses and no initialiser gives values: zero, unless the host
/// writes them.
std::vector<std::string> blank_constants(const Module& module, const Kernel& kernel);

/// Throws InputError when the kernel uses a variable of undefined_variables().
void check_symbols(const Module& module, const Kernel& kernel);

}  // namespace tessera::ptx
