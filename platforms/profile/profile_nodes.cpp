// SPDX-License-Identifier: Apache-2.0
#include "platforms/profile/profile_nodes.h"

#include <algorithm>

namespace tessera {

namespace {

/// Whether `node` is `above` or below it.
bool is_within(const PlatformPlan& plan, std::uint32_t node, std::uint32_t above) {
  while (node != above && node != 0) node = plan.nodes[node].parent;
  return node == above;
}

}  // namespace

ProfileNodes::ProfileNodes(const PlatformPlan& plan, const std::vector<std::uint32_t>& sms,
                           std::uint32_t channels)
    : node_of_channel_(channels, kUnknown) {
  for (const std::uint32_t node : sms) {
    if (std::find(touchers_.begin(), touchers_.end(), node) == touchers_.end()) {
      touchers_.push_back(node);
    }
  }
  const std::vector<const PlannedBlock*> drams = plan.of_kind("dram");
  if (drams.size() == channels) {
    for (const PlannedBlock* d : drams) node_of_channel_[d->index] = d->node;
  }
  for (const std::uint32_t toucher : touchers_) {
    std::vector<bool> remote(channels);
    for (std::uint32_t c = 0; c < channels; ++c) {
      const std::uint32_t home = node_of_channel_[c];
      remote[c] =
          home != kUnknown && !is_within(plan, home, toucher) && !is_within(plan, toucher, home);
    }
    remote_.push_back(std::move(remote));
  }
}

std::uint32_t ProfileNodes::toucher_of(std::uint32_t node) const {
  return static_cast<std::uint32_t>(std::find(touchers_.begin(), touchers_.end(), node) -
                                    touchers_.begin());
}

}  // namespace tessera
