// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/node_level.h"

namespace tessera {

/// A level of a platform's tree. A level above the innermost connects `count` equal nodes by a
/// network. The innermost level (kPartition) has the shape of its node.
struct TreeLevel {
  NodeLevel level = NodeLevel::kPartition;
  std::uint32_t count = 1;  ///< 2 or more above the innermost level
  std::string network;      ///< "switch" or "ring"; empty in the innermost level
  std::string gateway;      ///< GPUs only: "rdma"
  std::string shape;        ///< innermost only
};

/// Levels, outermost first.
using Tree = std::vector<TreeLevel>;

}  // namespace tessera
