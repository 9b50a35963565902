// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera {

/// A level of the tree of nodes, outermost first.
enum class NodeLevel : std::uint8_t { kSystem, kGpu, kModule, kPartition };

inline const char* name_of(NodeLevel level) {
  constexpr const char* kNames[] = {"system", "gpu", "module", "partition"};
  return kNames[static_cast<std::size_t>(level)];
}

}  // namespace tessera
