// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "policies/launch_planner.h"

namespace tessera {

std::unique_ptr<LaunchPlanner> make_immediate_planner();

}  // namespace tessera
