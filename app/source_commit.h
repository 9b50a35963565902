// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tessera::app {

/// The commit that the command was built from, as `git describe --always --dirty` says it;
/// "unknown" for a tree without a repository. Read from a file beside the command or in
/// share/tessera.
std::string source_commit();

}  // namespace tessera::app
