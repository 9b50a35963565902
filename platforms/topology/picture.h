// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "modules/plan/plan.h"

namespace tessera {

/// A block diagram of a plan, as an SVG document. Blocks of one name and level are one box with
/// their number; nodes of one level are one nested frame with their number. A column is a number of
/// hops from the SM. Arrows show the path of requests, with the number of links; responses take the
/// same path in reverse.
std::string picture_of(const PlatformPlan& plan, const std::string& title);

}  // namespace tessera
