// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tessera {

struct LoadedPlugin {
  std::string file;
  std::string sha256;  ///< of its contents: results depend on them
};

/// Loads the file (platforms/plugin.h) and registers what it has; once for each file. Throws
/// InputError for a file that cannot be loaded, is no plugin, or was compiled against other
/// headers. To be called before names of blocks and policies are looked up.
void load_plugin(const std::string& file);

/// In the order in which they were loaded.
const std::vector<LoadedPlugin>& loaded_plugins();

}  // namespace tessera
