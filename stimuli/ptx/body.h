// SPDX-License-Identifier: Apache-2.0
#pragma once

// The body of a function. Internal to the parser.

#include "stimuli/ptx/lexer.h"
#include "stimuli/ptx/module.h"

namespace tessera::ptx {

/// Reads "{ statements }" into a function whose parameters are known, and .file into `files`.
void parse_body(TokenStream& in, Function& function, SourceFiles& files);

}  // namespace tessera::ptx
