// SPDX-License-Identifier: Apache-2.0
#include "app/output_directory.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "common/error.h"

namespace tessera::app {

namespace fs = std::filesystem;

OutputDirectory::OutputDirectory(const std::string& path) : path_(path) {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) throw InputError("--out: " + path + " cannot be made: " + error.message());
  if (!fs::is_directory(path_)) throw InputError("--out: " + path + " is not a directory");
  if (::access(path_.c_str(), W_OK | X_OK) != 0) {
    throw InputError("--out: " + path + " is not writable: " + std::strerror(errno));
  }
}

void OutputDirectory::write(const std::string& name, const std::string& text) const {
  const fs::path target = path_ / name;
  const fs::path part = path_ / ("." + name + "." + std::to_string(::getpid()));
  std::ofstream out(part, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  std::error_code error;
  if (out) fs::rename(part, target, error);
  if (!out || error) {
    const std::string why = error ? error.message() : std::strerror(errno);
    fs::remove(part, error);
    throw RunError(target.string() + " cannot be written: " + why);
  }
}

}  // namespace tessera::app
