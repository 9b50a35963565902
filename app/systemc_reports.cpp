// SPDX-License-Identifier: Apache-2.0
#include "app/systemc_reports.h"

#include <cstring>
#include <iostream>
#include <systemc>

#include "app/console.h"

namespace tessera::app {
namespace {

bool quiet_reports = false;

void on_report(const sc_core::sc_report& report, const sc_core::sc_actions&) {
  const sc_core::sc_severity severity = report.get_severity();
  if (severity == sc_core::SC_ERROR || severity == sc_core::SC_FATAL) throw report;
  // Dropped: SystemC's reports about sc_stop() and its own deprecations, which a user cannot
  // change.
  const bool own = std::strncmp(report.get_msg_type(), "/OSCI/", 6) == 0 ||
                   std::strncmp(report.get_msg_type(), "/IEEE_Std_1666/", 15) == 0;
  if (own && severity == sc_core::SC_INFO) return;
  if (quiet_reports && severity == sc_core::SC_INFO) return;
  std::cerr << "tessera: " << (severity == sc_core::SC_WARNING ? "warning: " : "")
            << printable(report.get_msg()) << " (" << report.get_msg_type() << ")\n";
}

}  // namespace

void route_systemc_reports(bool quiet) {
  quiet_reports = quiet;
  sc_core::sc_report_handler::set_handler(on_report);
}

std::optional<std::string> systemc_error(const std::exception& e) {
  const auto* const report = dynamic_cast<const sc_core::sc_report*>(&e);
  if (report == nullptr) return {};
  return std::string(report->get_msg()) + " (" + report->get_msg_type() + ")";
}

}  // namespace tessera::app
