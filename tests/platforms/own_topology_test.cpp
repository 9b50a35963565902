// SPDX-License-Identifier: Apache-2.0
// A topology of one's own: one file, no other is touched.
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "common/error.h"
#include "platforms/gpu_config.h"
#include "platforms/run_result.h"
#include "platforms/topology/shape.h"
#include "tests/platforms/workload_runs.h"

namespace tessera::own_topology_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

/// Each half of the SMs reaches all slices through a crossbar of its own. Requests of the second
/// half enter the slices' RMR queues.
void connect(Planner& p, Planner::Gpu& gpu) {
  PlannedNetwork network;
  network.traffic = "noc";
  network.noc = p.config().noc;
  const std::uint32_t sms = gpu.sms / 2;
  for (std::uint32_t half = 0; half < 2; ++half) {
    const PlannedBlockId noc =
        p.add_network("noc" + std::to_string(half), gpu.node, gpu.number, network, sms, gpu.slices,
                      [](std::uint32_t slice) { return slice; });
    for (std::uint32_t i = 0; i < sms; ++i) p.link({gpu.l1s[half * sms + i], 0}, {noc, i});
    for (std::uint32_t i = 0; i < gpu.slices; ++i) p.link({noc, i}, {gpu.llcs[i], half});
  }
}

Shape halves() {
  Shape s;
  s.name = "halves";
  s.partitions = [](const SystemConfig&) -> std::uint32_t { return 1; };
  s.divides = [](const GpuConfig& c, std::vector<std::string>& errors) {
    return must_divide("the two halves", 2, "system.sms", c.system.sms, errors);
  };
  s.slices = {"home", 1, false};
  s.connect = connect;
  s.alone_because = "its crossbars have no way out";
  return s;
}

const bool kRegistered = register_shape(halves());

}  // namespace

TEST_CASE("a topology of one's own runs a workload, and its plan names its blocks") {
  const RunResult r = run_workload("uba-mem-small", "vecadd", ValueMode::kCarried,
                                   {"system.topology=halves"}, {true});
  INFO(r.failure.value_or(""));
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
  const auto& modules = r.stats["modules"];
  CHECK(modules.contains("system.gpu0.noc0"));
  CHECK(modules["system.gpu0.noc0"]["request_packets"] > 0);
  CHECK(modules["system.gpu0.noc1"]["request_packets"] > 0);
  CHECK(modules["system.gpu0.llc0"]["local_lookups"] > 0);
  CHECK(modules["system.gpu0.llc0"]["remote_lookups"] > 0);
}

TEST_CASE("a topology's name is taken once, and what it cannot be is refused") {
  CHECK(kRegistered);
  CHECK_THROWS_AS(register_shape(halves()), InputError);
  CHECK_THROWS_WITH(resolve_config("uba-mem-small", {"system.topology=halves", "system.sms=7"}),
                    Catch::Contains("system.sms (7) must be a multiple of the two halves (2)"));
  CHECK_THROWS_WITH(resolve_config("uba-mem-small", {"system.topology=halfs"}),
                    Catch::Contains("halves"));
}

}  // namespace tessera::own_topology_test
