// SPDX-License-Identifier: Apache-2.0
// A page-placement policy of one's own: one file, no module touched.
#include <catch2/catch.hpp>

#include "policies/page_placement.h"
#include "tests/platforms/workload_runs.h"

using namespace tessera;        // NOLINT(google-build-using-namespace)
using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

/// Pages in pairs: two neighbours share a channel.
class Pairs final : public PagePlacement {
 public:
  ChannelId place(const PlacementRequest& request, const PlacementView& view) override {
    const auto channels = static_cast<std::uint64_t>(view.pages_per_channel.size());
    return ChannelId(static_cast<std::uint32_t>(request.virtual_page / 2 % channels));
  }
};

}  // namespace

TEST_CASE("a page-placement policy of one's own places the pages of a run") {
  register_page_placement("pairs",
                          [] { return std::unique_ptr<PagePlacement>(std::make_unique<Pairs>()); });
  const RunResult r = run_workload("nuba-small", "vecadd", ValueMode::kCarried,
                                   {"system.page_placement=pairs"}, {});
  INFO(r.failure.value_or(""));
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
  // vecadd's three arrays are contiguous whole pages: every channel gets as many pairs, give or
  // take one.
  const auto& uvm = r.stats["modules"]["system.gpu0.uvm"];
  double least = 1e9;
  double most = 0;
  for (int c = 0; c < 4; ++c) {
    const double pages = uvm["pages_channel" + std::to_string(c)].get<double>();
    least = std::min(least, pages);
    most = std::max(most, pages);
  }
  CHECK(least > 0);
  CHECK(most - least <= 4);
  // Half of what a first touch would have kept local is remote: the policy was asked.
  CHECK(r.stats["derived"]["l1_miss_local_fraction"].get<double>() < 0.5);
}
