// SPDX-License-Identifier: Apache-2.0
// "interleave": the page's number selects its memory, independent of touchers and time.
#include "policies/page_placement.h"

namespace tessera::page_placement::interleave {

namespace {

class Interleave final : public PagePlacement {
 public:
  ChannelId place(const PlacementRequest& request, const PlacementView& view) override {
    return ChannelId(
        static_cast<std::uint32_t>(request.virtual_page % view.pages_per_channel.size()));
  }
};

std::unique_ptr<PagePlacement> make(const PolicyContext&) { return std::make_unique<Interleave>(); }

const PolicyRegistration<PagePlacement> kRegistered("interleave",
                                                    "pages in turn by their number (MGPUSim)",
                                                    make);

}  // namespace

}  // namespace tessera::page_placement::interleave
