// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "modules/kernel/stats.h"

namespace tessera {

/// The statistic of an L1: its served misses of lines whose home is in this node.
inline std::string home_misses_name(std::size_t node) {
  return "misses_home" + std::to_string(node);
}

/// Served load misses of an L1 by the node (partition, module or GPU) of their lines' home slices.
class HomeCounts {
 public:
  /// `node_of_slice`: dense numbers from 0. Empty, if all slices are in one node: nothing is
  /// counted.
  explicit HomeCounts(std::vector<std::uint16_t> node_of_slice = {})
      : node_of_slice_(std::move(node_of_slice)),
        counts_(node_of_slice_.empty()
                    ? 0
                    : *std::max_element(node_of_slice_.begin(), node_of_slice_.end()) + 1U) {}

  /// Ports that follow the slices in their numbers (cores of a mesh) are not counted.
  void add(SliceId home) {
    if (home.value < node_of_slice_.size()) ++counts_[node_of_slice_[home.value]];
  }
  const std::vector<Counter>& counts() const { return counts_; }

 private:
  std::vector<std::uint16_t> node_of_slice_;
  std::vector<Counter> counts_;  ///< [node]; not resized, because the registry points to them
};

}  // namespace tessera
