// SPDX-License-Identifier: Apache-2.0
#include "stimuli/traces/spool_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "common/error.h"

namespace tessera::traces {
namespace {

constexpr std::size_t kKeptBytes = 1U << 20;

std::string temporary_folder() {
  const char* const folder = std::getenv("TMPDIR");
  return folder == nullptr || *folder == '\0' ? "/tmp" : folder;
}

[[noreturn]] void fail(const std::string& folder, const char* what) {
  throw RunError("the traces' spool file in " + folder + " cannot be " + what + ": " +
                 std::strerror(errno) + "; TMPDIR names the folder of temporary files");
}

}  // namespace

SpoolFile::SpoolFile() : folder_(temporary_folder()) {
  std::string path = folder_ + "/tessera-trace-XXXXXX";
  descriptor_ = mkstemp(path.data());
  if (descriptor_ < 0) fail(folder_, "made");
  unlink(path.c_str());
  kept_.reserve(kKeptBytes);
}

SpoolFile::~SpoolFile() { close(descriptor_); }

void SpoolFile::append(std::string_view bytes) {
  kept_.append(bytes);
  if (kept_.size() >= kKeptBytes) flush();
}

void SpoolFile::flush() {
  std::size_t done = 0;
  while (done < kept_.size()) {
    const ssize_t n = write(descriptor_, kept_.data() + done, kept_.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail(folder_, "written");
    done += static_cast<std::size_t>(n);
  }
  written_ += done;
  kept_.clear();
}

std::size_t SpoolFile::read(std::uint64_t offset, void* out, std::size_t bytes) const {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t n = pread(descriptor_, static_cast<char*>(out) + done, bytes - done,
                            static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(folder_, "read");
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

}  // namespace tessera::traces
