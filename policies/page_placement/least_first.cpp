// SPDX-License-Identifier: Apache-2.0
// "least-first": the channel with the fewest pages, independent of the toucher (NUBA section 4).
#include "policies/page_placement.h"

namespace tessera::page_placement::least_first {

namespace {

class LeastFirst final : public PagePlacement {
 public:
  ChannelId place(const PlacementRequest&, const PlacementView& view) override {
    return least_used_channel(view);
  }
};

std::unique_ptr<PagePlacement> make(const PolicyContext&) { return std::make_unique<LeastFirst>(); }

const PolicyRegistration<PagePlacement> kRegistered(
    "least-first", "the channel with the fewest pages (NUBA section 4)", make);

}  // namespace

}  // namespace tessera::page_placement::least_first
