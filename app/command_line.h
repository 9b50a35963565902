// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tessera::app {

/// Runs `tessera ARGUMENTS...` (without the program's name) and returns its exit status: 0 done, 1
/// the run failed, 2 bad usage or bad input. Never throws: every failure is reported in one message
/// on standard error, and with --json also in one document {"error", "exit_status"} on standard
/// output unless another one was written.
int run_command_line(const std::vector<std::string>& arguments);

}  // namespace tessera::app
