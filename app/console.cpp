// SPDX-License-Identifier: Apache-2.0
#include "app/console.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "common/error.h"
#include "common/json.h"

namespace tessera::app {
namespace {

int reserved_output = -1;
bool document_written = false;
volatile std::sig_atomic_t interrupt_seen = 0;

extern "C" void on_interrupt(int signal_number) {
  interrupt_seen = signal_number;
  std::signal(signal_number, SIG_DFL);
}

/// Length in bytes of the UTF-8 character at `at`; 0 if there is none. C1 controls count as none,
/// because terminals execute them.
std::size_t utf8_length(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(at);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 && first < 0xf5   ? 4
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xc2 && first < 0xe0 ? 2
                                                             : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0U) != 0x80) return 0;
  }
  return first == 0xc2 && byte(at + 1) < 0xa0 ? 0 : length;
}

void write_all(int file, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(file, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      throw RunError("standard output cannot be written: " + std::string(std::strerror(errno)));
    }
    done += static_cast<std::size_t>(n);
  }
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

std::string document_text(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string printable(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = utf8_length(text, i);
    if (length == 0 || (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f) {
      std::array<char, 5> escape{};
      std::snprintf(escape.data(), escape.size(), "\\x%02x", byte);
      out += escape.data();
      ++i;
    } else {
      out.append(text, i, length);
      i += length;
    }
  }
  return out;
}

void print_text(const std::string& text) { write_all(STDOUT_FILENO, text); }

void write_document(const nlohmann::ordered_json& document) {
  write_all(reserved_output >= 0 ? reserved_output : STDOUT_FILENO, document_text(document));
  document_written = true;
}

bool document_is_due() { return reserved_output >= 0 && !document_written; }

void complain(const std::string& message) {
  std::cerr << "tessera: " << printable(message) << std::endl;
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
  // A command of nohup goes on.
  struct sigaction hangup {};
  ::sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) std::signal(SIGHUP, on_interrupt);
}

bool interrupted() { return interrupt_seen != 0; }

InterruptScope::InterruptScope() {
  ::sigaction(SIGINT, nullptr, &int_);
  ::sigaction(SIGTERM, nullptr, &term_);
  ::sigaction(SIGHUP, nullptr, &hangup_);
  interrupt_seen = 0;
  catch_interrupts();
}

int InterruptScope::end() {
  if (ended_) return 0;
  ended_ = true;
  ::sigaction(SIGINT, &int_, nullptr);
  ::sigaction(SIGTERM, &term_, nullptr);
  ::sigaction(SIGHUP, &hangup_, nullptr);
  const int seen = interrupt_seen;
  interrupt_seen = 0;
  return seen;
}

}  // namespace tessera::app
