// SPDX-License-Identifier: Apache-2.0
#pragma once

// Workloads on platforms: one run that must verify, and runs whose statistics are compared.

#include <string>
#include <vector>

#include "platforms/run_result.h"
#include "platforms/simulation.h"

namespace tessera::test {

RunResult run_workload(const std::string& platform, const std::string& workload,
                       const RunOptions& options, const std::vector<std::string>& sets,
                       const BuildOptions& build);
RunResult run_workload(const std::string& platform, const std::string& workload, ValueMode values,
                       const std::vector<std::string>& sets, const BuildOptions& build);

/// CHECKs that a workload verifies, carried, with a protocol checker on every socket. `platform`:
/// a preset or "own-tree" (docs/guide/examples), and settings after it: "nuba llc.sets=1"; "often"
/// stands for pages that move often within a small kernel. (The words are a test's name, and
/// Catch2 2.13 can trip over a long one with a hyphen.) Once in a TEST_CASE: it elaborates.
RunResult verify_carried(const std::string& platform, const std::string& workload,
                         const std::vector<std::string>& sets = {});

/// stats.json without `host` and `values`.
std::string comparable(const RunResult& result);

/// The same of a run in a child process of its own (SystemC elaborates once).
std::string document(const std::string& platform, const std::string& workload,
                     const RunOptions& options, const std::vector<std::string>& sets = {},
                     const BuildOptions& build = {});
std::string document(const std::string& platform, const std::string& workload, ValueMode values,
                     const std::vector<std::string>& sets = {}, const BuildOptions& build = {});

}  // namespace tessera::test

/// A TEST_CASE in which the workload NAME verifies on PLATFORM (settings included, see above).
#define TESSERA_VERIFIES_CARRIED(NAME, PLATFORM) \
  TEST_CASE("carried on " PLATFORM ": " NAME) { ::tessera::test::verify_carried(PLATFORM, NAME); }
