// SPDX-License-Identifier: Apache-2.0
#pragma once

// Variable and parameter declarations (PTX ISA 5.4), and the debugging directives, which are parsed
// and ignored. Internal to the parser.

#include <string>
#include <vector>

#include "stimuli/ptx/lexer.h"
#include "stimuli/ptx/module.h"

namespace tessera::ptx {

/// Maximum n of "%r<n>", and maximum number of registers of a function.
constexpr std::uint64_t kMostRegisters = std::uint64_t{1} << 18;

/// Whether the current token is a state space that begins a declaration.
bool at_declaration(const TokenStream& in);

/// Reads ".space .type name, name = value, ...;" with its semicolon.
std::vector<Variable> parse_variables(TokenStream& in, bool is_extern);

/// Reads "(.param .type name, ...)", possibly empty.
std::vector<Variable> parse_parameters(TokenStream& in);

/// Reads ".callprototype ...;" with its semicolon.
Prototype parse_prototype(TokenStream& in);

/// Reads the names "a, b, c;" with their semicolon.
std::vector<std::string> parse_name_list(TokenStream& in, std::string_view what);

/// Skips ".attribute(...)" if it is next.
void skip_attribute(TokenStream& in);

/// Reads .loc, .file or .section if one is next. Returns true if it did. `files`: gets the name of
/// .file. `source`: gets the place of .loc, which is that of the innermost inlined function; null:
/// it is dropped. Sections are skipped.
bool parse_debug_directive(TokenStream& in, SourceFiles& files, SourceLine* source = nullptr);

/// Reads ".pragma "a", "b";" and adds its strings to `pragmas`, separated by ", ".
void parse_pragma(TokenStream& in, std::string& pragmas);

}  // namespace tessera::ptx
