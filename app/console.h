// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <string>

#include "common/json_fwd.h"

namespace tessera::app {

/// The text of a document's file: indented, with a final newline; bytes that are not UTF-8 are
/// replaced.
std::string document_text(const nlohmann::ordered_json& document);

/// Text for a terminal: control characters except newline and tab, and bytes that are not UTF-8,
/// become \xNN.
std::string printable(const std::string& text);

/// Reserves standard output for one JSON document. All other output to it, such as SystemC's
/// messages, is redirected to standard error.
void reserve_standard_output();
/// Writes the text to standard output. Throws RunError if it cannot be written.
void print_text(const std::string& text);
/// Writes the document to the reserved standard output. Throws RunError.
void write_document(const nlohmann::ordered_json& document);
/// Whether standard output is reserved and no document has been written yet.
bool document_is_due();

/// Writes "tessera: MESSAGE" to standard error.
void complain(const std::string& message);

/// Whether standard output supports UTF-8, according to the locale's environment variables.
bool terminal_has_utf8();

/// Installs handlers: the first SIGINT or SIGTERM ends the run early, the second kills the process.
void catch_interrupts();
bool interrupted();

/// catch_interrupts() for a program that goes on after its runs.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope() { end(); }
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  /// Restores the earlier handlers. Returns the signal that was received since the construction; 0
  /// if there was none, and at every further call.
  int end();

 private:
  struct sigaction int_ {};
  struct sigaction term_ {};
  struct sigaction hangup_ {};
  bool ended_ = false;
};

}  // namespace tessera::app
