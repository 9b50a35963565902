// SPDX-License-Identifier: Apache-2.0
#include "app/source_commit.h"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace tessera::app {

std::string source_commit() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& file :
       {folder / "tessera.commit", folder.parent_path() / "share" / "tessera" / "commit"}) {
    std::ifstream in(file);
    std::string commit;
    if (in >> commit) return commit;
  }
  return "unknown";
}

}  // namespace tessera::app
