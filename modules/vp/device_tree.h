// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tessera {

struct BoardPlan;

/// The flattened device tree of a machine (Devicetree specification 0.3), as firmware expects it.
std::vector<unsigned char> device_tree(const BoardPlan& plan);

}  // namespace tessera
