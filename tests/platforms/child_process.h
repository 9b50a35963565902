// SPDX-License-Identifier: Apache-2.0
#pragma once

// Work in a process of its own: SystemC elaborates once in each.

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <functional>
#include <string>

namespace tessera::test {

/// The text that `work` returns in a child process. REQUIREs that the child ends without an error.
inline std::string in_child(const std::function<std::string()>& work) {
  int fd[2];
  REQUIRE(pipe(fd) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    close(fd[0]);
    const std::string text = work();
    const bool all = write(fd[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(all ? 0 : 1);
  }
  close(fd[1]);
  std::string text;
  char buffer[65536];
  for (ssize_t n; (n = read(fd[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  close(fd[0]);
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(status == 0);
  return text;
}

}  // namespace tessera::test
