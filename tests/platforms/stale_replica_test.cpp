// SPDX-License-Identifier: Apache-2.0
// Copies of other partitions' lines do not outlive a kernel (NUBA section 5.3), and the values
// that travel tell if they do.
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "platforms/run_result.h"
#include "platforms/simulation.h"
#include "tests/platforms/read_write_read.h"

namespace tessera::stale_replica_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::uint32_t kThreads = ReadWriteRead::kThreads;
constexpr std::uint32_t kCtas = 8;  ///< one on each SM of nuba-small

RunResult run(ReadWriteRead& workload, const std::string& caching, bool keep_replicas) {
  BuildOptions build;
  build.keep_replicas = keep_replicas;
  Simulation simulation(resolve_config("nuba-small", {"system.remote_caching=" + caching}), build);
  RunOptions options;
  options.values = ValueMode::kCarried;
  return simulation.run(workload, options);
}

std::uint64_t sum(const RunResult& r, const char* counter) {
  std::uint64_t total = 0;
  for (unsigned i = 0; i < 8; ++i) {
    total +=
        r.stats["modules"]["system.gpu0.llc" + std::to_string(i)][counter].get<std::uint64_t>();
  }
  return total;
}

}  // namespace

TEST_CASE("a replica that was read before a write is gone in the next kernel") {
  ReadWriteRead workload(kCtas);
  const RunResult r = run(workload, "full-replication", false);
  CHECK_FALSE(r.failure.has_value());
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
  CHECK(workload.stale() == 0);
  // The array's four lines, in each of the three partitions that are not their home, twice.
  CHECK(sum(r, "replica_misses") == 2 * 3 * 4);
  // The lines lie in both slices of a partition: two slices of three partitions, after two kernels.
  CHECK(sum(r, "flushes") == 2 * 3 * 2);
}

TEST_CASE("without the flush at kernel ends every other partition reads its stale replica") {
  ReadWriteRead workload(kCtas);
  const RunResult r = run(workload, "full-replication", true);
  CHECK(r.failure.has_value());
  REQUIRE(r.verification.has_value());
  CHECK_FALSE(r.verification->passed);
  CHECK(workload.stale() == kThreads * kCtas * 3 / 4);
  CHECK(r.verification->wrong == workload.stale());
  CHECK(sum(r, "flushes") == 0);
}

TEST_CASE("without replication nothing is flushed and nothing is stale") {
  ReadWriteRead workload(kCtas);
  const RunResult r = run(workload, "home", false);
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
  CHECK(sum(r, "flushes") == 0);
  CHECK(sum(r, "replica_misses") == 0);
}

}  // namespace tessera::stale_replica_test
