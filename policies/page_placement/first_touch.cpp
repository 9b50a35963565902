// SPDX-License-Identifier: Apache-2.0
// "first-touch": places a page in the memory nearest to the first SM that touches it.
#include "policies/page_placement.h"

namespace tessera::page_placement::first_touch {

namespace {

class FirstTouch final : public PagePlacement {
 public:
  ChannelId place(const PlacementRequest& request, const PlacementView&) override {
    return request.local_channel;
  }
};

std::unique_ptr<PagePlacement> make(const PolicyContext&) { return std::make_unique<FirstTouch>(); }

const PolicyRegistration<PagePlacement> kRegistered("first-touch",
                                                    "a page lives where its first toucher is",
                                                    make);

}  // namespace

}  // namespace tessera::page_placement::first_touch
