// SPDX-License-Identifier: Apache-2.0
// Values of kernels that run at the same time, carried, against the host's own computation; and
// that results depend neither on the order of processes nor on domains, windows and threads.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "common/json.h"
#include "platforms/gpu_windows.h"
#include "platforms/topology/shape.h"
#include "tests/platforms/level_sums.h"
#include "tests/platforms/stream_graph.h"

namespace tessera::stream_values_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)
using nlohmann::ordered_json;

namespace {

ordered_json graph(const ChildRun& how) {
  return run_child(how, [] { return std::make_unique<StreamGraph>(); });
}

/// Kernels that began before an earlier one had ended.
unsigned overlaps(const ordered_json& stats) {
  unsigned count = 0;
  std::uint64_t until = 0;
  std::vector<ordered_json> kernels = stats.at("kernels");
  std::sort(kernels.begin(), kernels.end(), [](const ordered_json& a, const ordered_json& b) {
    return a.at("first_cta_cycle") < b.at("first_cta_cycle");
  });
  for (const ordered_json& k : kernels) {
    if (k.at("first_cta_cycle").get<std::uint64_t>() < until) ++count;
    until = std::max(
        until, k.at("start_cycle").get<std::uint64_t>() + k.at("cycles").get<std::uint64_t>());
  }
  return count;
}

void check_graph(const std::string& platform, const std::vector<std::string>& sets = {}) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    INFO(platform << ", seed " << seed);
    ChildRun how{platform, sets};
    how.seed = seed;
    const ordered_json stats = graph(how);
    check_verified(stats);
    CHECK(stats.at("kernels").size() == 24);
    CHECK(overlaps(stats) > 0);
    check_level_sums(stats, resolve_config(platform, sets));
    if (seed != 1) continue;
    ChildRun reverse = how;
    reverse.build.reverse_processes = true;
    reverse.build.domains = NodeLevel::kPartition;
    // Runs of several domains have no critical path.
    ordered_json expected = stats;
    CHECK(expected.erase("critical_path") == 1);
    CHECK(graph(reverse) == expected);
    ChildRun opposite = how;
    opposite.build.reverse_processes = true;
    CHECK(graph(opposite) == stats);
    const ResolvedConfig config = resolve_config(platform, sets);
    if (why_no_windows(plan_of(config.gpu), config.gpu)) continue;
    for (const DomainWindows& windows : {DomainWindows{}, DomainWindows{0, 2}}) {
      ChildRun ahead = how;
      ahead.build.windows = windows;
      INFO(windows.threads << " threads");
      CHECK(graph(ahead) == expected);
    }
  }
}

}  // namespace

TEST_CASE("kernels of several streams that write bytes of one line: values are those in order") {
  for (const char* platform :
       {"uba-mem-small", "uba-sm-small", "nuba-small", "mcm-nuba-small", "ladm-4x4-small",
        "dca-small", "dualopt-small", "dualopt-cache-small", "dualopt-nuba-small", "umh-1-small",
        "umh-2-small", "zero-copy-1-small", "memcpy-2-small", "software-um-1-small"}) {
    check_graph(platform);
  }
}

TEST_CASE("the same with cores that probe each other, and with other settings of coherence") {
  check_graph("mesh-28-8-small", {"system.miss_routing=rp"});
  check_graph("mesh-28-8-small", {"system.miss_routing=la-llc"});
  check_graph("umh-2-small", {"umh.synchronisation=dynamic"});
  check_graph("nuba-small", {"llc.flush=copies", "system.remote_caching=full-replication"});
}

TEST_CASE("values do not depend on which kernels run at the same time") {
  for (const char* kernels : {"even", "sequential"}) {
    for (const char* platform : {"uba-mem-small", "dualopt-cache-small", "umh-1-small"}) {
      INFO(platform << ", " << kernels);
      const ordered_json stats =
          graph({platform, {std::string("dispatch.kernel_scheduler=") + kernels}});
      check_verified(stats);
      CHECK((overlaps(stats) == 0) == (std::string(kernels) == "sequential"));
    }
  }
  // A part of the SMs each; of fewer queues, launches wait.
  for (const char* platform : {"uba-mem-small", "dualopt-small"}) {
    const ordered_json stats =
        graph({platform, {"dispatch.kernel_scheduler=partitioned", "dispatch.queues=3"}});
    check_verified(stats);
    CHECK(overlaps(stats) > 0);
  }
}

TEST_CASE("functional values of overlapping kernels, and few queues, give the same result") {
  ChildRun functional{"nuba-small", {"dispatch.queues=2"}};
  functional.values = ValueMode::kFunctional;
  const ordered_json stats = graph(functional);
  check_verified(stats);
  ChildRun carried = functional;
  carried.values = ValueMode::kCarried;
  CHECK(graph(carried).at("cycles") == stats.at("cycles"));
}

}  // namespace tessera::stream_values_test
