// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "modules/plan/plan.h"

namespace tessera {

/// The nodes of a platform that touch memory, those of its SMs, and the nodes of its channels, in
/// the order of the plan.
class ProfileNodes {
 public:
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

  /// `sms`: nodes of the SMs. `channels`: of the address map. If the plan has not as many channels
  /// of the kind "dram", their nodes are unknown.
  ProfileNodes(const PlatformPlan& plan, const std::vector<std::uint32_t>& sms,
               std::uint32_t channels);

  /// Indices of PlatformPlan::nodes.
  const std::vector<std::uint32_t>& touchers() const { return touchers_; }
  /// The toucher of a node's blocks. Precondition: the node has an SM.
  std::uint32_t toucher_of(std::uint32_t node) const;
  /// The node of a channel, index of PlatformPlan::nodes; kUnknown.
  std::uint32_t node_of_channel(std::uint32_t channel) const { return node_of_channel_[channel]; }
  /// Whether a channel is outside the toucher's node: neither is below the other in the tree.
  bool is_remote(std::uint32_t toucher, std::uint32_t channel) const {
    return remote_[toucher][channel];
  }

 private:
  std::vector<std::uint32_t> touchers_;
  std::vector<std::uint32_t> node_of_channel_;
  std::vector<std::vector<bool>> remote_;  ///< [toucher][channel]
};

}  // namespace tessera
