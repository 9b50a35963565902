// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <optional>
#include <string>

namespace tessera::app {

/// Sends SystemC's reports to standard error and turns errors into exceptions. `quiet`: without
/// information.
void route_systemc_reports(bool quiet);

/// "MESSAGE (ID)" of an exception that is SystemC's report of an error; nothing of any other.
std::optional<std::string> systemc_error(const std::exception& e);

}  // namespace tessera::app
