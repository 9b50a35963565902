// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs the `tessera` command as a user does.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/json.h"

namespace tessera::test {

struct CommandResult {
  int status = -1;  ///< exit status; -1 when a signal ended it
  std::string out;
  std::string error;
  std::uint64_t peak_bytes = 0;  ///< of host memory, resident

  /// Standard output as one JSON document; throws when it is not exactly that.
  nlohmann::json document() const { return nlohmann::json::parse(out); }
};

/// Runs `tessera ARGUMENTS...` in `directory` without a terminal. After `interrupt_after` seconds
/// (0: never) it gets a SIGINT.
CommandResult run_tessera(const std::vector<std::string>& arguments,
                          const std::filesystem::path& directory, double interrupt_after = 0);

/// What surrounds a command.
struct Surroundings {
  std::string out{};                  ///< file of standard output; empty: CommandResult::out
  std::uint64_t most_file_bytes = 0;  ///< of a written file, as on a full disk; 0: no limit
  unsigned seconds = 0;               ///< after which a signal ends the command; 0: never
};
CommandResult run_tessera_in(const Surroundings& surroundings,
                             const std::vector<std::string>& arguments,
                             const std::filesystem::path& directory);

/// A `tessera` that runs while the test does something else.
class BackgroundCommand {
 public:
  BackgroundCommand(const std::vector<std::string>& arguments,
                    const std::filesystem::path& directory, const Surroundings& surroundings = {});
  ~BackgroundCommand();
  BackgroundCommand(const BackgroundCommand&) = delete;
  BackgroundCommand& operator=(const BackgroundCommand&) = delete;

  int pid() const { return pid_; }
  void signal(int number) const;
  /// Waits for its end. Once.
  CommandResult wait();

 private:
  std::unique_ptr<class ScratchFolder> captured_;
  int pid_ = -1;
};

/// A folder of its own that is gone at the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;

 private:
  std::filesystem::path path_;
};

}  // namespace tessera::test
