// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/json.h"

namespace tessera::app {

/// A document as the text of a file: indented, with a newline at its end; bytes that are no UTF-8
/// are replaced.
std::string document_text(const nlohmann::ordered_json& document);

/// Text for a terminal: control characters and bytes that are no UTF-8 as \xNN. Newlines and tabs
/// stay.
std::string printable(const std::string& text);

/// From here on standard output belongs to one JSON document: whatever else is written to it
/// (SystemC prints its messages there) goes to standard error.
void reserve_standard_output();
/// Writes the document to the reserved standard output.
void write_document(const nlohmann::ordered_json& document);
/// Standard output is reserved and no document has been written yet.
bool document_is_due();

/// "tessera: MESSAGE" on standard error.
void complain(const std::string& message);

/// Standard output shows UTF-8 (by the locale's variables).
bool terminal_has_utf8();

/// SIGINT and SIGTERM ask the run to end early, once; the second of either kills.
void catch_interrupts();
bool interrupted();

/// Sends SystemC's reports to standard error, and makes errors exceptions.
void route_systemc_reports(bool quiet);

}  // namespace tessera::app
