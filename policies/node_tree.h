// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "common/ids.h"

namespace tessera {

/// How far a requester is from a line's home: the level of the smallest node that holds both.
enum class NodeDistance : std::uint8_t {
  kSamePartition,
  kSameModule,  ///< of two partitions
  kSameGpu,     ///< of two modules
  kOtherGpu,
};

/// Nodes of a platform, counted over the whole system. SMs and slices are spread over the nodes of
/// each level evenly, neighbours together.
struct NodeTree {
  std::uint32_t gpus = 1;
  std::uint32_t modules = 1;     ///< a multiple of `gpus`
  std::uint32_t partitions = 1;  ///< a multiple of `modules`
  std::uint32_t sms = 1;
  std::uint32_t slices = 1;

  NodeDistance distance(SmId sm, SliceId slice) const {
    return distance(sm.value, sms, slice.value);
  }
  NodeDistance distance(SliceId from, SliceId to) const {
    return distance(from.value, slices, to.value);
  }

 private:
  static std::uint64_t node(std::uint64_t i, std::uint32_t nodes, std::uint32_t of) {
    return i * nodes / of;
  }
  NodeDistance distance(std::uint32_t from, std::uint32_t of, std::uint32_t slice) const {
    const auto together = [&](std::uint32_t nodes) {
      return node(from, nodes, of) == node(slice, nodes, slices);
    };
    if (!together(gpus)) return NodeDistance::kOtherGpu;
    if (!together(modules)) return NodeDistance::kSameGpu;
    return together(partitions) ? NodeDistance::kSamePartition : NodeDistance::kSameModule;
  }
};

}  // namespace tessera
