// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "common/ids.h"
#include "policies/policy.h"

namespace tessera {

/// Distance of a requester from a line's home: the level of the smallest node that contains both.
enum class NodeDistance : std::uint8_t {
  kSamePartition,
  kSameModule,  ///< in two partitions of one module
  kSameGpu,     ///< in two modules of one GPU
  kOtherGpu,
};

namespace detail {

/// Distance between the i-th of `count` and the j-th of `others`. Both kinds are spread evenly over
/// the nodes of each level, neighbours together.
inline NodeDistance distance(const TreeShape& tree, std::uint64_t i, std::uint32_t count,
                             std::uint64_t j, std::uint32_t others) {
  const auto together = [&](std::uint32_t nodes) {
    return i * nodes / count == j * nodes / others;
  };
  if (!together(tree.gpus)) return NodeDistance::kOtherGpu;
  if (!together(tree.modules)) return NodeDistance::kSameGpu;
  return together(tree.partitions) ? NodeDistance::kSamePartition : NodeDistance::kSameModule;
}

}  // namespace detail

/// `slices`: number of slices of the system.
inline NodeDistance distance(const TreeShape& tree, std::uint32_t slices, SmId sm, SliceId slice) {
  return detail::distance(tree, sm.value, tree.sms, slice.value, slices);
}
inline NodeDistance distance(const TreeShape& tree, std::uint32_t slices, SliceId from,
                             SliceId to) {
  return detail::distance(tree, from.value, slices, to.value, slices);
}

}  // namespace tessera
