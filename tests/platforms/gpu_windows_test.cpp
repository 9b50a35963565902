// SPDX-License-Identifier: Apache-2.0
// Which platforms' GPUs can run ahead of each other, and what the others are refused for. (Equal
// results: golden_test.cpp.)
#include "platforms/gpu_windows.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "platforms/simulation.h"
#include "platforms/topology/shape.h"

namespace tessera::gpu_windows_test {

using Catch::Contains;

namespace {

std::string reason(const std::string& platform, const std::vector<std::string>& sets = {}) {
  const ResolvedConfig c = resolve_config(platform, sets);
  return why_no_windows(plan_of(c.gpu), c.gpu, c.overrides).value_or("");
}

std::string refusal(const std::vector<std::string>& sets, const DomainWindows& windows) {
  BuildOptions build;
  build.windows = windows;
  try {
    const Simulation simulation(resolve_config("dca-small", sets), build);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("GPUs that act on each other by messages only can run ahead") {
  for (const char* platform : {"dca", "dca-mcm", "dualopt-bypass", "dualopt-cache", "dualopt-fine",
                               "dualopt-coalesced", "multi-gpu-2", "multi-gpu-16"}) {
    CAPTURE(platform);
    CHECK(reason(platform).empty());
  }
}

TEST_CASE("a decision engine whose messages take time lets GPUs run ahead") {
  CHECK(reason("dualopt", {"decision.gpu_latency_ns=140"}).empty());
}

TEST_CASE("what acts on all GPUs at once keeps them from running ahead") {
  for (const char* platform : {"nuba", "uba-mem", "mcm-nuba"}) {
    CHECK_THAT(reason(platform), Contains("of one GPU"));
  }
  for (const char* platform : {"dualopt", "dualopt-nuba"}) {
    CHECK_THAT(reason(platform), Contains("system.decision observes and controls") &&
                                     Contains("decision.gpu_latency_ns is 0"));
  }
  for (const char* platform : {"page-migration", "griffin"}) {
    CHECK_THAT(reason(platform), Contains("system.page_migrator observes and controls") &&
                                     Contains("pages are copied without latency"));
  }
  CHECK_THAT(reason("dca", {"system.line_sharing=true"}), Contains("system.line_sharing observes"));
  CHECK_THAT(reason("ladm-4x4"), Contains("sm.ideal_translation"));
}

TEST_CASE("a block of another implementation keeps GPUs from running ahead") {
  ResolvedConfig c = resolve_config("dca", {});
  c.gpu.impl.by_kind["llc"] = "my_rtl";
  CHECK_THAT(why_no_windows(plan_of(c.gpu), c.gpu).value_or(""),
             Contains("system.gpu0.llc0 is of implementation my_rtl"));
}

TEST_CASE("a window longer than the least latency between GPUs is refused with its link") {
  CHECK_THAT(
      refusal({}, {140'000'000, 1}),
      Contains("messages from system.gpu0.iommu_link.near to system.gpu0.iommu_link.far take "
               "139999 ps only"));
}

TEST_CASE("a latency of 0 between GPUs is refused with its link") {
  CHECK_THAT(refusal({"dispatch.gpu_latency_ns=0"}, {0, 2}),
             Contains("system.dispatcher") && Contains("take 0 ps only"));
}

}  // namespace tessera::gpu_windows_test
