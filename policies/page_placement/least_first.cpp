// SPDX-License-Identifier: Apache-2.0
// "least-first": the channel with the fewest pages, whoever touches the page (NUBA section 4).
#include <algorithm>

#include "policies/page_placement/built_in.h"

namespace tessera {

namespace {

class LeastFirst final : public PagePlacement {
 public:
  ChannelId place(const PlacementRequest&, const PlacementView& view) override {
    return least_used_channel(view);
  }
};

}  // namespace

// The paper breaks ties arbitrarily; ours go to the lowest index, so that runs repeat.
ChannelId least_used_channel(const PlacementView& view) {
  const auto& pages = view.pages_per_channel;
  return ChannelId(
      static_cast<std::uint32_t>(std::min_element(pages.begin(), pages.end()) - pages.begin()));
}

std::unique_ptr<PagePlacement> make_least_first_placement() {
  return std::make_unique<LeastFirst>();
}

}  // namespace tessera
