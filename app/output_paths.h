// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tessera::app {

/// A file that a command writes, and the option that names it.
struct OutputPath {
  std::string option;  ///< for messages: "--timeline"
  std::string path;
};

/// Throws InputError if a file cannot be written, or if it is that of another option, also in
/// another spelling or by a link. A device (/dev/null) can have several outputs. `others`: files
/// that the command writes in another way, which are compared only.
void check_output_paths(const std::vector<OutputPath>& outputs,
                        const std::vector<OutputPath>& others);

}  // namespace tessera::app
