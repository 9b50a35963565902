// SPDX-License-Identifier: Apache-2.0
// A page-placement policy: pages in pairs, two neighbours share a channel.
#include <memory>

#include "platforms/plugin.h"
#include "policies/page_placement.h"

namespace {

class Pairs final : public tessera::PagePlacement {
 public:
  tessera::ChannelId place(const tessera::PlacementRequest& request,
                           const tessera::PlacementView& view) override {
    const auto channels = view.pages_per_channel.size();
    return tessera::ChannelId(static_cast<std::uint32_t>(request.virtual_page / 2 % channels));
  }
};

std::unique_ptr<tessera::PagePlacement> make_pairs() { return std::make_unique<Pairs>(); }

}  // namespace

extern "C" const tessera::Plugin tessera_plugin = {
    [] { tessera::register_page_placement("pairs", make_pairs); }};
