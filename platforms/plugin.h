// SPDX-License-Identifier: Apache-2.0
#pragma once

// Blocks and policies from outside the tree, as shared objects (docs/guide/plugins.md). One defines
//
//   extern "C" const tessera::Plugin tessera_plugin = {register_all};
//
// and register_all() calls register_block(). Policies register themselves (policies/registry.h):
// one that has nothing but policies says {}.

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/block_factory.h"
#include "platforms/gpu_config.h"

namespace tessera {

/// Changes when what a plugin and the command share does: a plugin is compiled anew for each build.
inline constexpr std::uint64_t kPluginAbi = std::uint64_t{1} << 48 ^ sizeof(GpuConfig) << 32 ^
                                            sizeof(BlockSite) << 20 ^ sizeof(BlockHandle) << 12 ^
                                            sizeof(MemoryRequest);

struct Plugin {
  void (*register_all)() = nullptr;
  std::uint64_t abi = kPluginAbi;  ///< of the headers that the plugin was compiled with
};

struct LoadedPlugin {
  std::string file;
  std::string sha256;  ///< of its contents: results depend on them
};

/// Loads the file and registers what it has; once for each file. Throws InputError for a file that
/// cannot be loaded, is no plugin, or was compiled against other headers. To be called before names
/// of blocks and policies are looked up.
void load_plugin(const std::string& file);

/// In the order in which they were loaded.
const std::vector<LoadedPlugin>& loaded_plugins();

}  // namespace tessera
