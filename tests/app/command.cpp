// SPDX-License-Identifier: Apache-2.0
#include "tests/app/command.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace tessera::test {

namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

[[noreturn]] void become_tessera(const std::vector<std::string>& arguments,
                                 const fs::path& directory, const fs::path& out,
                                 const fs::path& error, const Surroundings& surroundings) {
  const int in = ::open("/dev/null", O_RDONLY);
  const int o = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int e = ::open(error.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (in < 0 || o < 0 || e < 0 || ::chdir(directory.c_str()) != 0) std::_Exit(127);
  ::dup2(in, 0);
  ::dup2(o, 1);
  ::dup2(e, 2);
  if (surroundings.most_file_bytes != 0) {
    const rlimit limit{surroundings.most_file_bytes, surroundings.most_file_bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  if (surroundings.seconds != 0) ::alarm(surroundings.seconds);
  std::vector<char*> argv = {const_cast<char*>("tessera")};
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  ::execv(TESSERA_COMMAND, argv.data());
  std::_Exit(127);
}

}  // namespace

CommandResult run_tessera(const std::vector<std::string>& arguments, const fs::path& directory,
                          double interrupt_after) {
  BackgroundCommand command(arguments, directory);
  if (interrupt_after > 0) {
    std::this_thread::sleep_for(std::chrono::duration<double>(interrupt_after));
    command.signal(SIGINT);
  }
  return command.wait();
}

CommandResult run_tessera_in(const Surroundings& surroundings,
                             const std::vector<std::string>& arguments, const fs::path& directory) {
  return BackgroundCommand(arguments, directory, surroundings).wait();
}

BackgroundCommand::BackgroundCommand(const std::vector<std::string>& arguments,
                                     const fs::path& directory, const Surroundings& surroundings)
    : captured_(std::make_unique<ScratchFolder>()) {
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("no child process");
  if (pid_ == 0) {
    const fs::path out =
        surroundings.out.empty() ? captured_->path() / "out" : fs::path(surroundings.out);
    become_tessera(arguments, directory, out, captured_->path() / "error", surroundings);
  }
}

BackgroundCommand::~BackgroundCommand() {
  if (pid_ < 0) return;
  signal(SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void BackgroundCommand::signal(int number) const { ::kill(pid_, number); }

CommandResult BackgroundCommand::wait() {
  int status = 0;
  rusage used{};
  ::wait4(pid_, &status, 0, &used);
  pid_ = -1;
  CommandResult result;
  result.peak_bytes = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  result.out = captured_->read("out");
  result.error = captured_->read("error");
  return result;
}

ScratchFolder::ScratchFolder() {
  std::string name = (fs::temp_directory_path() / "tessera-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch folder");
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string ScratchFolder::write(const std::string& name, const std::string& text) const {
  const fs::path file = path_ / name;
  std::ofstream(file, std::ios::binary) << text;
  return file.string();
}

std::string ScratchFolder::read(const std::string& name) const { return text_of(path_ / name); }

}  // namespace tessera::test
