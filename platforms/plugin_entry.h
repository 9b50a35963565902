// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a plugin and the command that loads it agree on, without what plugins use (plugin.h).

#include <cstdint>

#include "platforms/plugin_abi.h"

namespace tessera {

struct Plugin {
  void (*register_all)() = nullptr;
  /// Of the headers that the plugin was compiled with. Any change of a header changes it: a plugin
  /// is compiled anew for each build of the command.
  std::uint64_t abi = kPluginAbi;
};

}  // namespace tessera
