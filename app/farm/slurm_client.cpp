// SPDX-License-Identifier: Apache-2.0
#include "app/farm/slurm_client.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <sstream>

#include "common/error.h"

namespace tessera::app {
namespace {

namespace fs = std::filesystem;

struct ProgramResult {
  int status = -1;
  std::string out;
  std::string error;
};

/// An anonymous file that receives a program's output.
class CapturedOutput {
 public:
  CapturedOutput() : file_(::memfd_create("output", MFD_CLOEXEC)) {
    if (file_ < 0) throw RunError(std::string("no file in memory: ") + std::strerror(errno));
  }
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;
  ~CapturedOutput() { ::close(file_); }

  int descriptor() const { return file_; }
  std::string text() const {
    std::string all;
    char buffer[4096];
    while (true) {
      const ssize_t n = ::pread(file_, buffer, sizeof buffer, static_cast<off_t>(all.size()));
      if (n <= 0) return all;
      all.append(buffer, static_cast<std::size_t>(n));
    }
  }

 private:
  int file_;
};

ProgramResult run_program(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& w : words) arguments.push_back(const_cast<char*>(w.c_str()));
  arguments.push_back(nullptr);
  const CapturedOutput out;
  const CapturedOutput error;
  const pid_t pid = ::fork();
  if (pid < 0) throw RunError(std::string("no child process: ") + std::strerror(errno));
  if (pid == 0) {
    // Ctrl-C interrupts this command, which then cancels its tasks; sbatch must not end half-way.
    ::setpgid(0, 0);
    ::dup2(out.descriptor(), STDOUT_FILENO);
    ::dup2(error.descriptor(), STDERR_FILENO);
    ::execvp(arguments.front(), arguments.data());
    std::_Exit(127);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out.text(), error.text()};
}

bool in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::string user() { return std::to_string(::getuid()); }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

bool SlurmTaskState::ended() const {
  static const std::set<std::string> all = {"BOOT_FAIL", "CANCELLED", "COMPLETED",     "DEADLINE",
                                            "FAILED",    "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",
                                            "REVOKED",   "TIMEOUT"};
  return all.count(state) != 0;
}

SlurmClient::SlurmClient(std::string job_name, std::vector<std::string> arguments,
                         unsigned parallel)
    : job_name_(std::move(job_name)), arguments_(std::move(arguments)), parallel_(parallel) {
  std::string missing;
  for (const char* program : {"sbatch", "squeue", "scancel"}) {
    if (!in_path(program)) missing += (missing.empty() ? "" : ", ") + std::string(program);
  }
  if (!missing.empty()) {
    throw InputError("--slurm: not in PATH: " + missing +
                     " (Slurm's commands, in Debian's package slurm-client)");
  }
}

std::string SlurmClient::submit(const SlurmArray& array) const {
  std::string indices = "0-" + std::to_string(array.tasks - 1);
  if (parallel_ != 0) indices += "%" + std::to_string(parallel_);
  std::vector<std::string> words = {
      "sbatch", "--parsable", "--job-name=" + job_name_, "--array=" + indices, "--ntasks=1",
      "--cpus-per-task=1", "--time=" + std::to_string(array.limits.minutes),
      "--mem=" + std::to_string(array.limits.mebibytes) + "M",
      // This command counts the attempts.
      "--no-requeue", "--chdir=" + fs::current_path().string(), "--output=" + array.output};
  words.insert(words.end(), arguments_.begin(), arguments_.end());
  words.push_back("--wrap=" + array.command);
  const ProgramResult r = run_program(words);
  // "JOB" or "JOB;CLUSTER".
  std::string job = first_line(r.out);
  job.erase(std::min(job.find(';'), job.size()));
  if (r.status != 0 || job.empty()) {
    throw RunError("sbatch failed: " + first_line(r.error.empty() ? r.out : r.error));
  }
  return job;
}

std::optional<std::map<SlurmTask, SlurmTaskState>> SlurmClient::tasks() const {
  const ProgramResult r =
      run_program({"squeue", "--noheader", "--array", "--states=all", "--user=" + user(),
                   "--name=" + job_name_, "--format=%F %K %T %r"});
  if (r.status != 0) return std::nullopt;
  std::map<SlurmTask, SlurmTaskState> all;
  std::istringstream lines(r.out);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    SlurmTask task;
    SlurmTaskState state;
    if (fields >> task.first >> task.second >> state.state >> state.reason) all[task] = state;
  }
  return all;
}

void SlurmClient::cancel(bool only_pending) const {
  std::vector<std::string> words = {"scancel", "--quiet", "--user=" + user(),
                                    "--name=" + job_name_};
  if (only_pending) words.emplace_back("--state=PENDING");
  run_program(words);
}

}  // namespace tessera::app
