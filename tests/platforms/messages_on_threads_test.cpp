// SPDX-License-Identifier: Apache-2.0
// Blocks with a part in each GPU, which act by messages with a latency: the GPUs run ahead by
// windows, on one thread or two, with the results of a run instant by instant.
#include <catch2/catch.hpp>

#include "common/json.h"
#include "tests/platforms/workload_runs.h"

namespace tessera::messages_on_threads_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)
using nlohmann::ordered_json;

namespace {

using Sets = std::vector<std::string>;

ordered_json results(const std::string& workload, const Sets& sets, const BuildOptions& build) {
  auto stats =
      ordered_json::parse(document("dualopt-small", workload, ValueMode::kCarried, sets, build));
  // Runs with windows have none.
  CHECK(stats.erase("critical_path") == (build.windows ? 0 : 1));
  return stats;
}

/// Returns the results without windows.
ordered_json check_windows(const std::string& workload, const Sets& sets) {
  const ordered_json expected = results(workload, sets, {});
  CHECK(expected["verified"] == true);
  for (const DomainWindows& windows :
       {DomainWindows{}, DomainWindows{25'000'000}, DomainWindows{0, 2}}) {
    BuildOptions build;
    build.windows = windows;
    build.reverse_processes = windows.window != 0;
    INFO("GPUs run ahead by " << windows.window << " fs on " << windows.threads << " threads");
    CHECK(ordered_json::diff(expected, results(workload, sets, build)) == ordered_json::array());
  }
  return expected;
}

/// Windows that end in the first kernel.
Sets decision(const std::string& latency_ns) {
  return {"decision.warmup_accesses=20", "decision.window_accesses=100",
          "decision.gpu_latency_ns=" + latency_ns};
}

}  // namespace

TEST_CASE("the decision engine acts by messages: windows on threads change nothing, mm") {
  const ordered_json stats = check_windows("mm", decision("140"));
  CHECK(stats["modules"]["system.decision"]["decided"] == 1);
}

TEST_CASE("the decision engine acts by messages: windows on threads change nothing, spmv") {
  const ordered_json stats = check_windows("spmv", decision("300"));
  CHECK(stats["modules"]["system.decision"]["decided"] == 1);
}

}  // namespace tessera::messages_on_threads_test
