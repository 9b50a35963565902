// SPDX-License-Identifier: Apache-2.0
#include "app/console.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <systemc>

#include "common/error.h"

namespace tessera::app {
namespace {

int reserved_output = -1;
bool document_written = false;
volatile std::sig_atomic_t interrupt_seen = 0;
bool quiet_reports = false;

extern "C" void on_interrupt(int signal_number) {
  interrupt_seen = 1;
  std::signal(signal_number, SIG_DFL);
}

void on_report(const sc_core::sc_report& report, const sc_core::sc_actions&) {
  const sc_core::sc_severity severity = report.get_severity();
  if (severity == sc_core::SC_ERROR || severity == sc_core::SC_FATAL) throw report;
  // SystemC tells of every sc_stop() and of its own deprecations: nothing that a user can act on.
  const bool own = std::strncmp(report.get_msg_type(), "/OSCI/", 6) == 0 ||
                   std::strncmp(report.get_msg_type(), "/IEEE_Std_1666/", 15) == 0;
  if (own && severity == sc_core::SC_INFO) return;
  if (quiet_reports && severity == sc_core::SC_INFO) return;
  std::cerr << "tessera: " << (severity == sc_core::SC_WARNING ? "warning: " : "")
            << report.get_msg() << " (" << report.get_msg_type() << ")\n";
}

}  // namespace

void reserve_standard_output() {
  if (reserved_output >= 0) return;
  std::cout.flush();
  std::fflush(stdout);
  reserved_output = ::dup(STDOUT_FILENO);
  if (reserved_output < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    throw RunError("standard output cannot be redirected");
  }
}

void write_document(const nlohmann::ordered_json& document) {
  const std::string text =
      document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  const int fd = reserved_output >= 0 ? reserved_output : STDOUT_FILENO;
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      throw RunError("standard output cannot be written: " + std::string(strerror(errno)));
    done += static_cast<std::size_t>(n);
  }
  document_written = true;
}

bool document_is_due() { return reserved_output >= 0 && !document_written; }

void complain(const std::string& message) {
  std::cout.flush();
  std::cerr << "tessera: " << message << std::endl;
}

bool terminal_has_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string text(value);
    return text.find("UTF-8") != std::string::npos || text.find("utf8") != std::string::npos;
  }
  return false;
}

void catch_interrupts() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

bool interrupted() { return interrupt_seen != 0; }

void route_systemc_reports(bool quiet) {
  quiet_reports = quiet;
  sc_core::sc_report_handler::set_handler(on_report);
}

}  // namespace tessera::app
