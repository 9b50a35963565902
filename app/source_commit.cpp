// SPDX-License-Identifier: Apache-2.0
#include "app/source_commit.h"

#include <filesystem>
#include <sstream>
#include <system_error>

#include "common/input_file.h"

namespace tessera::app {

std::string source_commit() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& file :
       {folder / "tessera.commit", folder.parent_path() / "share" / "tessera" / "commit"}) {
    if (!names_something(file)) continue;
    std::istringstream text(read_input_file(file));
    std::string commit;
    if (text >> commit) return commit;
  }
  return "unknown";
}

}  // namespace tessera::app
