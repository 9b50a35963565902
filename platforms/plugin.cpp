// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <algorithm>
#include <filesystem>

#include "common/error.h"
#include "common/input_file.h"
#include "common/sha256.h"
#include "platforms/plugin_entry.h"
#include "platforms/plugin_loader.h"

namespace tessera {

namespace {

std::vector<LoadedPlugin>& plugins() {
  static std::vector<LoadedPlugin> all;
  return all;
}

}  // namespace

void load_plugin(const std::string& file) {
  try {
    const InputFile readable(file);
  } catch (const InputError& e) {
    throw InputError(std::string("plugin ") + e.what());
  }
  // With a slash, so that the system's library folders are not searched.
  const std::string path = std::filesystem::canonical(file).string();
  const bool known = std::any_of(plugins().begin(), plugins().end(),
                                 [&path](const LoadedPlugin& p) { return p.file == path; });
  if (known) return;
  // Never closed: what it registers lives as long as the process.
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw InputError("plugin " + file + " cannot be loaded: " + dlerror());
  const auto* const plugin = static_cast<const Plugin*>(dlsym(handle, "tessera_plugin"));
  if (plugin == nullptr) {
    throw InputError(
        "plugin " + file +
        " defines no tessera_plugin: see platforms/plugin.h for what it has to define");
  }
  if (plugin->abi != kPluginAbi) {
    throw InputError("plugin " + file +
                     " was compiled against other headers than this command: compile it again");
  }
  if (plugin->register_all != nullptr) plugin->register_all();
  plugins().push_back({path, sha256_of_file(path)});
}

const std::vector<LoadedPlugin>& loaded_plugins() { return plugins(); }

}  // namespace tessera
