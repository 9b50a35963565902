// SPDX-License-Identifier: Apache-2.0
// A page-placement policy of one's own, with a parameter and a counter: one file, the guide's
// docs/guide/examples/plugin/pairs.cpp, compiled into this program. Nothing else names it.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "platforms/run_result.h"
#include "policies/page_placement.h"
#include "tests/platforms/workload_runs.h"

namespace tessera::own_page_placement_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

constexpr char kUvm[] = "system.gpu0.uvm";

RunResult run_pairs(const std::vector<std::string>& sets) {
  std::vector<std::string> all = {"system.page_placement=pairs"};
  all.insert(all.end(), sets.begin(), sets.end());
  RunResult r = run_workload("nuba-small", "vecadd", ValueMode::kCarried, all, {});
  INFO(r.failure.value_or(""));
  REQUIRE(r.verification.has_value());
  REQUIRE(r.verification->passed);
  return r;
}

/// A mistaken policy: there is no such channel.
class Beyond final : public PagePlacement {
 public:
  ChannelId place(const PlacementRequest&, const PlacementView& view) override {
    return ChannelId(static_cast<std::uint32_t>(view.pages_per_channel.size()));
  }
};

std::unique_ptr<PagePlacement> make_beyond(const PolicyContext&) {
  return std::make_unique<Beyond>();
}

const PolicyRegistration<PagePlacement> kBeyond("beyond", "a channel that is not there",
                                                make_beyond);

std::string contents(const std::string& file) {
  std::ifstream in(std::string(TESSERA_SOURCE_DIR) + file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a page-placement policy of one's own places the pages of a run") {
  const RunResult r = run_pairs({});
  // vecadd's three arrays are contiguous whole pages: every channel gets as many pairs, give or
  // take one.
  const auto& uvm = r.stats["modules"][kUvm];
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

TEST_CASE("the policy's own counter stands among the UVM driver's statistics") {
  const RunResult r = run_pairs({});
  const auto& uvm = r.stats["modules"][kUvm];
  const auto far = uvm["pages_far"].get<std::uint64_t>();
  CHECK(far > 0);
  CHECK(far <= uvm["pages_mapped"].get<std::uint64_t>());
}

TEST_CASE("the policy's own parameter is set by its path and stands in the document") {
  const RunResult r = run_pairs({"page_placement.pairs.pages=1024"});
  CHECK(r.stats["config"]["page_placement"]["pairs"]["pages"] == 1024);
  // All pages in one group: one channel has them.
  const auto& uvm = r.stats["modules"][kUvm];
  const auto mapped = uvm["pages_mapped"].get<std::uint64_t>();
  bool together = false;
  for (int c = 0; c < 4; ++c) {
    together = together || uvm["pages_channel" + std::to_string(c)].get<double>() ==
                               static_cast<double>(mapped);
  }
  CHECK(together);
}

TEST_CASE("without the policy its counter is not in the document") {
  const RunResult r = run_workload("nuba-small", "vecadd", ValueMode::kCarried, {}, {});
  CHECK_FALSE(r.stats["modules"][kUvm].contains("pages_far"));
  CHECK(r.stats["config"]["page_placement"]["pairs"]["pages"] == 2);
}

TEST_CASE("a policy that chooses a channel that is not there ends the run as failed, by its name") {
  const RunResult r = run_workload("nuba-small", "vecadd", ValueMode::kFunctional,
                                   {"system.page_placement=beyond"}, {});
  REQUIRE(r.failure.has_value());
  CHECK_THAT(*r.failure, Catch::Contains("page placement policy 'beyond' places page ") &&
                             Catch::Contains(" in channel 4: the channels are 0 to 3") &&
                             !Catch::Contains("uncaught exception"));
  CHECK(r.stats["failure"] == *r.failure);
}

TEST_CASE("the guide shows the very file that this program is made of") {
  const std::string page = contents("/docs/guide/your-own-policy.md");
  const std::string file = contents("/docs/guide/examples/plugin/pairs.cpp");
  REQUIRE(file.size() > 100);
  CHECK(page.find("```cpp\n" + file + "```") != std::string::npos);
}

}  // namespace tessera::own_page_placement_test
