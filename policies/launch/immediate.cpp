// SPDX-License-Identifier: Apache-2.0
// "immediate": starts the kernel without a plan. Pages are placed at their first touch.
#include <memory>

#include "policies/launch_planner.h"

namespace tessera::launch::immediate {

namespace {

class Immediate final : public LaunchPlanner {
 public:
  LaunchPlan plan(const LaunchView& /*launch*/) override { return {}; }
};

std::unique_ptr<LaunchPlanner> make(const PolicyContext& /*context*/) {
  return std::make_unique<Immediate>();
}

const PolicyRegistration<LaunchPlanner> kRegistered(
    "immediate", "pages are placed by their first touch, CTAs by dispatch.scheduler", make);

}  // namespace

}  // namespace tessera::launch::immediate
