// SPDX-License-Identifier: Apache-2.0
// A slice role of one's own: this file is all that it takes. A setting chooses it.
#include <catch2/catch.hpp>

#include "common/error.h"
#include "modules/llc/slice_pipeline.h"
#include "platforms/run_result.h"
#include "tests/platforms/workload_runs.h"

namespace tessera::own_slice_role_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

/// A home that keeps nothing that it fetched, and counts the responses that leave.
class ThroughRole final : public SliceRole {
 public:
  using SliceRole::SliceRole;

  bool keeps(const Access&) const { return false; }
  bool may_leave(const Access&, Tick) {
    ++responses_;
    return true;
  }
  void register_statistics(StatisticsRegistry& registry) const {
    registry.counter(slice_.name(), "responses", responses_, "access", "responses after a lookup");
  }

 private:
  Counter responses_ = 0;
};

const PolicyRegistration<LlcSlice> kRegistered("through", "keeps nothing that it fetched",
                                               make_slice<ThroughRole>);

RunResult run(const std::string& platform, const std::vector<std::string>& sets) {
  RunResult r = run_workload(platform, "vecadd", ValueMode::kCarried, sets, {true});
  INFO(r.failure.value_or(""));
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
  return r;
}

}  // namespace

TEST_CASE("a slice role of one's own stands in every slice") {
  const RunResult r = run("uba-mem-small", {"llc.role=through"});
  CHECK(r.stats["modules"]["system.gpu0.llc0"]["responses"] > 0);
  CHECK(r.stats["modules"]["system.gpu0.llc3"]["responses"] > 0);
}

TEST_CASE("a slice role of one's own stands in one slice, and the others keep theirs") {
  const RunResult r = run("uba-mem-small", {"gpu0.llc3.role=through"});
  CHECK(r.stats["modules"]["system.gpu0.llc3"]["responses"] > 0);
  CHECK_FALSE(r.stats["modules"]["system.gpu0.llc0"].contains("responses"));
}

TEST_CASE("a role without a way to other slices is refused where slices need one") {
  CHECK_THROWS_WITH(
      Simulation(resolve_config("nuba-small", {"llc.role=through"})),
      Catch::Contains(
          "system.gpu0.llc0: a slice of the role 'through' has no way to other slices"));
}

TEST_CASE("a role that needs a way to other slices is refused where there is none") {
  CHECK_THROWS_WITH(
      Simulation(resolve_config("uba-mem-small", {"llc.role=partition"})),
      Catch::Contains("system.gpu0.llc0: a slice of the role 'partition' needs a way to other"));
}

TEST_CASE("an unknown role is refused before the platform is built, with the nearest name") {
  CHECK_THROWS_WITH(resolve_config("uba-mem-small", {"llc.role=thruogh"}),
                    Catch::Contains("did you mean 'through'?"));
  CHECK_THROWS_WITH(resolve_config("uba-mem-small", {"system.gpu0.llc3.role=hmoe"}),
                    Catch::Contains("did you mean 'home'?"));
}

}  // namespace tessera::own_slice_role_test
