// SPDX-License-Identifier: Apache-2.0
#include "policies/launch_planner.h"

#include <catch2/catch.hpp>
#include <memory>

#include "common/error.h"

using namespace tessera;

namespace {

std::unique_ptr<LaunchPlanner> make_none() { return nullptr; }

}  // namespace

TEST_CASE("the immediate planner changes nothing of a launch") {
  LaunchView view;
  view.arrays = {{"a", std::uint64_t{1} << 32, 1 << 20}};
  const LaunchPlan plan = make_launch_planner("immediate")->plan(view);
  CHECK(plan.pages.empty());
  CHECK_FALSE(plan.scheduler.has_value());
  CHECK(plan.caching.empty());
}

TEST_CASE("launch planners are found by name, and a name is taken once") {
  CHECK(launch_planner_names() == std::vector<std::string>{"immediate"});
  CHECK_THROWS_WITH(make_launch_planner("imediate"),
                    "unknown launch planning policy 'imediate' (known: immediate); did you mean "
                    "'immediate'?");
  CHECK_THROWS_AS(register_launch_planner("immediate", make_none), InputError);
  register_launch_planner("none", make_none);
  CHECK(launch_planner_names().size() == 2);
}
