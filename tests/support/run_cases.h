// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tessera::test {

/// What the main of all tests does, with or without SystemC: runs the cases that the command line
/// selects, and returns the exit status.
///
/// SystemC elaborates once per process, so one process runs one TEST_CASE: ctest starts one each,
/// and when several are selected on the command line this forks one child per case and sums up.
/// For the same reason no SECTION or GENERATE may stand around an elaboration. It is a failure when
/// no case is selected, because ctest may know a case by another name: CMake parts a name at ';'.
int run_cases(int argc, char** argv);

/// Whether a case is running, so that an assertion can be recorded.
bool in_test_case();

}  // namespace tessera::test
