// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tessera::app {

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
