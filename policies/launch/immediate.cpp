// SPDX-License-Identifier: Apache-2.0
// "immediate": the kernel starts as it is. Pages are placed by their first touch.
#include "policies/launch/built_in.h"

namespace tessera {

namespace {

class Immediate final : public LaunchPlanner {
 public:
  LaunchPlan plan(const LaunchView& /*launch*/) override { return {}; }
};

}  // namespace

std::unique_ptr<LaunchPlanner> make_immediate_planner() { return std::make_unique<Immediate>(); }

}  // namespace tessera
