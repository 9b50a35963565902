// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platforms/topology/plan.h"

namespace tessera {

/// A block diagram of a plan, as an SVG document: blocks of one name and level are one box with
/// their count, nodes of one level are one nested frame with theirs. Columns are hops from the SM.
/// Arrows show the way of requests, with the number of links; responses take the same way back.
std::string picture_of(const PlatformPlan& plan, const std::string& title);

}  // namespace tessera
