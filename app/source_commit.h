// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tessera::app {

/// The output of `git describe --always --dirty` for the sources of the command; "unknown" for a
/// tree without a repository. Read from a file in the command's directory or in share/tessera.
std::string source_commit();

}  // namespace tessera::app
