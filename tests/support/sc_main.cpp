// SPDX-License-Identifier: Apache-2.0
// The main of tests with SystemC: SystemC's reports are checked.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>
#include <string>
#include <systemc>
#include <vector>

#include "modules/kernel/time.h"
#include "tests/support/expect_report.h"
#include "tests/support/run_cases.h"

namespace tessera::test {

namespace {

std::vector<ExpectReport*>& expectations() {
  static std::vector<ExpectReport*> list;
  return list;
}

/// SystemC's banner, before sc_elab_and_sim prints it.
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
  if (in_test_case()) {
    FAIL_CHECK("unexpected SystemC warning: " << report.what());
  } else {
    std::cerr << "SystemC warning outside a test case: " << report.what() << '\n';
  }
}

}  // namespace

}  // namespace tessera::test

int sc_main(int argc, char** argv) {
  tessera::set_time_resolution();
  sc_core::sc_report_handler::set_handler(tessera::test::handle_report);
  return tessera::test::run_cases(argc, argv);
}

// libsystemc has the same, but the linker would then leave this file out.
int main(int argc, char** argv) { return sc_core::sc_elab_and_sim(argc, argv); }
