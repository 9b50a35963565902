// SPDX-License-Identifier: Apache-2.0

// The sc_main of every block test.
//
// SystemC elaborates once per process, so one process runs one TEST_CASE: ctest starts one each,
// and when several are selected on the command line this forks one child per case and sums up.
// For the same reason no SECTION or GENERATE may stand around an elaboration.

#define CATCH_CONFIG_RUNNER
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <systemc>
#include <vector>

#include "modules/kernel/time.h"
#include "tests/support/expect_report.h"

namespace tessera::test {

namespace {

std::vector<ExpectReport*>& expectations() {
  static std::vector<ExpectReport*> list;
  return list;
}

bool in_test_case = false;

/// SystemC's banner, before libsystemc's main prints it.
[[maybe_unused]] const int quiet = setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);

}  // namespace

ExpectReport::ExpectReport(std::string id, std::size_t times) : id_(std::move(id)), times_(times) {
  expectations().push_back(this);
}

ExpectReport::~ExpectReport() {
  auto& list = expectations();
  list.erase(std::find(list.begin(), list.end(), this));
  if (seen_ != times_) {
    FAIL_CHECK("expected " << times_ << " reports " << id_ << ", saw " << seen_
                           << (seen_ == 0 ? "" : "; the last one: " + message_));
  }
}

bool take_expected_report(const std::string& id, const std::string& message) {
  auto& list = expectations();
  for (auto it = list.rbegin(); it != list.rend(); ++it) {
    if ((*it)->id_ != id) continue;
    ++(*it)->seen_;
    (*it)->message_ = message;
    return true;
  }
  return false;
}

namespace {

void handle_report(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  const sc_core::sc_severity severity = report.get_severity();
  if (severity == sc_core::SC_INFO) {
    sc_core::sc_report_handler::default_handler(report, actions);
    return;
  }
  const bool expected = take_expected_report(report.get_msg_type(), report.get_msg());
  if (severity == sc_core::SC_FATAL) throw sc_core::sc_report(report);
  if (expected) return;
  if (severity == sc_core::SC_ERROR) throw sc_core::sc_report(report);
  if (in_test_case) {
    FAIL_CHECK("unexpected SystemC warning: " << report.what());
  } else {
    std::cerr << "SystemC warning outside a test case: " << report.what() << '\n';
  }
}

/// Knows whether an assertion can be recorded.
struct CaseListener : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;
  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    TestEventListenerBase::testCaseStarting(info);
    in_test_case = true;
  }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    TestEventListenerBase::testCaseEnded(stats);
    in_test_case = false;
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

}  // namespace tessera::test

int sc_main(int argc, char** argv) {
  using namespace tessera;
  set_time_resolution();
  sc_core::sc_report_handler::set_handler(test::handle_report);

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
  return names.size() > 1 ? test::run_forked(session, names) : session.run();
}
