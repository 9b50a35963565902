// SPDX-License-Identifier: Apache-2.0
#include "tests/support/run_cases.h"

#define CATCH_CONFIG_RUNNER
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

namespace tessera::test {

namespace {

bool case_runs = false;

struct CaseListener : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;
  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    TestEventListenerBase::testCaseStarting(info);
    case_runs = true;
  }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    TestEventListenerBase::testCaseEnded(stats);
    case_runs = false;
  }
};
CATCH_REGISTER_LISTENER(CaseListener)

std::string as_test_spec(const std::string& name) {
  std::string out;
  for (char c : name) {
    if (c == ',' || c == '[' || c == ']' || c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

int run_one(Catch::Session& session, const std::string& name) {
  Catch::ConfigData data = session.configData();
  data.testsOrTags = {as_test_spec(name)};
  session.useConfigData(data);
  return session.run();
}

/// One child per case. Its output is shown when it fails, or when all output was asked for.
int run_forked(Catch::Session& session, const std::vector<std::string>& names) {
  int failed = 0;
  for (const std::string& name : names) {
    std::cout.flush();
    std::fflush(nullptr);
    int out[2];
    if (pipe(out) != 0) return 255;
    const pid_t child = fork();
    if (child < 0) return 255;
    if (child == 0) {
      close(out[0]);
      dup2(out[1], STDOUT_FILENO);
      dup2(out[1], STDERR_FILENO);
      close(out[1]);
      const int result = run_one(session, name);
      std::cout.flush();
      std::fflush(nullptr);
      _exit(std::min(result, 255));
    }
    close(out[1]);
    std::string text;
    std::array<char, 4096> buffer;
    for (ssize_t n; (n = read(out[0], buffer.data(), buffer.size())) > 0;) {
      text.append(buffer.data(), static_cast<std::size_t>(n));
    }
    close(out[0]);
    int status = 0;
    waitpid(child, &status, 0);
    const bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!good) ++failed;
    if (!good || session.configData().showSuccessfulTests) std::cout << text;
    if (WIFSIGNALED(status)) {
      std::cout << "\"" << name << "\" died of signal " << WTERMSIG(status) << '\n';
    }
  }
  std::cout << names.size() - static_cast<std::size_t>(failed) << " of " << names.size()
            << " test cases passed" << std::endl;
  return std::min(failed, 254);
}

}  // namespace

bool in_test_case() { return case_runs; }

int run_cases(int argc, char** argv) {
  Catch::Session session;
  if (const int bad = session.applyCommandLine(argc, argv)) return bad;
  const Catch::ConfigData& data = session.configData();
  if (data.showHelp || data.libIdentify || data.listTests || data.listTags || data.listReporters ||
      data.listTestNamesOnly) {
    return session.run();
  }
  const auto& cases = Catch::filterTests(Catch::getAllTestCasesSorted(session.config()),
                                         session.config().testSpec(), session.config());
  std::vector<std::string> names;
  for (const Catch::TestCase& c : cases) names.push_back(c.name);
  if (names.empty()) {
    std::cerr << "no test case has this name\n";
    return 1;
  }
  return names.size() > 1 ? run_forked(session, names) : session.run();
}

}  // namespace tessera::test
