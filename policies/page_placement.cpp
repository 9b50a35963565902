// SPDX-License-Identifier: Apache-2.0
#include "policies/page_placement.h"

#include <algorithm>
#include <numeric>

namespace tessera {

double normalised_page_balance(const std::vector<std::uint64_t>& pages_per_channel) {
  if (pages_per_channel.empty()) return 1;
  const std::uint64_t most = *std::max_element(pages_per_channel.begin(), pages_per_channel.end());
  if (most == 0) return 1;
  const std::uint64_t sum =
      std::accumulate(pages_per_channel.begin(), pages_per_channel.end(), std::uint64_t{0});
  return static_cast<double>(sum) / static_cast<double>(pages_per_channel.size() * most);
}

// The paper breaks ties arbitrarily. Here the lowest index wins, so that runs are reproducible.
ChannelId least_used_channel(const PlacementView& view) {
  const auto& pages = view.pages_per_channel;
  return ChannelId(
      static_cast<std::uint32_t>(std::min_element(pages.begin(), pages.end()) - pages.begin()));
}

}  // namespace tessera
