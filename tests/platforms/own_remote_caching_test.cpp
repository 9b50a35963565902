// SPDX-License-Identifier: Apache-2.0
// A remote-caching policy of one's own: one file, no module touched.
#include <catch2/catch.hpp>

#include "policies/remote_caching.h"
#include "tests/platforms/workload_runs.h"

using namespace tessera;        // NOLINT(google-build-using-namespace)
using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

/// Every second line may be copied: half of the pressure, half of the gain.
class EvenLines final : public RemoteCaching {
 public:
  Caching decide(const RemoteAccess& access) const override {
    return {access.read_only && access.line % 2 == 0};
  }
};

std::unique_ptr<RemoteCaching> make(const PolicyContext&) { return std::make_unique<EvenLines>(); }

const PolicyRegistration<RemoteCaching> kRegistered("even-lines", "read-only lines of even number",
                                                    make);

double replicas(const RunResult& r) {
  double misses = 0;
  for (const auto& [name, statistics] : r.stats["modules"].items()) {
    if (statistics.contains("replica_misses")) misses += statistics["replica_misses"].get<double>();
  }
  return misses;
}

}  // namespace

TEST_CASE("a remote-caching policy of one's own decides what slices keep") {
  const RunResult r = run_workload("nuba-small", "mm", ValueMode::kCarried,
                                   {"system.remote_caching=even-lines"}, {});
  INFO(r.failure.value_or(""));
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
  CHECK(replicas(r) > 0);
  // The slices were flushed at the kernel's end, as with every policy that keeps copies.
  CHECK(r.stats["modules"]["system.gpu0.dispatcher"]["flush_cycles"].get<double>() > 0);
}
