// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <systemc>
#include <vector>

#include "app/command_line.h"

namespace {

/// Finds the files of an installed command relative to the executable, so that the prefix can be
/// moved.
void find_installed_files() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const fs::path share = self.parent_path().parent_path() / "share" / "tessera";
  if (error || !fs::is_directory(share, error)) return;
  setenv("TESSERA_PRESETS_DIR", (share / "presets").c_str(), 0);
  setenv("TESSERA_KERNELS_DIR", (share / "kernels").c_str(), 0);
  setenv("TESSERA_STUDIES_DIR", (share / "studies").c_str(), 0);
}

}  // namespace

// SystemC prints its banner before it calls sc_main, so that the variable must be set before.
int main(int argc, char** argv) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  find_installed_files();
  return sc_core::sc_elab_and_sim(argc, argv);
}

int sc_main(int argc, char** argv) {
  return tessera::app::run_command_line(std::vector<std::string>(argv + 1, argv + argc));
}
