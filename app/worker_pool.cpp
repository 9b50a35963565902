// SPDX-License-Identifier: Apache-2.0
#include "app/worker_pool.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "app/console.h"
#include "app/systemc_reports.h"
#include "common/error.h"
#include "common/json.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;

constexpr int kPollMilliseconds = 100;

/// A child and the pipe on which it writes lines: {"fraction"}, {"result"} or {"error"}.
struct Worker {
  pid_t pid = -1;
  int pipe = -1;
  std::size_t job = 0;
  double fraction = 0;
  std::string received;
  bool asked_to_end = false;
};

bool write_line(int fd, const ordered_json& message) {
  const std::string text =
      message.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

[[noreturn]] void work(int pipe, pid_t parent, std::size_t index, const WorkerPool::Job& job) {
  // The child ends if its parent is killed.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) std::_Exit(1);
  // A terminal sends Ctrl-C to every process of the command; here only the parent forwards it,
  // once.
  std::signal(SIGINT, SIG_IGN);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  ordered_json last;
  try {
    last = {{"result", job(index, [pipe](double fraction) {
               write_line(pipe, {{"fraction", fraction}});
             })}};
  } catch (const std::bad_alloc&) {
    last = {{"error", "out of memory"}};
  } catch (const std::exception& e) {
    last = {{"error", systemc_error(e).value_or(e.what())}};
  }
  const bool sent = write_line(pipe, last);
  std::cout.flush();
  std::cerr.flush();
  // No destructors: SystemC's are not made for a second process.
  std::_Exit(sent ? 0 : 1);
}

Worker start(std::size_t index, const WorkerPool::Job& job) {
  int ends[2];
  if (::pipe(ends) != 0) throw RunError(std::string("no pipe: ") + std::strerror(errno));
  std::cout.flush();
  std::cerr.flush();
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw RunError(std::string("no child process: ") + std::strerror(errno));
  if (pid == 0) {
    ::close(ends[0]);
    work(ends[1], parent, index, job);
  }
  ::close(ends[1]);
  Worker w;
  w.pid = pid;
  w.pipe = ends[0];
  w.job = index;
  return w;
}

void handle_lines(Worker& w, JobOutcome& outcome) {
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = w.received.find('\n', begin);
    if (end == std::string::npos) break;
    ordered_json message =
        ordered_json::parse(w.received.begin() + static_cast<std::ptrdiff_t>(begin),
                            w.received.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end + 1;
    if (message.contains("fraction")) w.fraction = message["fraction"].get<double>();
    if (message.contains("result")) outcome.result = std::move(message["result"]);
    if (message.contains("error")) outcome.error = message["error"].get<std::string>();
  }
  w.received.erase(0, begin);
}

/// Reads the available data. Returns false at the end of the pipe.
bool receive(Worker& w, JobOutcome& outcome) {
  char buffer[65536];
  const ssize_t n = ::read(w.pipe, buffer, sizeof buffer);
  if (n < 0 && errno == EINTR) return true;
  if (n <= 0) return false;
  w.received.append(buffer, static_cast<std::size_t>(n));
  handle_lines(w, outcome);
  return true;
}

void bury(Worker& w, JobOutcome& outcome) {
  ::close(w.pipe);
  int status = 0;
  while (::waitpid(w.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (outcome.result || !outcome.error.empty()) return;
  outcome.error = WIFSIGNALED(status)
                      ? std::string("its process was killed: ") + strsignal(WTERMSIG(status))
                      : "its process ended without a result (status " +
                            std::to_string(WEXITSTATUS(status)) + ")";
}

}  // namespace

std::vector<JobOutcome> WorkerPool::run(std::size_t count, unsigned parallel, const Job& job,
                                        const Watch& watch) {
  std::vector<JobOutcome> outcomes(count);
  std::vector<Worker> workers;
  std::size_t next = 0;
  std::size_t finished = 0;
  while (true) {
    while (!interrupted() && next < count && workers.size() < std::max(1U, parallel)) {
      workers.push_back(start(next++, job));
    }
    if (workers.empty()) break;

    std::vector<pollfd> polled;
    for (const Worker& w : workers) polled.push_back({w.pipe, POLLIN, 0});
    ::poll(polled.data(), polled.size(), kPollMilliseconds);
    std::vector<Worker> alive;
    for (std::size_t i = 0; i < workers.size(); ++i) {
      Worker& w = workers[i];
      if (interrupted() && !w.asked_to_end) {
        w.asked_to_end = true;
        ::kill(w.pid, SIGTERM);
      }
      if (polled[i].revents != 0 && !receive(w, outcomes[w.job])) {
        bury(w, outcomes[w.job]);
        ++finished;
      } else {
        alive.push_back(std::move(w));
      }
    }
    workers = std::move(alive);

    double done = static_cast<double>(finished);
    for (const Worker& w : workers) done += w.fraction;
    watch(done);
  }
  for (std::size_t i = next; i < count; ++i) outcomes[i].error = "not run: interrupted";
  return outcomes;
}

}  // namespace tessera::app
