// SPDX-License-Identifier: Apache-2.0
#include "policies/launch_planner.h"

#include <catch2/catch.hpp>

using namespace tessera;  // NOLINT(google-build-using-namespace)

TEST_CASE("the immediate planner changes nothing of a launch") {
  LaunchView view;
  view.arrays = {{"a", std::uint64_t{1} << 32, 1 << 20}};
  const LaunchPlan plan = make_policy<LaunchPlanner>("immediate")->plan(view);
  CHECK(plan.pages.empty());
  CHECK_FALSE(plan.scheduler.has_value());
  CHECK(plan.caching.empty());
}

TEST_CASE("launch planners are found by name") {
  CHECK(policy_names<LaunchPlanner>() == std::vector<std::string>{"immediate"});
  CHECK_THROWS_WITH(make_policy<LaunchPlanner>("imediate"),
                    "unknown launch_planner policy 'imediate' (known: immediate); did you mean "
                    "'immediate'?");
}
