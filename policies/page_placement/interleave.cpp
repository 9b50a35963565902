// SPDX-License-Identifier: Apache-2.0
// "interleave": a page's number names its memory, whoever touches it and when.
#include "policies/page_placement/built_in.h"

namespace tessera {

namespace {

class Interleave final : public PagePlacement {
 public:
  ChannelId place(const PlacementRequest& request, const PlacementView& view) override {
    return ChannelId(
        static_cast<std::uint32_t>(request.virtual_page % view.pages_per_channel.size()));
  }
};

}  // namespace

std::unique_ptr<PagePlacement> make_interleave_placement() {
  return std::make_unique<Interleave>();
}

}  // namespace tessera
